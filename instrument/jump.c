/*
 * jump - interposes longjmp
 *
 * A longjmp abandons calls: their exit hooks are not called.  Their
 * frames have to be dropped from the shadow stack, which is called unwinding.
 * The stack grows down, so a call has a lower stack pointer than its caller,
 * and if control lands at the stack pointer S, exactly the calls below S are
 * abandoned.  For example, if g calls longjmp to return to the setjmp in main,
 * whose stack pointer is 0x7080:
 *
 *	main 0x7080, f 0x7050, g 0x7020		f and g are dropped
 *
 * glibc's setjmp saves the stack pointer in a slot of the jmp_buf.  It protects
 * it by "pointer mangling": the value is XORed with a random guard from the
 * thread control block (at %fs:0x30) and rotated left by 17 bits.  To verify
 * this, verify_layout() calls setjmp and decodes the slot.  If the result is
 * not close to the current stack pointer, jumps are ignored.
 */

#include <dlfcn.h>
#include <setjmp.h>

#include "instrument/hooks.h"
#include "instrument/instrument.h"
#include "instrument/state.h"
#include "instrument/thread.h"
#include "instrument/tree.h"

enum { SLOT_SP = 6, ROTATION = 17 };

typedef void jump_function(struct __jmp_buf_tag *, int);
_Noreturn void __longjmp_chk(struct __jmp_buf_tag [1], int);

/*
 * How to find the functions that are interposed: a dynamic program has dlsym,
 * and a static one has another name for them.  The reference to pthread_exit
 * makes a static link include the object file that defines __libc_longjmp.  The
 * sanitizers' own functions are linked into the program by clang, where those
 * here hide them from dlsym.
 */
#pragma weak dlsym
extern jump_function __libc_longjmp __attribute__((weak));
extern jump_function __interceptor_longjmp __attribute__((weak));
extern jump_function __interceptor___longjmp_chk __attribute__((weak));
extern void pthread_exit(void *) __attribute__((noreturn));
void (*const weir_pthread_exit)(void *) = pthread_exit;

/* The interposed functions; NULL before find_originals(), or if unknown. */
static jump_function *real_longjmp, *real_longjmp_chk;

static bool is_verified;	/* the layout of a jmp_buf */

static uintptr_t
decode_sp(const struct __jmp_buf_tag env[1])
{
	uintptr_t sp = (uintptr_t)env->__jmpbuf[SLOT_SP], guard;

	__asm__ ("movq %%fs:0x30, %0" : "=r" (guard));
	return (sp >> ROTATION | sp << (64 - ROTATION)) ^ guard;
}

static __attribute__((noinline)) void
verify_layout(void)
{
	jmp_buf env;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (_setjmp(env) == 0)
		is_verified = here - decode_sp(env) < 4096;
}

static void *
find_original(const char *name, void *interceptor, void *static_name)
{
	if (interceptor != NULL)
		return interceptor;
	if (static_name != NULL || dlsym == NULL)
		return static_name;
	return dlsym(RTLD_NEXT, name);
}

/* Priority 101 is before the program's own constructors. */
static __attribute__((constructor(101))) void
find_originals(void)
{
	real_longjmp = find_original("longjmp", __interceptor_longjmp,
	    __libc_longjmp);
	real_longjmp_chk = find_original("__longjmp_chk",
	    __interceptor___longjmp_chk, __libc_longjmp);
	verify_layout();
}

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
	return f;
}

static void
unwind(uintptr_t sp, uintptr_t here)
{
	struct thread *t = self;
	struct frame *f;

	if (!counting.is_on || t == NULL)
		return;
	if (settings.timed)
		account_time(t);
	if (t->n_frameless > 0 && sp < frame_sp(t->top - 1))
		return;		/* the target is a call without a frame */
	f = outermost_abandoned(t, sp, here);
	/*
	 * A function that calls setjmp is not inlined: of several frames with
	 * its stack pointer, the outermost one remains.
	 */
	while (f - t->frames > 1 && frame_sp(f - 1) == sp &&
	    frame_sp(f - 2) == sp)
		f--;
	/*
	 * If only calls without a frame are abandoned, the overflow node must
	 * not remain current, unless the innermost frame has no node.
	 */
	if (f < t->top || (t->n_frameless > 0 &&
	    !(f[-1].sp & FRAME_NO_NODE)))
		hooks_unwind_to(t, f);
	t->n_frameless = 0;
}

#define HERE() ((uintptr_t)__builtin_frame_address(0))

static _Noreturn void
jump(jump_function *const *real, struct __jmp_buf_tag env[1], int value)
{
	if (*real == NULL)
		find_originals();
	if (is_verified)
		unwind(decode_sp(env), HERE());
	(*real)(env, value);
	__builtin_unreachable();
}

EXPORT void
longjmp(struct __jmp_buf_tag env[1], int value)
{
	jump(&real_longjmp, env, value);
}

EXPORT __typeof(longjmp) _longjmp __attribute__((alias("longjmp")));
EXPORT __typeof(longjmp) siglongjmp __attribute__((alias("longjmp")));

EXPORT void
__longjmp_chk(struct __jmp_buf_tag env[1], int value)
{
	jump(&real_longjmp_chk, env, value);
}
