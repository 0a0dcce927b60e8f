#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"

/* What a unit means.  An unknown one is its own base. */
struct unit {
	double times, per;	/* it is times / per of the base; integers, so
				   that conversions are rounded once */
	bool is_time;		/* the base is a second, or seconds for each */
	bool is_rate;		/* per time: more is better */
	size_t shown;		/* bytes of its text: not "/op" */
};

/*
 * Reads a unit, such as "ms", "KiB", "ops / ms", "ns/op" or "qps".  Appends its
 * base to the buffer: "s" for times and "B" for sizes.  Units with the same
 * base are of one dimension, and values in one can be converted to the other.
 */
struct unit unit_read(struct span text, struct buf *base);
