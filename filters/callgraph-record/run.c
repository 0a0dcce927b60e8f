/* run - starts the program, opens its socket, and ends with its status */

#define _GNU_SOURCE	/* pipe2, SOCK_CLOEXEC */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/io/cleanup.h"
#include "filters/callgraph-record/run.h"

void
inherited_save(struct inherited *i)
{
	struct sigaction action;

	for (int fd = 0; fd <= 2; fd++)
		i->is_closed[fd] = fcntl(fd, F_GETFD) == -1;
	sigaction(SIGPIPE, NULL, &action);
	i->sigpipe_action = action.sa_handler;
}

/* Runs the command, or writes errno to error_pipe, which the parent reads. */
static _Noreturn void
run_child(char **command, const struct inherited *i, bool output_to_error,
    int error_pipe)
{
	sigset_t none;
	int error;

	if (output_to_error)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	for (int fd = 0; fd <= 2; fd++)
		if (i->is_closed[fd] && !(fd == 1 && output_to_error))
			close(fd);
	signal(SIGPIPE, i->sigpipe_action);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(command[0], command);
	error = errno;
	while (write(error_pipe, &error, sizeof error) < 0 && errno == EINTR)
		;
	_exit(127);
}

pid_t
run_command(char **command, const struct inherited *i, bool output_to_error)
{
	/* exec closes the pipe; then the parent reads the end of file. */
	int error_pipe[2], error;
	ssize_t n;
	pid_t pid;

	if (pipe2(error_pipe, O_CLOEXEC) != 0)
		die_errno("cannot create a pipe");
	pid = fork();
	if (pid < 0)
		die_errno("cannot start a process");
	if (pid == 0)
		run_child(command, i, output_to_error, error_pipe[1]);
	close(error_pipe[1]);
	while ((n = read(error_pipe[0], &error, sizeof error)) < 0 &&
	    errno == EINTR)
		;
	close(error_pipe[0]);
	if (n != sizeof error)
		return pid;
	waitpid(pid, NULL, 0);
	err_warn("cannot run '%s': %s", command[0], strerror(error));
	exit(error == ENOENT ? 127 : 126);
}

static bool
is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0;
}

char *
run_find_program(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char *file;
	size_t n;

	if (strchr(name, '/') != NULL)
		return is_program(name) ? realpath(name, NULL) : NULL;
	for (; path != NULL; path = *end != '\0' ? end + 1 : NULL) {
		end = strchrnul(path, ':');
		n = (size_t)(end - path);
		file = mem_alloc(n + strlen(name) + 3);
		sprintf(file, "%.*s/%s", n > 0 ? (int)n : 1, n > 0 ? path : ".",
		    name);
		if (is_program(file))
			return file;
		free(file);
	}
	return NULL;
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

/* For remove_listener(), which is also called when this process dies. */
static struct listener *volatile open_listener;

static void
remove_listener(void)
{
	if (open_listener == NULL)
		return;
	unlink(open_listener->path);
	rmdir(open_listener->directory);
	open_listener = NULL;
}

/* mkdtemp() creates it with mode 0700, so only its owner can connect. */
static void
create_directory(struct listener *l)
{
	const char *parents[] = { getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"),
	    "/tmp" };

	for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
		/* 16: "/weir-XXXXXX" and its NUL, with some to spare. */
		if (parents[i] == NULL || parents[i][0] != '/' ||
		    strlen(parents[i]) > sizeof l->directory - 16)
			continue;
		snprintf(l->directory, sizeof l->directory, "%s/weir-XXXXXX",
		    parents[i]);
		if (mkdtemp(l->directory) != NULL)
			return;
	}
	die_errno("cannot create a directory in '/tmp'");
}

void
listener_open(struct listener *l)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	cleanup_add(remove_listener);
	cleanup_block_signals();
	create_directory(l);
	snprintf(l->path, sizeof l->path, "%s/socket", l->directory);
	open_listener = l;
	cleanup_unblock_signals();
	memcpy(address.sun_path, l->path, strlen(l->path) + 1);
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0 || bind(l->fd, (const struct sockaddr *)&address,
	    sizeof address) != 0 || listen(l->fd, SOMAXCONN) != 0)
		die_errno("cannot listen at '%s'", l->path);
}

void
listener_close(struct listener *l)
{
	close(l->fd);
	remove_listener();
}
