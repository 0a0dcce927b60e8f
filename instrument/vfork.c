/*
 * vfork - the child runs in the parent's memory, and may make calls that never
 * return: it executes a program or exits.  They are dropped when the parent
 * goes on.
 *
 * What the parent needs for that cannot be on the stack, where the child's
 * calls overwrite it.  It is in registers, of which the system gives the
 * parent its own back.
 */

#include <errno.h>

#include "instrument/instrument.h"

struct state {
	struct node *current;
	struct frame *top;
};

struct state vfork_before(void);
int vfork_after(struct node *current, struct frame *top, long result);

__attribute__((used)) struct state
vfork_before(void)
{
	struct thread *t = self;

	if (dormant || t == NULL)
		return (struct state){ NULL, NULL };
	return (struct state){ t->current, t->top };
}

__attribute__((used)) int
vfork_after(struct node *current, struct frame *top, long result)
{
	struct thread *t = self;

	if (current != NULL && t != NULL && !dormant) {
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
    "	movq %rdx, %rsi\n"
    "	movq %rax, %rdx\n"
    "	popq %rdi\n"		/* the return address */
    "	movl $58, %eax\n"
    "	syscall\n"
    "	pushq %rdi\n"
    "	testq %rax, %rax\n"
    "	je 1f\n"
    "	movq %rdx, %rdi\n"
    "	movq %rax, %rdx\n"
    "	jmp vfork_after\n"
    "1:	ret\n"
    ".size vfork, . - vfork\n");
