/* run - the program, the socket that it is told of, and its end */

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
inherited_note(struct inherited *i)
{
	struct sigaction action;

	for (int fd = 0; fd <= 2; fd++)
		i->closed[fd] = fcntl(fd, F_GETFD) == -1;
	sigaction(SIGPIPE, NULL, &action);
	i->on_pipe = action.sa_handler;
}

/* Tells the parent why there is no program. */
static _Noreturn void
run_child(char **command, const struct inherited *i, bool output_to_error,
    int report)
{
	sigset_t none;
	int error;

	if (output_to_error)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	for (int fd = 0; fd <= 2; fd++)
		if (i->closed[fd] && !(fd == 1 && output_to_error))
			close(fd);
	signal(SIGPIPE, i->on_pipe);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(command[0], command);
	error = errno;
	while (write(report, &error, sizeof error) < 0 && errno == EINTR)
		;
	_exit(127);
}

pid_t
run_command(char **command, const struct inherited *i, bool output_to_error)
{
	int report[2], error;
	ssize_t n;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) != 0)
		die_errno("cannot make a pipe");
	pid = fork();
	if (pid < 0)
		die_errno("cannot start a process");
	if (pid == 0)
		run_child(command, i, output_to_error, report[1]);
	close(report[1]);
	while ((n = read(report[0], &error, sizeof error)) < 0 &&
	    errno == EINTR)
		;
	close(report[0]);
	if (n != sizeof error)
		return pid;
	waitpid(pid, NULL, 0);
	errno = error;
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
run_find(const char *name)
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
run_end_as(int wait_status)
{
	struct rlimit none = { 0, 0 };
	sigset_t set;
	int number;

	if (!WIFSIGNALED(wait_status))
		exit(WEXITSTATUS(wait_status));
	number = WTERMSIG(wait_status);
	setrlimit(RLIMIT_CORE, &none);	/* the core is the program's to leave */
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	exit(128 + number);
}

/* For those who end early. */
static struct meeting *volatile open_meeting;

static void
remove_meeting(void)
{
	if (open_meeting == NULL)
		return;
	unlink(open_meeting->path);
	rmdir(open_meeting->directory);
	open_meeting = NULL;
}

/* Nobody else may look into the directory, and so reach the socket. */
static void
make_directory(struct meeting *m)
{
	const char *parents[] = { getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"),
	    "/tmp" };

	for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
		if (parents[i] == NULL || parents[i][0] != '/' ||
		    strlen(parents[i]) > sizeof m->directory - 16)
			continue;
		snprintf(m->directory, sizeof m->directory, "%s/weir-XXXXXX",
		    parents[i]);
		if (mkdtemp(m->directory) != NULL)
			return;
	}
	die_errno("cannot make a directory in '/tmp'");
}

void
meeting_open(struct meeting *m)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	cleanup_add(remove_meeting);
	cleanup_block_signals();
	make_directory(m);
	snprintf(m->path, sizeof m->path, "%s/socket", m->directory);
	open_meeting = m;
	cleanup_unblock_signals();
	memcpy(address.sun_path, m->path, strlen(m->path) + 1);
	m->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (m->fd < 0 || bind(m->fd, (const struct sockaddr *)&address,
	    sizeof address) != 0 || listen(m->fd, SOMAXCONN) != 0)
		die_errno("cannot listen at '%s'", m->path);
}

void
meeting_close(struct meeting *m)
{
	close(m->fd);
	remove_meeting();
}
