#ifndef WEIR_INSTRUMENT_HOOKS_H
#define WEIR_INSTRUMENT_HOOKS_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

struct thread;

EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

/*
 * Finds out whether the program calls this copy's hooks, and returns what
 * start_once() returns.
 */
bool hooks_start(void);

/*
 * Drops the given frame and all inner calls from the shadow stack, as if they
 * had returned.  If the frame is t->top, drops only the calls without a frame.
 */
void hooks_unwind_to(struct thread *, struct frame *);

#pragma GCC visibility pop

#endif
