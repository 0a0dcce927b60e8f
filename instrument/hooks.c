/*
 * hooks - what each function calls at its entry and its exit
 *
 * The entry hook finds the node of a call among the children of the current
 * node.  One of two guesses is usually right: the node of the caller's previous
 * call (a function called in a loop), or the node that came after that one last
 * time (a sequence of calls).  Otherwise tree.c searches.
 *
 * The shadow stack of a thread has a frame for each call that has not returned.
 * The order of the stores in push() lets a signal handler that calls hooks come
 * between any two of them.  f->caller is stored before t->top: a handler that
 * pushes its own frame there stores the same value, since the current node is
 * still the caller.  f->sp is stored after t->top: otherwise such a handler
 * would overwrite it with its own stack pointer.
 *
 * The overflow node.  A call has a node and a frame, except if the limit of
 * nodes is reached, memory is short or the shadow stack is full.  Then the call
 * overflows, but is not lost: it is counted at the overflow target, which is
 * the node of the innermost caller that has both a node and a frame.  Until the
 * call returns, the thread's overflow node is current.  This is a sentinel: it
 * matches no function and has no children, so all calls and returns miss on the
 * hot path and are handled by the slow path.  The time of the overflow node is
 * added to that of the target when the target becomes current again.  For
 * example, with a limit of two nodes:
 *
 *	main -> f -> g -> h	main and f have nodes
 *
 * g and h are counted as two more calls of f.  A call without a node still has
 * a frame, which is marked with FRAME_NO_NODE, so that its return is
 * recognized.  If the shadow stack is full, a call has no frame either: only
 * the number of such calls is known (n_frameless), and each of their returns
 * decrements it.  All calls inside an overflowing call overflow as well.
 */

#include "instrument/hooks.h"
#include "instrument/instrument.h"
#include "instrument/shared.h"
#include "instrument/start.h"
#include "instrument/state.h"
#include "instrument/thread.h"
#include "instrument/tree.h"

/* The stack pointer of the function that calls the hook, before that call. */
#ifdef __clang__
#define CALLERS_SP() ((uintptr_t)__builtin_frame_address(0) + 16)
#else
#define CALLERS_SP() ((uintptr_t)__builtin_dwarf_cfa())
#endif

/*
 * Always this copy's hook.  The exported name may be bound to that of another
 * copy of the instrument, see hooks_start().
 */
static __typeof__(__cyg_profile_func_enter) hook_enter
    __attribute__((alias("__cyg_profile_func_enter")));

/* Pushes a frame and makes n the current node; see above for the order. */
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
 * A program and a library that it loads may each contain a copy of the
 * instrument.  The dynamic linker selects one copy's hooks for both; the other
 * copy must stay dormant.
 */
bool
hooks_start(void)
{
	__typeof__(__cyg_profile_func_enter) *ours = hook_enter;

	/* Else the compiler assumes that the names mean the same function. */
	__asm__ ("" : "+r" (ours));
	return start_once(__cyg_profile_func_enter == ours);
}

static void
count_overflow(struct thread *t)
{
	if (t->current != &t->overflow)
		t->overflow_target = t->current;
	if (t->slab != NULL)
		local_add(&t->slab->overflow_calls, 1);
	local_add(&t->overflow_target->calls, 1);
}

static __attribute__((noinline)) void
enter_slowly(struct thread *t, struct node *caller, struct node *last,
    uintptr_t function, uintptr_t call_site, uintptr_t sp)
{
	struct node *n;

	if (UNLIKELY(shared->is_abandoned)) {
		state_give_up();
		return;
	}
	n = caller == &t->overflow ? NULL :
	    tree_find_or_add(t, caller, function, call_site);
	if (n == NULL) {
		count_overflow(t);
		push(t, caller, &t->overflow, sp | FRAME_NO_NODE);
		skip_time(t);
		return;
	}
	if (last != &nil_node)
		last->successor = n;
	caller->last_child = n;
	local_add(&n->calls, 1);
	push(t, caller, n, sp);
	skip_time(t);
}

/* The shadow stack is full. */
static __attribute__((noinline)) void
enter_when_full(struct thread *t, uintptr_t function, uintptr_t call_site,
    uintptr_t sp)
{
	struct node *caller = t->current;

	if (thread_extend(t)) {
		enter_slowly(t, caller, caller->last_child, function,
		    call_site, sp);
		return;
	}
	count_overflow(t);
	t->n_frameless++;
	BARRIER();
	t->current = &t->overflow;
}

