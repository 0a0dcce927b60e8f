#pragma once

#include <stdint.h>

/* Marks an integer (a time, a size, an offset) that the input did not give. */
#define INT_UNKNOWN INT64_MIN

/* An array index that means "no element". */
#define INDEX_NONE UINT32_MAX

/* For comparison functions: < 0, 0 or > 0. */
static inline int
cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static inline int
cmp_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* How many bits hold each of the numbers 0 .. n, for n > 0. */
static inline unsigned
bits_of(uint64_t n)
{
	return 64 - (unsigned)__builtin_clzll(n);
}

/* The sum of two non-negative numbers, limited to INT64_MAX. */
static inline int64_t
saturating_add(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* A ratio limited to the range from 0 to 1; NaN becomes 0. */
static inline double
clamp01(double ratio)
{
	return ratio > 1 ? 1 : ratio > 0 ? ratio : 0;
}

/* One form of a word for one thing and another for several: "task", "tasks". */
static inline const char *
plural(uint64_t n, const char *one, const char *several)
{
	return n == 1 ? one : several;
}

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
