/*
 * seccomp - ends all system calls once the program forbids itself some of them
 *
 * After seccomp(), in strict mode or with a filter, a system call of the
 * instrument could kill the program.  So the instrument makes none from then
 * on, and signals are handled by the program alone.  A thread that makes its
 * first call after that is not counted.  Strict mode forbids the time-stamp
 * counter as well.
 *
 * prctl() and syscall(), with which programs call seccomp(), are interposed.
 * syscall() is in assembly because a system call may return on another stack.
 *
 * Below, n is the number of a system call, and a to f are its arguments.
 */

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "instrument/crash.h"
#include "instrument/instrument.h"
#include "instrument/modules.h"
#include "instrument/shared.h"
#include "instrument/state.h"
#include "instrument/sys.h"
#include "instrument/thread.h"

long seccomp_syscall(long n, long a, long b, long c, long d, long e, long f);
long seccomp_result(long result);
INTERPOSED int prctl(int option, ...);

static void
enter_confinement(bool is_strict)
{
	/* Registers the thread while system calls are still allowed. */
	if (self == NULL)
		thread_begin();
	modules_read_all();
	shared_map_all();
	if (self != NULL) {
		while (thread_extend(self))
			;
		thread_unset_altstack(self);
	}
	crash_uninstall();
	if (settings.timed && self != NULL)
		account_time(self);
	is_confined = true;
	if (is_strict)
		settings.timed = false;
}

/* Called if seccomp() failed: the program may still make all system calls. */
static void
leave_confinement(void)
{
	settings.timed = shared->node_size == sizeof(struct node);
	is_confined = false;
	crash_init();
}

static bool
is_strict(long n, long a, long b)
{
	return n == SYS_prctl ? b == SECCOMP_MODE_STRICT :
	    a == SECCOMP_SET_MODE_STRICT;
}

/* Does this call of prctl() or seccomp() forbid system calls? */
static bool
forbids_calls(long n, long a)
{
	return n == SYS_prctl ? a == PR_SET_SECCOMP : n == SYS_seccomp &&
	    (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER);
}

/* Returns what syscall() is to return, and sets errno after an error. */
long
seccomp_result(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

long
seccomp_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	bool enters = forbids_calls(n, a) && counting.is_on && !is_confined &&
	    state_is_ours();
	long result;

	if (enters)
		enter_confinement(is_strict(n, a, b));
	result = sys6(n, a, b, c, d, e, f);
	if (enters && result < 0)
		leave_confinement();
	return seccomp_result(result);
}

INTERPOSED int
prctl(int option, ...)
{
	va_list list;
	long arg2, arg3, arg4, arg5;

	va_start(list, option);
	arg2 = va_arg(list, long);
	arg3 = va_arg(list, long);
	arg4 = va_arg(list, long);
	arg5 = va_arg(list, long);
	va_end(list);
	return (int)seccomp_syscall(SYS_prctl, option, arg2, arg3, arg4, arg5,
	    0);
}

/*
 * Passes prctl (157) and seccomp (317) to seccomp_syscall(), and makes all
 * other system calls as the C library's syscall() does.
 */
__asm__ (
    ".text\n"
    ".weak syscall\n"
    ".type syscall, @function\n"
    "syscall:\n"
    "	cmpq $157, %rdi\n"
    "	je seccomp_syscall\n"
    "	cmpq $317, %rdi\n"
    "	je seccomp_syscall\n"
    "	movq %rdi, %rax\n"
    "	movq %rsi, %rdi\n"
    "	movq %rdx, %rsi\n"
    "	movq %rcx, %rdx\n"
    "	movq %r8, %r10\n"
    "	movq %r9, %r8\n"
    "	movq 8(%rsp), %r9\n"
    "	syscall\n"
    "	cmpq $-4095, %rax\n"
    "	jae 1f\n"
    "	ret\n"
    "1:	movq %rax, %rdi\n"
    "	jmp seccomp_result\n"
    ".size syscall, . - syscall\n");
