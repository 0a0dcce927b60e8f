/* normal - the normal distribution */

#include <math.h>

#include "common/stats/normal.h"

double
normal_upper(double z)
{
	return erfc(z * M_SQRT1_2) / 2;
}

/*
 * Newton's method.  The upper tail is convex for z > 0, so from 0 the steps
 * approach the quantile from below and never pass it; the loop ends when
 * rounding stops them.
 */
double
normal_upper_quantile(double p)
{
	const double density_at_0 = M_2_SQRTPI * M_SQRT1_2 / 2;
	double z = 0, step;

	do {
		step = (normal_upper(z) - p) /
		    (density_at_0 * exp(-z * z / 2));
		z += step;
	} while (step > 1e-14 * (1 + z));
	return z;
}
