#pragma once

#include <stddef.h>

/*
 * The test of Mann and Whitney, two-sided: of a points and b others, u of the
 * a b pairs are the wrong way round, equal ones half.
 */

/*
 * Counts the orders of all points in which at most ceil(u) pairs are the wrong
 * way round, for u <= a b / 2: exact if no points are equal, else never less
 * than that.  Takes time and memory in proportion to min(a, b) u.
 */
double ranks_counted_p(size_t a, size_t b, double u);

/* The least p that b of n points can have: 2 / (the ways to choose them). */
double ranks_least_p(size_t n, size_t b);
