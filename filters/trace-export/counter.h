#pragma once

#include <stddef.h>

#include "filters/trace-export/document.h"
#include "filters/trace-export/view.h"

/*
 * How many tasks run at a time, by kind: the counter "running" of a process.
 * Calls are not counted, since they contain other tasks.
 */

/*
 * Writes the counter of n slices, unless d is NULL, and returns the number of
 * its events.  If n_parts is not 0, the time is divided into at most that many
 * parts, and each value is the mean over one of them.
 */
size_t counter_write(struct document *, const struct view *,
    const struct slice *, size_t n, uint64_t pid, size_t n_parts);
