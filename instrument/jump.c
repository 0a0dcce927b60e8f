/*
 * jump - longjmp
 *
 * A jump leaves all calls whose stack lies below the stack pointer that it
 * restores.  glibc keeps that at a known place in a jmp_buf, turned round and
 * mixed with a number that the thread's control block holds: what setjmp makes
 * of a known stack pointer tells whether this is so here.
 */

#include <setjmp.h>

#include "instrument/instrument.h"

#define EXPORT __attribute__((visibility("default")))

enum { SLOT_SP = 6, ROTATED = 17 };

typedef void jump_function(struct __jmp_buf_tag [1], int);

/*
 * Where the real ones are: in static programs the first of these is there, and
 * the second in others.  pthread_exit draws the first in.
 */
extern jump_function __libc_longjmp __attribute__((weak));
extern void *dlsym(void *, const char *) __attribute__((weak));
extern void pthread_exit(void *) __attribute__((noreturn));
void (*const weir_draws_in)(void *) = pthread_exit;

_Noreturn void __longjmp_chk(struct __jmp_buf_tag [1], int);

static jump_function *real_longjmp, *real_siglongjmp, *real_chk;
static bool is_mangled, is_known;

static uintptr_t
target_sp(const struct __jmp_buf_tag env[1])
{
	uintptr_t sp = (uintptr_t)env->__jmpbuf[SLOT_SP], guard;

	if (!is_mangled)
		return sp;
	__asm__ ("movq %%fs:0x30, %0" : "=r" (guard));
	return (sp >> ROTATED | sp << (64 - ROTATED)) ^ guard;
}

static __attribute__((noinline)) void
learn_layout(void)
{
	jmp_buf env;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), sp;

	if (_setjmp(env) != 0)
		return;
	for (int mangled = 0; mangled <= 1 && !is_known; mangled++) {
		is_mangled = mangled;
		sp = target_sp(env);
		is_known = sp <= here && here - sp < 4096;
	}
}

static jump_function *
find(const char *name)
{
	void *next = (void *)-1L;	/* RTLD_NEXT */

	if (__libc_longjmp != NULL)
		return __libc_longjmp;
	return dlsym == NULL ? NULL : (jump_function *)dlsym(next, name);
}

void
jump_init(void)
{
	real_longjmp = find("longjmp");
	real_siglongjmp = find("siglongjmp");
	real_chk = find("__longjmp_chk");
	learn_layout();
}

/*
 * The frames from where on all are to go.  If the target is below where we
 * are, we are on another stack, a signal handler's: its frames go, back to
 * where the stack pointers say that the stack was changed.  Where the function
 * that called setjmp had others built into it, they have the same stack
 * pointer as it, and it was the first of them.
 */
static struct frame *
first_to_go(struct thread *t, uintptr_t sp, uintptr_t here)
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

	if (dormant || !is_known || t == NULL)
		return;
	if (settings.timed)
		account(t);
	sp = target_sp(env);
	if (t->brim_calls > 0 && sp < frame_sp(t->top - 1))
		return;		/* how many of these, is not known */
	f = first_to_go(t, sp, here);
	if (f < t->top || (t->brim_calls > 0 &&
	    !(f[-1].sp & FRAME_LIMITED)))
		hook_return(t, f);
}

static _Noreturn __attribute__((noinline)) void
jump(jump_function *const *real, struct __jmp_buf_tag env[1], int value,
    uintptr_t here)
{
	if (*real == NULL)
		start_once();	/* no hook has been called yet */
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
