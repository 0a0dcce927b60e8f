#ifndef PERF_DIFF_UNITS_H
#define PERF_DIFF_UNITS_H

#include <stdbool.h>

#include "common/base/buf.h"

/* What a unit means.  An unknown one is its own base. */
struct unit {
	double times, per;	/* it is times / per of the base; integers, so
				   that conversions are rounded once */
	bool is_time;		/* the base is a second */
	bool is_rate;		/* per time: more is better */
};

/*
 * Reads a unit, such as "ms", "KiB", "ops / ms" or "qps".  Appends its base to
 * the buffer: units with the same base are of one dimension, and values in one
 * can be converted to the other.
 */
struct unit unit_read(struct span text, struct buf *base);

#endif
