/*
 * jump - longjmp
 *
 * A jump leaves all calls whose stack lies below the stack pointer that it
 * restores.
 */

#include <setjmp.h>

#include "instrument/instrument.h"

_Noreturn void __longjmp_chk(struct __jmp_buf_tag [1], int);

/*
 * The frames from where on all are to go.  If the target is below where we
 * are, we are on another stack, a signal handler's: its frames go, back to
 * where the stack pointers say that the stack was changed.  Where the function
 * that called setjmp had others built into it, they have the same stack
 * pointer as it, and it was the first of them.
 */
static struct frame *
first_left(struct thread *t, uintptr_t sp, uintptr_t here)
{
	struct frame *f = t->top, *start = t->frames;

	if (sp < here) {
		while (f - start > 1 && frame_sp(f - 1) <= frame_sp(f - 2))
			f--;
		if (f - start <= 1)
			return t->top;	/* a coroutine's: it is not known */
		f--;
	}
	while (f > start && frame_sp(f - 1) < sp)
		f--;
	while (f - start > 1 && frame_sp(f - 1) == sp && frame_sp(f - 2) == sp)
		f--;
	return f;
}

static void
leave(const struct __jmp_buf_tag env[1], uintptr_t here)
{
	struct thread *t = self;
	struct frame *f;
	uintptr_t sp;

	if (dormant || t == NULL || !jmpbuf_sp(env, &sp))
		return;
	if (settings.timed)
		account_time(t);
	if (t->n_frameless > 0 && sp < frame_sp(t->top - 1))
		return;		/* how many of these, is not known */
	f = first_left(t, sp, here);
	if (f < t->top || (t->n_frameless > 0 &&
	    !(f[-1].sp & FRAME_LIMITED)))
		hooks_unwind_to(t, f);
}

static _Noreturn __attribute__((noinline)) void
jump(jump_function *const *real, struct __jmp_buf_tag env[1], int value,
    uintptr_t here)
{
	if (*real == NULL)
		hooks_start();	/* no hook has been called yet */
	leave(env, here);
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
