#ifndef WEIR_TWOSAMPLE_H
#define WEIR_TWOSAMPLE_H

#include <stddef.h>

/* The comparison of two samples, by ranks. */
struct twosample {
	double before, after;	/* medians */
	double u;		/* Mann-Whitney: how many pairs are greater
				   after than before, equal ones half */
	double p;		/* two-sided */
	double shift, low, high;	/* Hodges-Lehmann, and its 95 %
					   interval */
	size_t stride;		/* the shift is from every stride-th value */
	double spread;		/* an estimate of the standard deviation that
				   outliers do not affect: TWOSAMPLE_MAD_TO_SD
				   times the median of the distances from the
				   median of the side */
};

/*
 * The standard deviation of normal values, divided by the median of their
 * distances from the median.
 */
#define TWOSAMPLE_MAD_TO_SD 1.4826

/* More pairs than this are thinned for the shift. */
enum { TWOSAMPLE_PAIRS_MAX = 1000000 };

/*
 * Compares values in the order of time, m > 0 before and n > 0 after.  Both
 * arrays are sorted.
 */
void twosample_compare(struct twosample *, double *before, size_t m,
    double *after, size_t n);

/*
 * The smallest shift, in units of the spread, that a test which reports beyond
 * z would have found with a probability of 80 %.  Infinite if it would find
 * none.
 */
double twosample_visible(size_t m, size_t n, double z);

#endif
