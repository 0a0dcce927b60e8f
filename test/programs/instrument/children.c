/*
 * children - makes a child process, in the way that the argument names
 *
 * The child calls in_child(), and then the program calls in_parent().
 */

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static NOINLINE void
in_child(void)
{
	__asm__ volatile ("");
}

static NOINLINE void
in_parent(void)
{
	__asm__ volatile ("");
}

static int
run_clone(void *unused)
{
	(void)unused;
	in_child();
	return 0;
}

static pid_t
clone_child(void)
{
	static char stack[1 << 16];

	return clone(run_clone, stack + sizeof stack, SIGCHLD, NULL);
}

/* A child that executes this program again, with this environment. */
static pid_t
spawn_child(char *program, char **env)
{
	char *args[] = { program, (char *)"call", NULL };
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, args, env) != 0)
		exit(9);
	return pid;
}

/* Leaves a process that calls in_child() again when it has read a byte. */
static void
leave_daemon(void)
{
	int ready[2];
	char byte = 0;

	if (pipe(ready) != 0)
		_exit(9);
	if (fork() == 0) {
		setsid();
		in_child();
		if (write(ready[1], &byte, 1) == 1 && read(0, &byte, 1) >= 0)
			in_child();
	} else if (read(ready[0], &byte, 1) != 1) {
		_exit(9);
	}
}

/* In a child that fork() has made. */
static void
run_forked(const char *how, char *program)
{
	char *args[] = { program, (char *)"call", NULL };

	if (strcmp(how, "execnull") == 0) {
		execve(program, args, NULL);
		_exit(9);
	}
	in_child();
	if (strcmp(how, "setuid") == 0)
		usleep(200000);		/* the wrapper looks at it */
	if (strcmp(how, "daemon") == 0)
		leave_daemon();
	if (strcmp(how, "fork-fork") == 0) {
		if (fork() == 0)
			in_child();
		else
			wait(NULL);
	}
	_exit(0);
}

/* What the parent changes before it makes the child. */
static int
prepare(const char *how)
{
	const struct rlimit none = { 0, 0 };

	if (strcmp(how, "nofile") == 0 || strcmp(how, "fork-fork") == 0)
		return setrlimit(RLIMIT_NOFILE, &none);
	if (strcmp(how, "setuid") == 0)
		return setuid(65534);
	if (strcmp(how, "chroot") == 0)
		return chroot("/var/empty") == 0 || chroot("/tmp") == 0 ? 0 : 1;
	if (strcmp(how, "clearenv") == 0)
		return clearenv();
	return 0;
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "fork";
	char *env[] = { (char *)"PATH=/bin", NULL };
	pid_t pid;

	if (strcmp(how, "call") == 0) {
		in_child();
		return 0;
	}
	if (prepare(how) != 0)
		return 9;
	if (strcmp(how, "clone") == 0)
		pid = clone_child();
	else if (strcmp(how, "spawn") == 0)
		pid = spawn_child(argv[0], environ);
	else if (strcmp(how, "spawnenv") == 0)
		pid = spawn_child(argv[0], env);
	else if (strcmp(how, "sysfork") == 0)
		pid = (pid_t)syscall(SYS_fork);
	else if (strcmp(how, "_Fork") == 0)
		pid = _Fork();
	else
		pid = fork();
	if (pid == 0)
		run_forked(how, argv[0]);
	waitpid(pid, NULL, 0);
	in_parent();
	return 0;
}
