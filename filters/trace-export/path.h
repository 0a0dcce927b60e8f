#pragma once

#include "filters/trace-export/tasks.h"

/*
 * Writes the steps of the critical path once more, in a lane of their own.  A
 * step that overlaps the next one ends where that one starts.
 */
void path_write_lane(const struct tasks *, struct place);

/*
 * Writes an arrow from each step to the next, in the lanes of their hosts.
 * There is none to a step that starts before the end of the one before it, or
 * between tasks that took no time.  Returns the number of arrows; their ids
 * are first_id and those that follow.
 */
uint64_t path_write_arrows(const struct tasks *, uint64_t first_id);
