/* values - order statistics */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/stats/values.h"

/*
 * Sorts the bits of the values as numbers: of a negative value all are
 * inverted, of any other only the sign bit.  Adding 0 makes -0 equal to 0.
 */
void
values_sort(double *values, size_t n)
{
	const uint64_t sign = UINT64_C(1) << 63;
	uint64_t *keys = mem_table(n, sizeof *keys), bits;
	double value;

	for (size_t i = 0; i < n; i++) {
		value = values[i] + 0.0;
		memcpy(&bits, &value, sizeof bits);
		keys[i] = (bits & sign) != 0 ? ~bits : bits | sign;
	}
	sort_u64(keys, n);
	for (size_t i = 0; i < n; i++) {
		bits = (keys[i] & sign) != 0 ? keys[i] & ~sign : ~keys[i];
		memcpy(&values[i], &bits, sizeof bits);
	}
	free(keys);
}

double
values_median_sorted(const double *sorted, size_t n)
{
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

double
values_median(const double *values, size_t n, double *room)
{
	memcpy(room, values, n * sizeof *room);
	values_sort(room, n);
	return values_median_sorted(room, n);
}

double
values_tick(const double *sorted, size_t n)
{
	double tiny = 1e-9 * fmax(fabs(sorted[0]), fabs(sorted[n - 1]));
	double least = INFINITY, d;

	for (size_t i = 1; i < n; i++) {
		d = sorted[i] - sorted[i - 1];
		if (d > tiny && d < least)
			least = d;
	}
	return isfinite(least) ? least : 0;
}

/*
 * The keys are the residuals in steps of the 2^44th part of their range, with
 * their indexes, so that one sort gives the order of both.
 */
double
values_autocorrelation(const double *residuals, size_t n, size_t seam,
    double tiny, uint64_t *keys, double *ranks)
{
	double low = residuals[0], high = low, squares = 0, products = 0, scale;
	unsigned bits = bits_of(n);
	uint64_t index = (UINT64_C(1) << bits) - 1;
	size_t end;

	for (size_t i = 1; i < n; i++) {
		low = residuals[i] < low ? residuals[i] : low;
		high = residuals[i] > high ? residuals[i] : high;
	}
	scale = high > low ? fmin(0x1p44 / (high - low), 1e300) : 0;
	for (size_t i = 0; i < n; i++)
		keys[i] = (uint64_t)((residuals[i] - low) * scale) << bits | i;
	sort_u64_above(keys, n, bits);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && residuals[keys[end] & index] -
		    residuals[keys[end - 1] & index] <= tiny; end++)
			;
		/* The mean of their ranks, above that of all. */
		for (size_t j = i; j < end; j++)
			ranks[keys[j] & index] = ((double)(i + end) -
			    (double)n) / 2;
	}
	for (size_t i = 0; i < n; i++) {
		squares += ranks[i] * ranks[i];
		if (i > 0 && i != seam)
			products += ranks[i - 1] * ranks[i];
	}
	return squares > 0 ? products / squares : NAN;
}
