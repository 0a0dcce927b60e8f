/*
 * jump - drops calls that do not return
 *
 * Jumps, exceptions and the end of a vfork() child abandon calls: their exit
 * hooks are not called.  Their frames have to be dropped from the shadow stack,
 * which is called unwinding.  The stack grows down, so a call has a lower stack
 * pointer than its caller, and if control lands at the stack pointer S, exactly
 * the calls below S are abandoned.  For example, if g calls longjmp to return
 * to the setjmp in main, whose stack pointer is 0x7080:
 *
 *	main 0x7080, f 0x7050, g 0x7020		f and g are dropped
 *
 * So the functions that make control land are interposed.  For an exception
 * this is _Unwind_SetIP(): wherever an exception lands, to run a destructor or
 * a catch block, the unwinder gets the address of that code, the landing pad,
 * by this function.  (gcc calls the exit hook in each C++ function that an
 * exception leaves, but clang does not, and C functions cannot.)
 *
 * glibc's setjmp saves the stack pointer in a slot of the jmp_buf.  It protects
 * it by "pointer mangling": the value is XORed with a random guard from the
 * thread control block (at %fs:0x30) and rotated left by 17 bits.  To verify
 * this, verify_layout() calls setjmp and decodes the slot.  If the result is
 * not close to the current stack pointer, jumps are ignored.
 */

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <ucontext.h>
#include <unwind.h>

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
 * and a static one has other names for them.  The references to pthread_exit
 * and makecontext make a static link include the object files that define
 * __libc_longjmp and __setcontext.  The linker defines __real__Unwind_SetIP if
 * it is called with --wrap=_Unwind_SetIP.  The sanitizers' own functions are
 * linked into the program by clang, where those here hide them from dlsym.
 */
#pragma weak dladdr
#pragma weak dlclose
#pragma weak dlsym
#pragma weak _Unwind_GetCFA
#pragma weak __wrap__Unwind_SetIP
extern jump_function __libc_longjmp __attribute__((weak));
extern jump_function __interceptor_longjmp __attribute__((weak));
extern jump_function __interceptor___longjmp_chk __attribute__((weak));
extern __typeof(setcontext) __setcontext __attribute__((weak));
extern __typeof(_Unwind_SetIP) __real__Unwind_SetIP __attribute__((weak));
extern void pthread_exit(void *) __attribute__((noreturn));
void (*const weir_pthread_exit)(void *) = pthread_exit;
__typeof(makecontext) *const weir_makecontext = makecontext;
__typeof(_Unwind_SetIP) __wrap__Unwind_SetIP;
int vfork_after(long result);

/* The interposed functions; NULL before find_originals(), or if unknown. */
static jump_function *real_longjmp, *real_longjmp_chk;
static __typeof(setcontext) *real_setcontext;
static __typeof(_Unwind_SetIP) *real_set_ip;

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
	real_setcontext = find_original("setcontext", NULL, __setcontext);
	/* A dlsym() that fails allocates memory, so it is not tried in vain. */
	if (_Unwind_GetCFA != NULL)
		real_set_ip = find_original("_Unwind_SetIP", NULL,
		    __real__Unwind_SetIP == __wrap__Unwind_SetIP ? NULL :
		    __real__Unwind_SetIP);
	verify_layout();
}

/*
 * Returns the outermost frame that a jump abandons, or t->top if it abandons
 * none.  The jump goes from the stack pointer "here" to the stack pointer "sp".
 * On the same stack, exactly the calls between these two are abandoned; others
 * belong to another stack, such as that of a coroutine.
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
		here = 0;
	}
	while (f > start && frame_sp(f - 1) < sp && frame_sp(f - 1) >= here)
		f--;
	return f;
}

static uintptr_t
function_of(const struct thread *t, const struct frame *f)
{
	return (f + 1 == t->top ? t->current : f[1].caller)->function;
}

/*
 * Functions that are inlined into the one where an exception lands have hooks
 * of their own but the same stack pointer, sp.  gcc is about to call the exit
 * hook of each one that the exception leaves, but clang calls none, and nothing
 * shows to which function the landing pad belongs.  So all these frames remain,
 * and the innermost one is marked with the landing pad.  If inner frames have
 * been added when control lands there again, the compiler was clang, and these
 * have been left.  Since clang inlines no function into itself, so has any
 * outer call of the same function as the first of them.
 */
