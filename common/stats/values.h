#ifndef WEIR_VALUES_H
#define WEIR_VALUES_H

#include <stddef.h>
#include <stdint.h>

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
 * Sets order to the positions of the values in ascending order of the values;
 * equal values keep their order.
 */
void values_order(const double *values, size_t n, size_t *order);

/*
 * Sets ranks to the ranks from 1, where equal values share the mean of their
 * ranks (midranks).  order has room for n positions.
 */
void values_midranks(const double *values, size_t n, size_t *order,
    double *ranks);

#endif
