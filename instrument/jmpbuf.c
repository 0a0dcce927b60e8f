/*
 * jmpbuf - the C library's longjmp functions, and what they restore
 *
 * glibc keeps the stack pointer at a known place in a jmp_buf, turned round and
 * mixed with a number that the thread's control block holds: what setjmp makes
 * of a known stack pointer tells whether this is so here.
 */

#include <setjmp.h>

#include "instrument/instrument.h"

enum { SLOT_SP = 6, ROTATED = 17 };

/*
 * Where the real ones are: in static programs the first of these is there, and
 * the second in others.  pthread_exit draws the first in.
 */
extern jump_function __libc_longjmp __attribute__((weak));
extern void *dlsym(void *, const char *) __attribute__((weak));
extern void pthread_exit(void *) __attribute__((noreturn));
void (*const weir_draws_in)(void *) = pthread_exit;

jump_function *real_longjmp, *real_siglongjmp, *real_chk;
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
jmpbuf_init(void)
{
	real_longjmp = find("longjmp");
	real_siglongjmp = find("siglongjmp");
	real_chk = find("__longjmp_chk");
	learn_layout();
}

bool
jmpbuf_sp(const struct __jmp_buf_tag *env, uintptr_t *sp)
{
	if (is_known)
		*sp = target_sp(env);
	return is_known;
}
