#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Order statistics of values, none of which is NaN.
 */

/* Sorts in ascending order, many values in linear time. */
void values_sort(double *, size_t n);

/* The median of n > 0 sorted values. */
double values_median_sorted(const double *sorted, size_t n);

/* The median of n > 0 values in any order; room has space for n values. */
double values_median(const double *values, size_t n, double *room);

/*
 * What a clock or a unit tells apart: the smallest difference of n > 0 sorted
 * values that are not equal within 1e-9 of the greatest; 0 if all are.
 */
double values_tick(const double *sorted, size_t n);

/*
 * The autocorrelation, with lag 1, of the ranks of n > 0 residuals; NAN if all
 * are equal.  Residuals are equal if each is at most `tiny` above the one
 * before it in order.  The pair around `seam` does not count; 0: all do.  keys
 * and ranks have room for n values.
 */
double values_autocorrelation(const double *residuals, size_t n, size_t seam,
    double tiny, uint64_t *keys, double *ranks);
