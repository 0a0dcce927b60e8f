#ifndef WEIR_TIMES_H
#define WEIR_TIMES_H

#include <stdint.h>

#include "common/base/num.h"

/*
 * The earlier and the later of two times.  If one is INT_UNKNOWN, the result is
 * the other one.
 */
static inline int64_t
time_earlier(int64_t a, int64_t b)
{
	return a == INT_UNKNOWN || (b != INT_UNKNOWN && b < a) ? b : a;
}

static inline int64_t
time_later(int64_t a, int64_t b)
{
	return a > b ? a : b;	/* INT_UNKNOWN is the smallest integer */
}

#endif
