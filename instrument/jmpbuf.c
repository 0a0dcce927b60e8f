/*
 * jmpbuf - the C library's longjmp functions, and the layout of a jmp_buf
 *
 * The stack pointer that longjmp restores is in a known slot of the jmp_buf.
 * glibc protects it by "pointer mangling": the value is XORed with a random
 * guard from the thread control block (at %fs:0x30) and rotated left by 17
 * bits.  To verify this layout, detect_layout() calls setjmp and decodes the
 * slot, first without and then with mangling.  If a result is close to the
 * current stack pointer, the layout is verified; otherwise jumps are ignored.
 */

#include <setjmp.h>

#include "instrument/instrument.h"
#include "instrument/jmpbuf.h"

enum { SLOT_SP = 6, ROTATION = 17 };

/*
 * How to find the C library's own functions: a static program has
 * __libc_longjmp, which does for all of them, and a dynamic one has dlsym.  The
 * reference to pthread_exit makes a static link include the object file that
 * defines __libc_longjmp.
 */
extern jump_function __libc_longjmp __attribute__((weak));
extern void *dlsym(void *, const char *) __attribute__((weak));
extern void pthread_exit(void *) __attribute__((noreturn));
void (*const weir_pthread_exit)(void *) = pthread_exit;
/*
 * The sanitizers' own functions.  clang links them into the program, where
 * those of the instrument hide them from dlsym.
 */
extern jump_function __interceptor_longjmp __attribute__((weak));
extern jump_function __interceptor_siglongjmp __attribute__((weak));
extern jump_function __interceptor___longjmp_chk __attribute__((weak));

jump_function *real_longjmp, *real_siglongjmp, *real_longjmp_chk;
static bool is_mangled, is_verified;

static uintptr_t
decode_sp(const struct __jmp_buf_tag env[1])
{
	uintptr_t sp = (uintptr_t)env->__jmpbuf[SLOT_SP], guard;

	if (!is_mangled)
		return sp;
	__asm__ ("movq %%fs:0x30, %0" : "=r" (guard));
	return (sp >> ROTATION | sp << (64 - ROTATION)) ^ guard;
}

static __attribute__((noinline)) void
detect_layout(void)
{
	jmp_buf env;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), sp;

	if (_setjmp(env) != 0)
		return;
	for (int mangled = 0; mangled <= 1 && !is_verified; mangled++) {
		is_mangled = mangled;
		sp = decode_sp(env);
		is_verified = sp <= here && here - sp < 4096;
	}
}

static jump_function *
find_original(const char *name, jump_function *interceptor)
{
	void *after_this = (void *)-1L;		/* RTLD_NEXT */

	if (interceptor != NULL)
		return interceptor;
	if (__libc_longjmp != NULL)
		return __libc_longjmp;
	return dlsym == NULL ? NULL : (jump_function *)dlsym(after_this,
	    name);
}

void
jmpbuf_init(void)
{
	real_longjmp = find_original("longjmp", __interceptor_longjmp);
	real_siglongjmp = find_original("siglongjmp",
	    __interceptor_siglongjmp);
	real_longjmp_chk = find_original("__longjmp_chk",
	    __interceptor___longjmp_chk);
	detect_layout();
}

bool
jmpbuf_sp(const struct __jmp_buf_tag *env, uintptr_t *sp)
{
	if (is_verified)
		*sp = decode_sp(env);
	return is_verified;
}
