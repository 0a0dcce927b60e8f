/*
 * own - defines one of the functions itself that the instrument interposes
 *
 * Compiled with -DOWN_LONGJMP, for example, it defines longjmp.  It calls all of
 * them, and prints how often its own was called.
 */

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int n_own;
static jmp_buf env;

typedef void handler(int);

#ifdef OWN_SIGNAL
handler *
signal(int number, handler *new)
{
	struct sigaction action = { .sa_handler = new }, old;

	n_own++;
	return sigaction(number, &action, &old) < 0 ? SIG_ERR : old.sa_handler;
}
#endif

#ifdef OWN_SIGACTION
int
sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
	(void)number;
	(void)new;
	(void)old;
	n_own++;
	return 0;
}
#endif

#ifdef OWN_VFORK
pid_t
vfork(void)
{
	n_own++;
	return fork();
}
#endif

#ifdef OWN_SYSCALL
long
syscall(long number, ...)
{
	n_own++;
	return number;
}
#endif

#ifdef OWN_PRCTL
int
prctl(int option, ...)
{
	n_own++;
	return option;
}
#endif

#ifdef OWN_LONGJMP
void
longjmp(jmp_buf to, int value)
{
	n_own++;
	siglongjmp(to, value);
}
#endif

#ifdef OWN__EXIT
void
_exit(int status)
{
	printf("%d\n", n_own + 1);
	fflush(stdout);
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}
#endif

static void
on_signal(int number)
{
	(void)number;
}

int
main(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	if (sigaction(SIGSEGV, &action, NULL) != 0 ||
	    signal(SIGBUS, on_signal) == SIG_ERR)
		return 1;
	if (vfork() == 0)
		execl("/bin/true", "true", NULL);
	syscall(SYS_getpid);
	prctl(PR_GET_DUMPABLE);
	if (setjmp(env) == 0)
		longjmp(env, 1);
#ifndef OWN__EXIT
	printf("%d\n", n_own);
	fflush(stdout);
#endif
	_exit(7);
}
