#ifndef WEIR_INSTRUMENT_THREAD_H
#define WEIR_INSTRUMENT_THREAD_H

#include "instrument/instrument.h"
#include "instrument/state.h"
#include "instrument/tree.h"

#pragma GCC visibility push(hidden)

extern __thread struct thread *self;	/* NULL until thread_begin() */

/* The current node or, while the overflow node is current, its target. */
static inline struct node *
thread_node(const struct thread *t)
{
	struct node *n = __atomic_load_n(&t->current, __ATOMIC_RELAXED);

	return n == &t->overflow ? t->overflow_target : n;
}

/* Shows the wrapper, which samples the thread, the current node. */
static inline void
thread_publish(struct thread *t)
{
	if (t->published != NULL)
		__atomic_store_n(&t->published->current, thread_node(t),
		    __ATOMIC_RELAXED);
}

/*
 * Adds the time off the CPU since its last call to the current node, and drops
 * the time that this takes.
 */
void thread_count_off(struct thread *);

/*
 * A thread that loses the CPU, because it waits or another one runs, rarely
 * gets it back sooner than after this time, 20 to 30 us.  So only after longer
 * intervals is the time on the CPU asked for, which takes two system calls.
 */
enum { OFF_TICKS = 1 << 16 };

/*
 * Adds the time since the last entry or exit to the current node.  If a signal
 * handler interrupts this and calls hooks, the first of these hooks has added
 * that time already.  Then the exchange fails, and the time since the last of
 * them is added at the next entry or exit.
 */
static inline void
account_time(struct thread *t)
{
	uint64_t then = t->last_ticks, now = ticks();

	if (local_compare_exchange(&t->last_ticks, &then, now) && now > then) {
		local_add(&t->current->self_ticks, now - then);
		if (UNLIKELY(now - then > OFF_TICKS))
			thread_count_off(t);
	}
}

/*
 * Drops the time since the last entry or exit.  A hook calls it if it has taken
 * a slow path, the cost of which calibrate.c does not measure.
 */
static inline void
skip_time(struct thread *t)
{
	if (settings.timed)
		t->last_ticks = ticks();
}

void thread_init(void);		/* once, before the first thread_begin() */
void thread_fork(void);

/*
 * Registers the calling thread and sets self.  Returns NULL if its calls are
 * not to be counted.
 */
struct thread *thread_begin(void);

/*
 * Makes the shadow stack larger.  Returns false if there is no memory.  A
 * thread that needs this may be in an endless recursion.  So it gets an
 * alternate signal stack, on which crash.c can report that the thread's own
 * stack has overflowed, unless the program uses such stacks.
 */
bool thread_extend(struct thread *);
extern bool has_onstack_handler;	/* the program has a SA_ONSTACK one */

/* Removes that alternate stack from the calling thread, whose struct it is. */
void thread_unset_altstack(const struct thread *);

#pragma GCC visibility pop

#endif
