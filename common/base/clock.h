#pragma once

#include <stdint.h>
#include <time.h>

/* The time of a clock, such as CLOCK_MONOTONIC, in nanoseconds. */
static inline int64_t
clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
