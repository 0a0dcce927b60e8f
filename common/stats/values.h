#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/heap.h"

/*
 * Order statistics of values, none of which is NaN.
 */

/* Converts a value to a number that sorts as it does, and back. */
uint64_t values_to_key(double);
double values_from_key(uint64_t key);

/* Sorts in ascending order, many values in linear time. */
void values_sort(double *, size_t n);

/* The median of n > 0 sorted values. */
double values_median_sorted(const double *sorted, size_t n);

/* The median of n > 0 values in any order; room has space for n values. */
double values_median(const double *values, size_t n, double *room);

/*
 * The autocorrelation, with lag 1, of the ranks of n residuals; NAN if all are
 * equal.  Residuals are equal if each is at most `tiny` above the one before it
 * in order.  The pair around `seam` does not count; 0: all do.  sorted and
 * ranks have room for n values.
 */
double values_autocorrelation(const double *residuals, size_t n, size_t seam,
    double tiny, double *sorted, double *ranks);

/*
 * The median of values that are added one by one, none of which is negative.
 * running_begin() begins with { 0 } or what was used before.
 */
struct running {
	struct heap low, high;		/* up to the median, and above it */
	double sum_low, sum_high;
};

void running_begin(struct running *);
void running_add(struct running *, double);
double running_median(const struct running *);

/* The sum of the distances of all values from their median. */
double running_deviation(const struct running *);
void running_release(struct running *);
