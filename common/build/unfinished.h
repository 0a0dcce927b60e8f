#ifndef WEIR_UNFINISHED_H
#define WEIR_UNFINISHED_H

#include "common/build/build.h"

struct filter;

/*
 * The tasks that started, but have no end in the log (task_is_unfinished()),
 * the one that started first first.  build_resolve_attempts() must have been
 * called.
 */

/* Emits an `unfinished` record for each. */
void unfinished_emit(const struct build *, struct filter *);

/* Writes a sentence, which names three, and a blank line; or nothing. */
void unfinished_report(const struct build *, struct buf *);

#endif
