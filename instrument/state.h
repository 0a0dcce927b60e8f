#ifndef WEIR_INSTRUMENT_STATE_H
#define WEIR_INSTRUMENT_STATE_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

/* Read from the environment by state_init(), and constant from then on. */
struct settings {
	bool timed, sampled;
	bool is_slow;			/* timed or sampled */
	bool fold_recursion;		/* see find_folded() in tree.c */
	uint64_t max_nodes;
	const char *socket_name;	/* see layout.h; NULL: no wrapper */
};
extern struct settings settings;

/*
 * Set if there is no wrapper or the instrument gives up, and never cleared:
 * nothing is counted any more.
 */
extern bool dormant;

/*
 * Hooks return at once unless is_on, or !is_started.  If state_wipe_on_fork()
 * has returned true, the kernel clears both in every child process that gets a
 * copy of the memory, whichever way the child was made.  The kernel clears
 * whole pages, so this structure fills one.  A child that shares the memory, as
 * after vfork(), shares these members too.
 */
extern struct counting {
	bool is_on;
	bool is_started;	/* the initialization is complete */
	char rest_of_page[4094];
} counting;
extern bool is_confined;	/* make no system calls, see seccomp.c */
extern int own_pid;		/* of the process that owns this state */

void state_init(void);
bool state_wipe_on_fork(void);
void state_give_up(void);	/* sets dormant and clears counting.is_on */
void state_fork(void);

/*
 * False in a child made by vfork() or clone(): such a child shares or copies
 * this state, but no fork handler has run in it.
 */
bool state_is_ours(void);

#pragma GCC visibility pop

#endif
