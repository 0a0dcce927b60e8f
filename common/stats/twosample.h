#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * The comparison of two samples: by ranks, which see most of the values, and by
 * their slow values, of which a median sees nothing until they are half.  With
 * `more` set, more is better, and what is slow is small.
 */
struct twosample {
	double before, after;	/* medians */
	double mean_before, mean_after;
	double u;		/* Mann-Whitney: how many pairs are greater
				   after than before, equal ones half */
	double p_ranks;		/* two-sided */

	double limit;		/* slow values are beyond it */
	size_t slow_before, slow_after;
	double p_slow;		/* that they are so divided by chance */
	double excess;		/* by how much of the median of all the slow
				   values move the mean; may be infinite */
	double p;		/* of both tests */

	double shift, low, high;	/* Hodges-Lehmann, and its 95 %
					   interval */
	size_t stride;		/* the shift is from every stride-th value */
	double phi;		/* autocorrelation of the first values of both
				   sides; 0 if it may be due to chance */
};

/* Shares of p: both tests together are wrong as often as one with all of it. */
#define TWOSAMPLE_RANKS 1.25
#define TWOSAMPLE_SLOW	5.0

/* More pairs than this are thinned for the shift. */
enum { TWOSAMPLE_PAIRS_MAX = 1000000 };

/*
 * Compares values in the order of time, m > 0 before and n > 0 after.  Both
 * arrays are sorted.
 */
void twosample_compare(struct twosample *, double *before, size_t m,
    double *after, size_t n, bool more);

/* Sets only the shift and its interval. */
void twosample_find_shift(struct twosample *, const double *before, size_t m,
    const double *after, size_t n);

/* The least p of m and n values. */
double twosample_least_p(size_t m, size_t n);

/*
 * The smallest effect, a ratio, that would have been found among so many keys
 * with a probability of 80 %, from values in order; NAN if there is none.
 */
double twosample_visible(const double *before, size_t m, const double *after,
    size_t n, double effect, size_t keys);
