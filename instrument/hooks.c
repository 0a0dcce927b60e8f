/*
 * hooks - a call and a return
 *
 * Each call finds its node among the current node's children: it is the one
 * called last, or the one that followed it last time, or tree.c finds it.
 *
 * The frame is complete whenever a signal comes: its caller is written before
 * the new top, for what a handler writes there is the same; its stack pointer
 * after it, for a handler would write another.
 */

#include "instrument/instrument.h"

/* The caller's stack pointer, at the call of the hook. */
#ifdef __clang__
#define CALLERS_SP() ((uintptr_t)__builtin_frame_address(0) + 16)
#else
#define CALLERS_SP() ((uintptr_t)__builtin_dwarf_cfa())
#endif

/* What __cyg_profile_func_enter is here, whatever it is elsewhere. */
static __typeof__(__cyg_profile_func_enter) hook_enter
    __attribute__((alias("__cyg_profile_func_enter")));

static inline void
push(struct thread *t, struct node *caller, struct node *n, uintptr_t sp)
{
	struct frame *f = t->top;

	f->caller = caller;
	BARRIER();
	t->top = f + 1;
	BARRIER();
	f->sp = sp;
	BARRIER();
	t->current = n;
}

/*
 * Of two copies of the instrument, in a program and in a library of it, only
 * that whose hooks are called is of use.
 */
bool
hooks_start(void)
{
	__typeof__(__cyg_profile_func_enter) *ours = hook_enter;

	/* Keeps the compiler from taking the alias for the same function. */
	__asm__ ("" : "+r" (ours));
	return start_once(__cyg_profile_func_enter == ours);
}

static __attribute__((constructor(101))) void
begin(void)
{
	hooks_start();
}

/*
 * There is no room for a node, or for a frame: this call, and those that it
 * makes, count where the last one did that had both.
 */
static void
count_overflow(struct thread *t)
{
	if (t->current != &t->overflow)
		t->overflow_target = t->current;
	local_add(&t->limited_calls, 1);
	local_add(&t->overflow_target->calls, 1);
}

static __attribute__((noinline)) void
enter_without_frame(struct thread *t)
{
	count_overflow(t);
	t->n_frameless++;
	BARRIER();
	t->current = &t->overflow;
}

static __attribute__((noinline)) void
enter_slowly(struct thread *t, struct node *caller, struct node *last,
    uintptr_t function, uintptr_t call_site, uintptr_t sp)
{
	struct node *n;

	n = caller == &t->overflow ? NULL :
	    tree_find_or_add(t, caller, function, call_site);
	if (n == NULL) {
		count_overflow(t);
		push(t, caller, &t->overflow, sp | FRAME_LIMITED);
		return;
	}
	if (last != &nil_node)
		last->successor = n;
	caller->last_child = n;
	local_add(&n->calls, 1);
	push(t, caller, n, sp);
}

static inline __attribute__((always_inline)) void
enter(struct thread *t, uintptr_t function, uintptr_t call_site, uintptr_t sp)
{
	struct node *caller, *last, *n;

	if (UNLIKELY(settings.timed))
		account_time(t);
	if (UNLIKELY(t->top == t->frames_end)) {
		enter_without_frame(t);
		return;
	}
	caller = t->current;
	n = last = caller->last_child;
	if (n->function != function || n->call_site != call_site) {
		n = last->successor;
		if (UNLIKELY(n->function != function ||
		    n->call_site != call_site || n->parent != caller)) {
			enter_slowly(t, caller, last, function, call_site, sp);
			return;
		}
		caller->last_child = n;
	}
	local_add(&n->calls, 1);
	push(t, caller, n, sp);
}

/* Apart, so that the usual way has no registers to save. */
static __attribute__((noinline)) void
enter_first(uintptr_t function, uintptr_t call_site, uintptr_t sp)
{
	struct thread *t = hooks_start() ? thread_begin() : NULL;

	if (t != NULL)
		enter(t, function, call_site, sp);
}

EXPORT void
__cyg_profile_func_enter(void *function, void *call_site)
{
	struct thread *t;

	if (LIKELY(dormant))
		return;
	t = self;
	if (UNLIKELY(t == NULL))
		enter_first((uintptr_t)function, (uintptr_t)call_site,
		    CALLERS_SP());
	else
		enter(t, (uintptr_t)function, (uintptr_t)call_site,
		    CALLERS_SP());
}

void
hooks_unwind_to(struct thread *t, struct frame *to)
{
	struct node *n = to < t->top ? to->caller : t->overflow_target;

	if (t->current == &t->overflow && n != &t->overflow) {
		local_add(&t->overflow_target->self_ticks,
		    t->overflow.self_ticks);
		t->overflow.self_ticks = 0;
	}
	t->n_frameless = 0;
	t->current = n;
	BARRIER();
	t->top = to;
}

/* A call without a frame of its own; false if all of them have returned. */
static bool
leave_overflow(struct thread *t, uintptr_t sp)
{
	struct frame *last = t->top - 1;

	if (t->current != &t->overflow)
		return false;
	if (t->n_frameless > 0 && sp <= frame_sp(last)) {
		if (--t->n_frameless == 0 && !(last->sp & FRAME_LIMITED))
			hooks_unwind_to(t, t->top);
		return true;
	}
	t->n_frameless = 0;
	if (!(last->sp & FRAME_LIMITED))
		hooks_unwind_to(t, t->top);
	return false;
}

/*
 * The return is not that of the current node: that has no frame or no node of
 * its own, or returns were missed (coroutines, an exception in code that was
 * not compiled for them).  The latter are made up for.  A return without a
 * call is ignored.
 */
static __attribute__((noinline)) void
exit_slowly(struct thread *t, uintptr_t function, uintptr_t sp)
{
	struct frame *f = t->top;
	struct node *n;

	if (leave_overflow(t, sp))
		return;
	for (n = t->current; f > t->frames; n = (--f)->caller)
		if (n->function == function || (f[-1].sp & FRAME_LIMITED)) {
			hooks_unwind_to(t, f - 1);
			return;
		}
}

EXPORT void
__cyg_profile_func_exit(void *function, void *call_site)
{
	struct thread *t;

	(void)call_site;
	if (LIKELY(dormant))
		return;
	t = self;
	if (UNLIKELY(t == NULL))
		return;
	if (UNLIKELY(settings.timed))
		account_time(t);
	if (UNLIKELY(t->current->function != (uintptr_t)function)) {
		exit_slowly(t, (uintptr_t)function, CALLERS_SP());
		return;
	}
	t->current = t->top[-1].caller;
	BARRIER();
	t->top--;
}
