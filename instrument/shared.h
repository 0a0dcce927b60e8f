#ifndef WEIR_INSTRUMENT_SHARED_H
#define WEIR_INSTRUMENT_SHARED_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

extern struct shared *shared;	/* not NULL if calls are counted */
extern int shared_fd;		/* to be sent to the wrapper, or -1 */

/* Both functions allocate new memory, and return false if there is none. */
bool shared_init(void);
bool shared_fork(void);
void shared_close_fd(void);

/*
 * In a forked child that cannot be recorded: counts it in its parent's memory,
 * where the wrapper sees it, and keeps that memory for its own children.
 * parents is NULL if the parent is such a child itself.
 */
void shared_lose_process(struct shared *parents);

/*
 * Maps all that may ever be needed, for a process that is about to forbid
 * itself system calls.
 */
void shared_map_all(void);

/* Returns zeroed memory for nodes, or NULL if none is left. */
struct slab *shared_new_slab(void);

#pragma GCC visibility pop

#endif
