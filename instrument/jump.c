/*
 * jump - longjmp
 *
 * A longjmp leaves calls that never return.  Their frames have to be dropped:
 * this is called unwinding.  It compares stack pointers.  The stack grows down,
 * so a call has a lower stack pointer than its caller, and a jump to the stack
 * pointer S leaves exactly the calls below S.  For example, if g calls longjmp
 * to return to the setjmp in main, whose stack pointer is 0x7080:
 *
 *	main 0x7080, f 0x7050, g 0x7020		f and g are dropped
 *
 * C++ exceptions need nothing of this: the compiler calls the exit hook in the
 * cleanup code of each function that an exception leaves.
 */

#include <setjmp.h>

#include "instrument/instrument.h"

_Noreturn void __longjmp_chk(struct __jmp_buf_tag [1], int);

/*
 * The outermost of the frames that a jump from here to sp leaves, or t->top.
 *
 * If sp is below the current stack pointer, the jump leaves another stack: that
 * of a signal handler (sigaltstack), which is above the thread's own.  From
 * inside out, stack pointers grow on either stack, and they drop from the
 * outermost frame on the handler's stack to the frame that it interrupted.  All
 * frames inside that point are left; the others are compared with sp.
 *
 * Functions that are inlined into the caller of setjmp have hooks of their own
 * but the same stack pointer.  Of frames with the stack pointer sp, only the
 * outermost remains: it is the function that called setjmp.
 */
static struct frame *
first_left(struct thread *t, uintptr_t sp, uintptr_t here)
{
	struct frame *f = t->top, *start = t->frames;

	if (sp < here) {
		while (f - start > 1 && frame_sp(f - 1) <= frame_sp(f - 2))
			f--;
		if (f - start <= 1)
			return t->top;	/* a coroutine's stack: unknown */
		f--;
	}
	while (f > start && frame_sp(f - 1) < sp)
		f--;
	while (f - start > 1 && frame_sp(f - 1) == sp && frame_sp(f - 2) == sp)
		f--;
	return f;
}

static void
unwind(const struct __jmp_buf_tag env[1], uintptr_t here)
{
	struct thread *t = self;
	struct frame *f;
	uintptr_t sp;

	if (dormant || t == NULL || !jmpbuf_sp(env, &sp))
		return;
	if (settings.timed)
		account_time(t);
	if (t->n_frameless > 0 && sp < frame_sp(t->top - 1))
		return;		/* leaves some of the calls without a frame */
	f = first_left(t, sp, here);
	if (f < t->top || (t->n_frameless > 0 &&
	    !(f[-1].sp & FRAME_NO_NODE)))
		hooks_unwind_to(t, f);
}

static _Noreturn __attribute__((noinline)) void
jump(jump_function *const *real, struct __jmp_buf_tag env[1], int value,
    uintptr_t here)
{
	if (*real == NULL)
		hooks_start();	/* no hook has been called yet */
	unwind(env, here);
	(*real)(env, value);
	__builtin_unreachable();
}

#define HERE() ((uintptr_t)__builtin_frame_address(0))

EXPORT void
longjmp(struct __jmp_buf_tag env[1], int value)
{
	jump(&real_longjmp, env, value, HERE());
}

EXPORT void
_longjmp(struct __jmp_buf_tag env[1], int value)
{
	jump(&real_longjmp, env, value, HERE());
}

EXPORT void
siglongjmp(struct __jmp_buf_tag env[1], int value)
{
	jump(&real_siglongjmp, env, value, HERE());
}

EXPORT void
__longjmp_chk(struct __jmp_buf_tag env[1], int value)
{
	jump(&real_chk, env, value, HERE());
}