static struct frame *
leave_inlined(const struct thread *t, struct frame *f, uintptr_t sp,
    uintptr_t landing_pad)
{
	uintptr_t mark = (landing_pad | 1) << FRAME_SP_BITS;
	struct frame *kept = f, *g;
	uintptr_t added;

	for (g = f; g > t->frames && frame_sp(g - 1) == sp; g--)
		if ((g[-1].sp ^ mark) >> FRAME_SP_BITS == 0)
			kept = g;
	if (kept < f) {
		added = function_of(t, kept);
		for (g = kept; g - t->frames > 1 && frame_sp(g - 2) == sp; g--)
			if (function_of(t, g - 1) == added)
				kept = g - 1;
	}
	if (kept > t->frames && frame_sp(kept - 1) == sp)
		kept[-1].sp = sp | mark | (kept[-1].sp & FRAME_NO_NODE);
	return kept;
}

static void
unwind(uintptr_t sp, uintptr_t here, uintptr_t landing_pad)
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
	if (landing_pad != 0)
		f = leave_inlined(t, f, sp, landing_pad);
	/*
	 * A function that calls setjmp is not inlined: of several frames with
	 * its stack pointer, the outermost one remains.
	 */
	while (landing_pad == 0 && f - t->frames > 1 &&
	    frame_sp(f - 1) == sp && frame_sp(f - 2) == sp)
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
		unwind(decode_sp(env), HERE(), 0);
	(*real)(env, value);
	__builtin_unreachable();
}

INTERPOSED void
longjmp(struct __jmp_buf_tag env[1], int value)
{
	jump(&real_longjmp, env, value);
}

INTERPOSED __typeof(longjmp) _longjmp __attribute__((alias("longjmp")));
INTERPOSED __typeof(longjmp) siglongjmp __attribute__((alias("longjmp")));

INTERPOSED void
__longjmp_chk(struct __jmp_buf_tag env[1], int value)
{
	jump(&real_longjmp_chk, env, value);
}

#if __GLIBC_PREREQ(2, 34)	/* earlier, most programs have no dlsym */
/* To another stack, this starts or continues a coroutine: see CAVEATS. */
INTERPOSED int
setcontext(const ucontext_t *context)
{
	uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];

	if (real_setcontext == NULL)
		find_originals();
	if (sp > HERE())
		unwind(sp, HERE(), 0);
	return real_setcontext(context);
}

/*
 * Weak, because a static program gets the unwinder's own object file, which
 * defines it too.  A program without an unwinder may load plugins that bring
 * their own, even different ones: then the caller's is looked up each time.
 */
INTERPOSED void
_Unwind_SetIP(struct _Unwind_Context *context, _Unwind_Word landing_pad)
{
	__typeof(_Unwind_SetIP) *set_ip;
	__typeof(_Unwind_GetCFA) *get_cfa = _Unwind_GetCFA;
	__typeof(dlopen) *open;
	Dl_info caller;
	void *library;

	if (real_longjmp == NULL)
		find_originals();
	set_ip = real_set_ip;
	if (set_ip == NULL) {
		/* A static link warns of any reference to dlopen. */
		open = dlsym(RTLD_DEFAULT, "dlopen");
		dladdr(__builtin_return_address(0), &caller);
		library = open(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
		set_ip = dlsym(library, "_Unwind_SetIP");
		get_cfa = dlsym(library, "_Unwind_GetCFA");
		dlclose(library);
	}
	unwind(get_cfa(context), HERE(), landing_pad);
	set_ip(context, landing_pad);
}

/* The linker calls this one in a program linked with --wrap=_Unwind_SetIP. */
EXPORT __typeof(_Unwind_SetIP) __wrap__Unwind_SetIP
    __attribute__((alias("_Unwind_SetIP")));
#endif

/*
 * vfork() suspends the parent until the child executes another program or
 * exits.  Meanwhile the child runs in the parent's memory: on its stack, and
 * with its call tree.  The last of the child's calls (execve or _exit) never
 * returns.  Since the child overwrites the program's stack, the return address
 * is kept in a register.
 */
__attribute__((used)) int
vfork_after(long result)
{
	/* There, the caller continues. */
	unwind(HERE() + 2 * sizeof(void *), 0, 0);
	if (result >= 0)
		return (int)result;
	errno = (int)-result;
	return -1;
}

__asm__ (
    ".text\n"
    ".weak vfork\n"
    ".type vfork, @function\n"
    "vfork:\n"
    "	popq %rdi\n"			/* the return address */
    "	movl $58, %eax\n"		/* SYS_vfork */
    "	syscall\n"
    "	pushq %rdi\n"
    "	movq %rax, %rdi\n"
    "	testq %rax, %rax\n"
    "	jne vfork_after\n"
    "	ret\n"				/* in the child */
    ".size vfork, . - vfork\n");
