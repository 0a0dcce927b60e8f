#pragma once

#include <stdint.h>

struct buf;

/*
 * The time between two ticks of an axis for wall_us > 0: round, and such that
 * there are 4 to 10 ticks.
 */
int64_t axis_step(int64_t wall_us);

/* Writes the label of a tick; all of an axis have the same unit. */
void axis_label(struct buf *, int64_t us, int64_t wall_us);
