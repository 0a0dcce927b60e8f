/* ranks - in how many orders two groups of points overlap as little */

#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/stats/ranks.h"

double
ranks_least_p(size_t n, size_t b)
{
	double ways = 1;

	if (b > n - b)
		b = n - b;
	for (size_t i = 1; i <= b && isfinite(ways); i++)
		ways *= (double)(n - b + i) / (double)i;
	return 2 / ways;
}

/*
 * The counts of orders by their number of wrong pairs are the coefficients of
 * the Gaussian binomial, the product over i = 1..few of
 * (1 - q^(many+i)) / (1 - q^i).
 */
double
ranks_counted_p(size_t a, size_t b, double u)
{
	size_t few = a < b ? a : b, many = a < b ? b : a;
	size_t n = (size_t)ceil(u) + 1;
	double *counts = mem_zero(n, sizeof *counts), sum = 0;

	/* The first factor is the sum of q^0 to q^many. */
	for (size_t v = 0; v < n && v <= many; v++)
		counts[v] = 1;
	for (size_t i = 2; i <= few; i++) {
		for (size_t v = n; v-- > many + i;)
			counts[v] -= counts[v - many - i];
		for (size_t v = i; v < n; v++)
			counts[v] += counts[v - i];
	}
	for (size_t v = 0; v < n; v++)
		sum += counts[v];
	free(counts);
	return fmin(1, sum * ranks_least_p(a + b, b));
}
