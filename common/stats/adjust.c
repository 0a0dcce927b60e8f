/* adjust - adjustments of p for many tests */

#include <math.h>

#include "common/stats/adjust.h"

void
adjust_holm(const double *p, size_t n, double *q)
{
	double greatest = 0;

	for (size_t i = 0; i < n; i++) {
		greatest = fmax(greatest, fmin(1, (double)(n - i) * p[i]));
		q[i] = greatest;
	}
}

void
adjust_benjamini_hochberg(const double *p, size_t n, double *q)
{
	double least = 1;

	for (size_t i = n; i-- > 0;) {
		least = fmin(least, p[i] * (double)n / (double)(i + 1));
		q[i] = least;
	}
}