static inline __attribute__((always_inline)) void
enter(struct thread *t, uintptr_t function, uintptr_t call_site, uintptr_t sp)
{
	struct node *caller, *last, *n;

	if (UNLIKELY(t->top == t->frames_end)) {
		enter_when_full(t, function, call_site, sp);
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

static inline void
begin_slow(struct thread *t)
{
	if (settings.timed) {
		fence();
		account_time(t);
	}
}

static inline void
end_slow(struct thread *t)
{
	thread_publish(t);
	if (settings.timed)
		fence();
}

/* The following two are not inlined, so that the hot path has no registers to
   save. */

static __attribute__((noinline)) void
enter_slow(struct thread *t, uintptr_t function, uintptr_t call_site,
    uintptr_t sp)
{
	begin_slow(t);
	enter(t, function, call_site, sp);
	end_slow(t);
}

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

	if (LIKELY(!counting.is_on)) {
		if (UNLIKELY(!counting.is_started))
			enter_first((uintptr_t)function, (uintptr_t)call_site,
			    CALLERS_SP());
		return;
	}
	t = self;
	if (UNLIKELY(t == NULL))
		enter_first((uintptr_t)function, (uintptr_t)call_site,
		    CALLERS_SP());
	else if (UNLIKELY(settings.is_slow))
		enter_slow(t, (uintptr_t)function, (uintptr_t)call_site,
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
		if (settings.timed)
			local_add(&t->overflow_target->off_ns,
			    t->overflow.off_ns);
		t->overflow.off_ns = 0;
	}
	t->n_frameless = 0;
	t->current = n;
	BARRIER();
	t->top = to;
	thread_publish(t);
}

/*
 * If the return at this stack pointer is that of a call without a frame,
 * handles it and returns true.  Such a call is deeper in the program's stack
 * than the innermost call with a frame, or as deep if it was inlined.  A return
 * from further up shows that the returns of all calls without a frame were
 * missed, so these calls are dropped.
 */
static bool
leave_overflow(struct thread *t, uintptr_t sp)
{
	struct frame *innermost = t->top - 1;

	if (t->current != &t->overflow)
		return false;
	if (t->n_frameless > 0 && sp <= frame_sp(innermost)) {
		if (--t->n_frameless == 0 && !(innermost->sp & FRAME_NO_NODE))
			hooks_unwind_to(t, t->top);
		return true;
	}
	t->n_frameless = 0;
	if (!(innermost->sp & FRAME_NO_NODE))
		hooks_unwind_to(t, t->top);
	return false;
}

/*
 * Called if the function that returns is not that of the current node.  Either
 * the call has overflowed, or the returns of inner calls were missed (because
 * of coroutines, or in a way that jump.c does not see): then the inner calls
 * are dropped together with the one that returns.  A return without a call is
 * ignored.
 */
static __attribute__((noinline)) void
exit_slowly(struct thread *t, uintptr_t function, uintptr_t sp)
{
	struct frame *f = t->top;
	struct node *n;

	if (!leave_overflow(t, sp)) {
		for (n = t->current; f > t->frames; n = (--f)->caller)
			if (n->function == function ||
			    (f[-1].sp & FRAME_NO_NODE))
				break;
		shared->is_misplaced |= f > t->frames && f < t->top;
		if (f > t->frames)
			hooks_unwind_to(t, f - 1);
	}
	skip_time(t);
}

static inline __attribute__((always_inline)) void
leave(struct thread *t, uintptr_t function, uintptr_t sp)
{
	if (UNLIKELY(t->current->function != function)) {
		exit_slowly(t, function, sp);
		return;
	}
	t->current = t->top[-1].caller;
	BARRIER();
	t->top--;
}

static __attribute__((noinline)) void
leave_slow(struct thread *t, uintptr_t function, uintptr_t sp)
{
	begin_slow(t);
	leave(t, function, sp);
	end_slow(t);
}

/* In a child that fork() has not made: it returns before its first call. */
static __attribute__((noinline)) void
leave_first(uintptr_t function, uintptr_t sp)
{
	/* Before hooks_start() has returned true, there may be no self. */
	if (hooks_start() && counting.is_on && self != NULL)
		leave(self, function, sp);
}

EXPORT void
__cyg_profile_func_exit(void *function, void *call_site)
{
	struct thread *t;

	(void)call_site;
	if (LIKELY(!counting.is_on)) {
		if (UNLIKELY(!counting.is_started))
			leave_first((uintptr_t)function, CALLERS_SP());
		return;
	}
	t = self;
	if (UNLIKELY(t == NULL))
		return;
	if (UNLIKELY(settings.is_slow))
		leave_slow(t, (uintptr_t)function, CALLERS_SP());
	else
		leave(t, (uintptr_t)function, CALLERS_SP());
}
