/*
 * preinit - calls functions, and jumps out of one by longjmp(), before the C
 * library has initialized environ
 */

#include <setjmp.h>

#include "count.h"

static jmp_buf target;

static NOINLINE void
jump(void)
{
	longjmp(target, 1);
}

/* Without CALL(), since the instrument need not count these calls. */
static void
before_all(int argc, char **argv, char **envp)
{
	(void)argc;
	(void)argv;
	(void)envp;
	if (setjmp(target) == 0)
		jump();
}

static __attribute__((section(".preinit_array"), used))
void (*const preinit)(int, char **, char **) = before_all;

static NOINLINE void
later(void)
{
	__asm__ volatile ("");
}

static __attribute__((constructor)) void
construct(void)
{
	CALL(later);
}

int
main(void)
{
	CALL(later);
	count_write();
	return 0;
}
