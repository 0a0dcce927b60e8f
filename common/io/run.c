/* run - starts a program, and ends with its status */

#define _GNU_SOURCE	/* vfork */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/io/run.h"

void
inherited_save(struct inherited *i)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	struct sigaction action;

	for (int fd = 0; fd <= 2; fd++)
		i->is_closed[fd] = fcntl(fd, F_GETFD) == -1 && errno == EBADF;
	sigaction(SIGPIPE, NULL, &action);
	i->sigpipe_handler = action.sa_handler;
	/* If SIGCHLD is ignored, the status of a child is lost. */
	sigaction(SIGCHLD, &by_default, &action);
	i->sigchld_handler = action.sa_handler;
	sigprocmask(SIG_SETMASK, NULL, &i->mask);
	getrlimit(RLIMIT_NOFILE, &i->files);
}

/* Returns errno if the command cannot be executed. */
static int
execute(char **command, const struct inherited *i, bool output_to_error)
{
	if (output_to_error)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	for (int fd = 0; fd <= 2; fd++)
		if (i->is_closed[fd] && !(fd == 1 && output_to_error))
			close(fd);
	signal(SIGPIPE, i->sigpipe_handler);
	signal(SIGCHLD, i->sigchld_handler);
	setrlimit(RLIMIT_NOFILE, &i->files);
	sigprocmask(SIG_SETMASK, &i->mask, NULL);
	execvp(command[0], command);
	return errno;
}

/*
 * Whether one of the directories in PATH has a file with this name.  The errno
 * of execvp() does not say so: it may be that of a directory which the user may
 * not search, or which is not a directory.
 */
static bool
is_in_path(const char *name)
{
	const char *path = getenv("PATH");
	struct buf file = { 0 };
	size_t len;
	bool found;

	if (path == NULL)
		path = "/bin:/usr/bin";
	for (;; path += len + 1) {
		len = strcspn(path, ":");
		file.len = 0;
		buf_add(&file, path, len);
		/* An empty name is that of the current directory. */
		buf_printf(&file, "%s%s", len > 0 ? "/" : "", name);
		found = access(buf_cstr(&file), F_OK) == 0;
		if (found || path[len] == '\0')
			break;
	}
	buf_release(&file);
	return found;
}

static _Noreturn void
cannot_run(const char *name, int error)
{
	if (strchr(name, '/') == NULL && !is_in_path(name))
		error = ENOENT;
	if (error == ENOENT && strchr(name, '/') == NULL &&
	    access(name, X_OK) == 0)
		err_warn("cannot run '%s': it is not in PATH; run ./%s", name,
		    name);
	else
		err_warn("cannot run '%s': %s", name, strerror(error));
	exit(error == ENOENT ? 127 : 126);
}

pid_t
run_command(char **command, const struct inherited *i, bool output_to_error)
{
	/*
	 * The child of vfork() shares this variable, and needs neither a copy
	 * of the memory nor a pipe: so there is little that can fail.
	 */
	volatile int error = 0;
	pid_t pid = vfork();

	if (pid == 0) {
		error = execute(command, i, output_to_error);
		_exit(127);
	}
	if (pid > 0 && error != 0) {
		waitpid(pid, NULL, 0);
		cannot_run(command[0], error);
	}
	return pid;
}

_Noreturn void
run_in_place(char **command, const struct inherited *i, bool output_to_error)
{
	cannot_run(command[0], execute(command, i, output_to_error));
}

_Noreturn void
run_exit_as(int wait_status)
{
	struct rlimit none = { 0, 0 };
	sigset_t set;
	int number;

	if (!WIFSIGNALED(wait_status))
		exit(WEXITSTATUS(wait_status));
	number = WTERMSIG(wait_status);
	setrlimit(RLIMIT_CORE, &none);	/* the program dumped its own core */
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	exit(128 + number);
}
