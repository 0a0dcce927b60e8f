/* run - starts a program, and ends with its status */

#define _GNU_SOURCE	/* pipe2 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
	signal(SIGPIPE, i->sigpipe_handler);
	signal(SIGCHLD, i->sigchld_handler);
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
