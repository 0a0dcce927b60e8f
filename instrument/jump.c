/*
 * jump - interposes longjmp
 *
 * A longjmp abandons calls: they never return.  Their frames have to be dropped
 * from the shadow stack, which is called unwinding.  The stack grows down, so a
 * call has a lower stack pointer than its caller, and a jump to the stack
 * pointer S abandons exactly the calls below S.  For example, if g calls
 * longjmp to return to the setjmp in main, whose stack pointer is 0x7080:
 *
 *	main 0x7080, f 0x7050, g 0x7020		f and g are dropped
 *
 * C++ exceptions need none of this: in each function that an exception passes
 * through, the cleanup code made by the compiler calls the exit hook.
 */

#include <setjmp.h>

#include "instrument/hooks.h"
#include "instrument/instrument.h"
#include "instrument/jmpbuf.h"
#include "instrument/state.h"
#include "instrument/thread.h"
#include "instrument/tree.h"

_Noreturn void __longjmp_chk(struct __jmp_buf_tag [1], int);

/*
 * Returns the outermost frame that a jump abandons, or t->top if it abandons
 * none.  The jump goes from the stack pointer "here" to the stack pointer "sp".
 *
 * If sp < here, the jump goes to another stack: from that of a signal
 * handler (sigaltstack), which is above the thread's own in memory, back to the
 * thread's own.  From the innermost frame outwards, stack pointers grow on each
 * of the two stacks; they drop only from the outermost frame of the handler to
 * the frame that it interrupted.  All frames of the handler are abandoned;
 * those of the thread's own stack are compared with sp.
 *
 * Functions that are inlined into the caller of setjmp have hooks of their own
 * but the same stack pointer.  Of frames with the stack pointer sp, only the
 * outermost remains: it is the function that called setjmp.
 */
static struct frame *
outermost_abandoned(struct thread *t, uintptr_t sp, uintptr_t here)
{
	struct frame *f = t->top, *start = t->frames;

	if (sp < here) {
		while (f - start > 1 && frame_sp(f - 1) <= frame_sp(f - 2))
			f--;
		if (f - start <= 1)
			return t->top;	/* to an unknown stack: a coroutine's */
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

	if (!counting.is_on || t == NULL || !jmpbuf_sp(env, &sp))
		return;
	if (settings.timed)
		account_time(t);
	if (t->n_frameless > 0 && sp < frame_sp(t->top - 1))
		return;		/* the target is a call without a frame */
	f = outermost_abandoned(t, sp, here);
	/*
	 * If only calls without a frame are abandoned, the overflow node must
	 * not remain current, unless the innermost frame has no node.
	 */
	if (f < t->top || (t->n_frameless > 0 &&
	    !(f[-1].sp & FRAME_NO_NODE)))
		hooks_unwind_to(t, f);
	t->n_frameless = 0;
}

static _Noreturn __attribute__((noinline)) void
jump(jump_function *const *real, struct __jmp_buf_tag env[1], int value,
    uintptr_t here)
{
	/* NULL if the instrument has not started yet, see start_once(). */
	if (*real == NULL)
		jmpbuf_init();
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
	jump(&real_longjmp_chk, env, value, HERE());
}
