#ifndef WEIR_INSTRUMENT_EMIT_H
#define WEIR_INSTRUMENT_EMIT_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

struct out;

void emit_init(void);
void emit_fork(void);

/*
 * Sends what has been counted since the last emission, and the marks.  Locks
 * the link; returns if link_lock() fails.  Stops early if nothing can be sent
 * for stall_timeout_ns, or if sending takes TOTAL_TIMEOUT_FACTOR times as long;
 * INT64_MAX means no limit.  Sends nothing after the final emission.
 */
void emit(int64_t stall_timeout_ns, bool is_final);

/*
 * Writes the modules that are ELF files, from index first on.  Flushes the
 * buffer when it is full, and stops if that fails.  Returns the index from
 * which on modules are still to be written: threads may add modules meanwhile.
 */
int emit_modules(struct out *, int first, int64_t stall_timeout_ns);

#pragma GCC visibility pop

#endif
