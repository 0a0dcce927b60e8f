/*
 * calibrate - measures what the hooks add to the time that they measure
 *
 * A hook usually reads the time-stamp counter once.  An interval, from one
 * reading to the next, contains the end of one hook, the work of a function,
 * and the beginning of the next hook.  Fences keep the processor from executing
 * these three parts at the same time.  So the hooks add the same time to each
 * interval: the length of an interval without any work, which is measured here.
 */

#include "instrument/hooks.h"
#include "instrument/instrument.h"
#include "instrument/shared.h"
#include "instrument/state.h"
#include "instrument/sys.h"
#include "instrument/thread.h"
#include "instrument/tree.h"

/* Rounds, calls in a round, and frames of the shadow stack. */
enum { ROUNDS = 20, CALLS = 256, FRAMES = 16 };

/* Called through pointers: a program's calls of the hooks are not inlined. */
static __typeof__(__cyg_profile_func_enter) *volatile enter =
    __cyg_profile_func_enter;
static __typeof__(__cyg_profile_func_exit) *volatile leave =
    __cyg_profile_func_exit;

/* Any two addresses in one module, here in the instrument's own code. */
static char *const caller = (char *)hooks_start;
static char *const callee = (char *)hooks_start + 1;

/* Takes the fastest of the rounds, which probably no interrupt has delayed. */
static void
measure(void)
{
	uint64_t min = UINT64_MAX, start, elapsed;

	enter(caller, caller);
	for (int round = 0; round < ROUNDS; round++) {
		start = ticks();
		for (int i = 0; i < CALLS; i++) {
			enter(callee, caller);
			leave(callee, caller);
		}
		elapsed = ticks() - start;
		min = elapsed < min ? elapsed : min;
	}
	leave(caller, caller);
	/* Each call has two intervals: one inside it and one after it. */
	shared->probe_ticks = min * PROBE_SCALE / (2 * CALLS);
}

/*
 * Measures in a tree of its own, in which the hooks find all calls, and with
 * signals blocked, because their handlers may call hooks.
 */
static void
calibrate(void)
{
	size_t size = sizeof(struct thread) + FRAMES * sizeof(struct frame);
	struct thread *t = sys_map(size), *saved = self;
	struct node outer = nil_node, inner = nil_node;
	uint64_t mask;

	if (t == NULL)
		return;
	mask = sys_block_signals();
	t->frames = (struct frame *)(void *)(t + 1);
	t->frames_end = t->frames + FRAMES;
	tree_reset(t);
	outer.function = outer.call_site = (uintptr_t)caller;
	inner.function = (uintptr_t)callee;
	inner.call_site = (uintptr_t)caller;
	t->root.last_child = &outer;
	outer.last_child = &inner;
	t->last_ticks = ticks();
	self = t;
	measure();
	self = saved;
	sys_restore_signals(mask);
	sys_unmap(t, size);
}

/* Priority 101 is before the program's own constructors. */
static __attribute__((constructor(101))) void
start_at_load(void)
{
	if (hooks_start() && counting.is_on && settings.timed)
		calibrate();
}
