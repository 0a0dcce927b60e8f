/* twosample - comparison of two samples by ranks */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/stats/normal.h"
#include "common/stats/twosample.h"
#include "common/stats/values.h"

#define Z_95 1.959964		/* two-sided, for the interval */
#define Z_POWER 0.8416		/* one-sided, for a power of 80 % */

/*
 * The exact test counts orders for at most this many values of each side.  All
 * counts are below 2^53, so that a double is exact.
 */
enum { EXACT_MAX = 20 };

/* --- Mann-Whitney --------------------------------------------------------- */

/*
 * Merges two sorted samples.  Sets *u to the number of pairs that are greater
 * after than before, where equal ones count half; returns the sum of t^3 - t
 * over all groups of t equal values.
 */
static double
count_pairs(const double *b, size_t m, const double *a, size_t n, double *u)
{
	size_t i = 0, j = 0, i0, j0;
	double ties = 0, t, value;

	*u = 0;
	while (i < m || j < n) {
		i0 = i;
		j0 = j;
		value = j == n || (i < m && b[i] <= a[j]) ? b[i] : a[j];
		while (i < m && b[i] == value)
			i++;
		while (j < n && a[j] == value)
			j++;
		*u += (double)(j - j0) * ((double)i0 + (double)(i - i0) / 2);
		t = (double)(i - i0 + j - j0);
		ties += t * t * t - t;
	}
	return ties;
}

/*
 * Sets counts[u] to the number of orders of m and n different values that have
 * this u: the coefficients of the Gaussian binomial, the product over i = 1..m
 * of (1 - q^(n+i)) / (1 - q^i).
 */
static void
count_orders(size_t m, size_t n, double *counts)
{
	size_t size = m * n + 1;

	memset(counts, 0, size * sizeof *counts);
	counts[0] = 1;
	for (size_t i = 1; i <= m; i++) {
		for (size_t u = size; u-- > n + i;)
			counts[u] -= counts[u - n - i];
		for (size_t u = i; u < size; u++)
			counts[u] += counts[u - i];
	}
}

static double
exact_p(size_t m, size_t n, double u)
{
	double counts[EXACT_MAX * EXACT_MAX + 1];
	double all = 0, extreme = 0;
	double bound = fmin(u, (double)(m * n) - u);

	count_orders(m, n, counts);
	for (size_t i = 0; i <= m * n; i++) {
		all += counts[i];
		if ((double)i <= bound)
			extreme += counts[i];
	}
	return fmin(1, 2 * extreme / all);
}

/* By the normal distribution, with correction for ties and continuity. */
static double
approximate_p(double m, double n, double u, double ties)
{
	double all = m + n;
	double variance = m * n / 12 * (all + 1 - ties / (all * (all - 1)));

	/* All values are equal. */
	if (variance <= 0)
		return 1;
	return 2 * normal_upper(fmax(0, fabs(u - m * n / 2) - 0.5) /
	    sqrt(variance));
}

/* --- Hodges-Lehmann ------------------------------------------------------- */

/* How many differences a[j] - b[i] are at most x; both samples are sorted. */
static uint64_t
count_differences(const double *b, size_t m, const double *a, size_t n,
    double x)
{
	uint64_t count = 0;
	size_t i = m;

	/* The smaller a[j], the more values at the end of b are near enough. */
	for (size_t j = n; j-- > 0;) {
		while (i > 0 && a[j] - b[i - 1] <= x)
			i--;
		count += m - i;
	}
	return count;
}

/*
 * The k-th smallest difference, k from 1.  Bisects the keys of all doubles: at
 * most 64 counts, and no table of the m n differences.
 */
static double
find_difference(const double *b, size_t m, const double *a, size_t n,
    uint64_t k)
{
	uint64_t low = values_to_key(a[0] - b[m - 1]);
	uint64_t high = values_to_key(a[n - 1] - b[0]), middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (count_differences(b, m, a, n, values_from_key(middle)) >= k)
			high = middle;
		else
			low = middle + 1;
	}
	return values_from_key(low) + 0.0;	/* -0 becomes 0 */
}

/* Sets the shift and its interval from sorted samples. */
static void
estimate_shift(struct twosample *t, const double *b, size_t m,
    const double *a, size_t n)
{
	uint64_t pairs = (uint64_t)m * n;
	double product = (double)m * (double)n, first, low, high;

	low = find_difference(b, m, a, n, (pairs + 1) / 2);
	high = pairs % 2 != 0 ? low :
	    find_difference(b, m, a, n, pairs / 2 + 1);
	t->shift = low + (high - low) / 2;
	first = fmax(1, floor(product / 2 - Z_95 *
	    sqrt(product * ((double)m + (double)n + 1) / 12)));
	t->low = find_difference(b, m, a, n, (uint64_t)first);
	t->high = find_difference(b, m, a, n, pairs + 1 - (uint64_t)first);
}

/* Copies every stride-th value, and sorts the copies; returns how many. */
static size_t
thin(double *to, const double *from, size_t n, size_t stride)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i += stride)
		to[count++] = from[i];
	values_sort(to, count);
	return count;
}

/* The smallest stride that leaves at most TWOSAMPLE_PAIRS_MAX pairs. */
static size_t
choose_stride(size_t m, size_t n)
{
	size_t stride = 1;

	while (((m - 1) / stride + 1) * (double)((n - 1) / stride + 1) >
	    TWOSAMPLE_PAIRS_MAX)
		stride++;
	return stride;
}

/*
 * With P the probability that a value after exceeds one before, the test sees
 * P - 1/2 = z sd + Z_POWER sd 2 sqrt(P (1 - P)).  With w = P - 1/2 and c = 2
 * Z_POWER sd this is the quadratic equation
 * (1 + c^2) w^2 - 2 z sd w + (z sd)^2 - c^2 / 4 = 0, of which w is the greater
 * root.
 */
double
twosample_visible(size_t m, size_t n, double z)
{
	double sd = sqrt(((double)m + (double)n + 1) /
	    (12 * (double)m * (double)n));
	double seen = z * sd, c = 2 * Z_POWER * sd, a = 1 + c * c, w;

	if (!(seen < 0.5))
		return INFINITY;
	w = (seen + sqrt(seen * seen - a * (seen * seen - c * c / 4))) / a;
	return w < 0.5 ? M_SQRT2 * normal_upper_quantile(0.5 - w) : INFINITY;
}

void
twosample_compare(struct twosample *t, double *before, size_t m,
    double *after, size_t n)
{
	double *room = mem_table(m + n, sizeof *room), ties;
	size_t m_thin, n_thin;

	t->stride = choose_stride(m, n);
	m_thin = thin(room, before, m, t->stride);
	n_thin = thin(room + m, after, n, t->stride);
	estimate_shift(t, room, m_thin, room + m, n_thin);

	values_sort(before, m);
	values_sort(after, n);
	t->before = values_median_sorted(before, m);
	t->after = values_median_sorted(after, n);
	for (size_t i = 0; i < m; i++)
		room[i] = fabs(before[i] - t->before);
	for (size_t j = 0; j < n; j++)
		room[m + j] = fabs(after[j] - t->after);
	values_sort(room, m + n);
	t->spread = TWOSAMPLE_MAD_TO_SD * values_median_sorted(room, m + n);
	free(room);

	ties = count_pairs(before, m, after, n, &t->u);
	t->p = ties == 0 && m <= EXACT_MAX && n <= EXACT_MAX ?
	    exact_p(m, n, t->u) :
	    approximate_p((double)m, (double)n, t->u, ties);
}
