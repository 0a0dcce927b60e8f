/*
 * vfork - a child that shares its parent's memory
 *
 * Until the child executes another program or exits, the parent is suspended
 * and the child runs in its memory: on its stack, and with its call tree.  The
 * child's hooks change the parent's current node and shadow stack, and the last
 * of the child's calls (execve or _exit) never returns.  So vfork() saves the
 * current node and the top of the shadow stack before the system call, and
 * restores them when the parent continues.
 *
 * It cannot save them, or the return address, on the program's stack, which the
 * child overwrites.  So they are kept in registers: the child gets a copy of
 * the registers, and the system call preserves the parent's.  This needs
 * assembly.
 */

#include <errno.h>

#include "instrument/instrument.h"
#include "instrument/state.h"
#include "instrument/thread.h"
#include "instrument/tree.h"

struct position {
	struct node *current;
	struct frame *top;
};

struct position vfork_before(void);
int vfork_after(struct node *current, struct frame *top, long result);

__attribute__((used)) struct position
vfork_before(void)
{
	struct thread *t = self;

	if (!counting.is_on || t == NULL)
		return (struct position){ NULL, NULL };
	return (struct position){ t->current, t->top };
}

__attribute__((used)) int
vfork_after(struct node *current, struct frame *top, long result)
{
	struct thread *t = self;

	if (current != NULL && t != NULL && counting.is_on) {
		t->current = current;
		BARRIER();
		t->top = top;
	}
	if (result >= 0)
		return (int)result;
	errno = (int)-result;
	return -1;
}

__asm__ (
    ".text\n"
    ".globl vfork\n"
    ".type vfork, @function\n"
    "vfork:\n"
    "	subq $8, %rsp\n"
    "	call vfork_before\n"
    "	addq $8, %rsp\n"
    "	movq %rdx, %rsi\n"		/* top */
    "	movq %rax, %rdx\n"		/* current */
    "	popq %rdi\n"			/* the return address */
    "	movl $58, %eax\n"		/* SYS_vfork */
    "	syscall\n"
    "	pushq %rdi\n"
    "	testq %rax, %rax\n"
    "	je 1f\n"			/* the child */
    "	movq %rdx, %rdi\n"
    "	movq %rax, %rdx\n"
    "	jmp vfork_after\n"
    "1:	ret\n"
    ".size vfork, . - vfork\n");
