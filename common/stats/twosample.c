/* twosample - comparison of two samples by ranks */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/search.h"
#include "common/stats/ranks.h"
#include "common/stats/twosample.h"
#include "common/stats/values.h"

#define Z_95 1.959964		/* two-sided, for the interval */
#define Z_POWER 0.8416		/* one-sided, for a power of 80 % */

/* Orders are counted if one side has at most FEW values, or none has more than
   SOME. */
enum { FEW = 12, SOME = 20 };

/* At most so many residuals give the visible effect, and values of each side
   the autocorrelation. */
enum { RESIDUALS_MAX = 500, PHI_MAX = 2000 };

/* Halves of a range after which few values are left. */
enum { SOON = 16 };

/* --- the normal distribution ---------------------------------------------- */

/* The probability that a standard normal variable exceeds z. */
static double
normal_upper(double z)
{
	return erfc(z * M_SQRT1_2) / 2;
}

/*
 * The z that is exceeded with probability p, for 0 < p <= 0.5: by Newton's
 * method.  The upper tail is convex for z > 0, so from 0 the steps approach the
 * quantile from below and never pass it; the loop ends when rounding stops
 * them.
 */
static double
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

/* --- Mann-Whitney --------------------------------------------------------- */

/*
 * Merges two sorted samples.  Sets *u to the number of pairs that are greater
 * after than before, where equal ones count half; returns the sum of t^3 - t
 * over all groups of t equal values.
 */
static double
merge(double *all, const double *b, size_t m, const double *a, size_t n,
    double *u)
{
	size_t i = 0, j = 0, i0, j0;
	double ties = 0, t, value;

	*u = 0;
	while (i < m || j < n) {
		i0 = i;
		j0 = j;
		value = j == n || (i < m && b[i] <= a[j]) ? b[i] : a[j];
		for (; i < m && b[i] == value; i++)
			*all++ = value;
		for (; j < n && a[j] == value; j++)
			*all++ = value;
		*u += (double)(j - j0) * ((double)i0 + (double)(i - i0) / 2);
		t = (double)(i - i0 + j - j0);
		ties += t * t * t - t;
	}
	return ties;
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
	return fmax(ranks_least_p((size_t)all, (size_t)n),
	    2 * normal_upper(fmax(0, fabs(u - m * n / 2) - 0.5) /
	    sqrt(variance)));
}

/* --- slow values ---------------------------------------------------------- */

/* The logarithm of the number of ways to choose k of n. */
static double
log_ways(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/*
 * The probability that of n values, drawn from `all` of which h are slow, at
 * least x are slow.  Each term is the one before it times a ratio.  Below the
 * most probable x it is 1 minus that of so many which are not slow: the terms
 * that are added always fall.
 */
static double
at_least(double all, double n, double h, double x)
{
	double term, sum = 0;

	if (x <= n * h / all)
		return 1 - at_least(all, n, all - h, n - x + 1);
	if (x > fmin(n, h))
		return 0;
	term = exp(log_ways(h, x) + log_ways(all - h, n - x) -
	    log_ways(all, n));
	for (; term > 1e-17 * sum; x++) {
		sum += term;
		term *= (h - x) * (n - x) / ((x + 1) * (all - h - n + x + 1));
	}
	return sum;
}

static size_t
count_slow(const double *sorted, size_t n, double limit, bool more)
{
	return more ? SEARCH_FIRST(i, n, sorted[i] >= limit) :
	    n - SEARCH_FIRST(i, n, sorted[i] > limit);
}

/* Counts the slow values of both sides; all has the m + n values in order. */
static void
compare_slow(struct twosample *t, const double *all, size_t m, size_t n,
    const double *before, const double *after, bool more)
{
	size_t size = m + n, quarter = (size - 1) / 4, slow;
	double q2 = values_median_sorted(all, size), middle, share;
	/* The quartile on the better side. */
	double q1 = all[more ? size - 1 - quarter : quarter];
	int sign = more ? -1 : 1;

	/* Ordinary runs of normal noise, or of a coarse clock, are within. */
	t->limit = q2 + sign * fmax(8 * fabs(q2 - q1),
	    fmin(4 * values_tick(all, size), fabs(q2) / 2));
	t->slow_before = count_slow(before, m, t->limit, more);
	t->slow_after = count_slow(after, n, t->limit, more);
	slow = t->slow_before + t->slow_after;
	t->p_slow = fmin(1, 2 * fmin(at_least((double)size, (double)n,
	    (double)slow, (double)t->slow_after), at_least((double)size,
	    (double)m, (double)slow, (double)t->slow_before)));

	share = (double)t->slow_after / (double)n -
	    (double)t->slow_before / (double)m;
	t->excess = 0;
	if (share != 0) {
		middle = values_median_sorted(more ? all : all + size - slow,
		    slow);
		t->excess = share * sign * (middle - q2) / q2;
	}
}

/* --- Hodges-Lehmann ------------------------------------------------------- */

/*
 * How many differences a[j] - b[i] are at most x; both samples are sorted.
 * Sets *next to the smallest one that is greater, or INFINITY.
 */
static uint64_t
count_differences(const double *b, size_t m, const double *a, size_t n,
    double x, double *next)
{
	uint64_t count = 0;
	size_t i = m;

	*next = INFINITY;
	/* The smaller a[j], the more values at the end of b are near enough. */
	for (size_t j = n; j-- > 0;) {
		while (i > 0 && a[j] - b[i - 1] <= x)
			i--;
		count += m - i;
		if (i > 0 && a[j] - b[i - 1] < *next)
			*next = a[j] - b[i - 1];
	}
	return count;
}

/*
 * The k-th smallest difference, k from 1, without a table of the m n
 * differences: bisects the values until none is between it and the lower end.
 * Whether that is so is asked only near the end, or if it does not come soon.
 */
static double
find_difference(const double *b, size_t m, const double *a, size_t n,
    uint64_t k)
{
	double low = a[0] - b[m - 1], high = a[n - 1] - b[0], middle;
	double next, unused;
	uint64_t count = count_differences(b, m, a, n, low, &next);

	if (count >= k)
		return low + 0.0;	/* -0 becomes 0 */
	for (unsigned step = 0; ; step++) {
		middle = low + (high - low) / 2;
		count = count_differences(b, m, a, n, middle, &next);
		if (count >= k) {
			/* No number is between. */
			if (middle == high)
				return high + 0.0;
			high = middle;
			continue;
		}
		low = middle;
		if ((k - count <= m + n || step > SOON) &&
		    count_differences(b, m, a, n, next, &unused) >= k)
			return next + 0.0;
	}
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

void
twosample_find_shift(struct twosample *t, const double *before, size_t m,
    const double *after, size_t n)
{
	double *b = mem_table(m + n, sizeof *b), *a = b + m;
	double product, first, low, high;
	uint64_t pairs;

	t->stride = 1;
	while (((m - 1) / t->stride + 1) * (double)((n - 1) / t->stride + 1) >
	    TWOSAMPLE_PAIRS_MAX)
		t->stride++;
	m = thin(b, before, m, t->stride);
	n = thin(a, after, n, t->stride);

	pairs = (uint64_t)m * n;
	low = find_difference(b, m, a, n, (pairs + 1) / 2);
	high = pairs % 2 != 0 ? low :
	    find_difference(b, m, a, n, pairs / 2 + 1);
	t->shift = low + (high - low) / 2;
	product = (double)pairs;
	first = fmax(1, floor(product / 2 - Z_95 *
	    sqrt(product * ((double)m + (double)n + 1) / 12)));
	t->low = find_difference(b, m, a, n, (uint64_t)first);
	t->high = find_difference(b, m, a, n, pairs + 1 - (uint64_t)first);
	free(b);
}

/* --- what would have been seen -------------------------------------------- */

/* Sets the residuals of a side; equal values are spread over a tick. */
static void
set_residuals(double *to, const double *sorted, size_t n, double tick)
{
	double median = values_median_sorted(sorted, n);
	size_t end;

	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && sorted[end] == sorted[i]; end++)
			;
		for (size_t k = 0; k < end - i; k++)
			to[i + k] = sorted[i] - median + tick *
			    (((double)k + 0.5) / (double)(end - i) - 0.5);
	}
}

/*
 * Half of the distance that the median of k values is within in two of three
 * cases, of n residuals in order.
 */
static double
median_error(const double *sorted, size_t n, size_t k)
{
	double middle = (double)n / 2, half = middle / sqrt((double)k);

	return (sorted[(size_t)ceil(middle + half) - 1] -
	    sorted[(size_t)floor(middle - half)]) / 2;
}

/*
 * The least P(a value after exceeds one before), in thousandths, that the test
 * sees with Z_POWER: P - 1/2 is z and Z_POWER standard errors.  0: there is
 * none.
 */
static unsigned
find_seen(size_t m, size_t n, size_t keys)
{
	double z = normal_upper_quantile(0.02 / (double)keys), p;
	double error = sqrt(((double)m + (double)n + 1) /
	    (12 * (double)m * (double)n));

	for (unsigned i = 500; i < 1000; i++) {
		p = i / 1000.0;
		if (p - 0.5 >= z * error + Z_POWER * error * 2 *
		    sqrt(p * (1 - p)))
			return i;
	}
	return 0;
}

double
twosample_visible(const double *before, size_t m, const double *after,
    size_t n, double effect, size_t keys)
{
	double *all, tick, delta, error, visible;
	double level = fabs(values_median_sorted(before, m));
	size_t size, stride = (m + n - 1) / RESIDUALS_MAX + 1;
	unsigned seen = find_seen(m, n, keys);

	if (seen == 0 || level == 0)
		return NAN;
	all = mem_table(m + n, sizeof *all);
	memcpy(all, before, m * sizeof *all);
	memcpy(all + m, after, n * sizeof *all);
	values_sort(all, m + n);
	tick = values_tick(all, m + n);
	set_residuals(all, before, m, tick);
	set_residuals(all + m, after, n, tick);
	values_sort(all, m + n);
	size = thin(all, all, m + n, stride);
	delta = find_difference(all, size, all, size,
	    (seen * (uint64_t)size * size + 999) / 1000);
	error = hypot(median_error(all, size, m), median_error(all, size, n));
	free(all);
	visible = fmax(delta * (1 + 3 / (double)(m < n ? m : n)),
	    fmax(effect * level, 0.75 * tick) + Z_POWER * error) / level;
	return tick > 0 && visible <= 1 ? visible : NAN;
}

/* --- both tests ----------------------------------------------------------- */

double
twosample_least_p(size_t m, size_t n)
{
	return TWOSAMPLE_RANKS * ranks_least_p(m + n, n);
}

static double
mean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

/* Sets phi from the first values of both sides, which are in order of time. */
static void
find_phi(struct twosample *t, const double *before, size_t m,
    const double *after, size_t n)
{
	double e[2 * PHI_MAX], ranks[2 * PHI_MAX], levels[2], greatest = 0;
	uint64_t keys[2 * PHI_MAX];

	m = m < PHI_MAX ? m : PHI_MAX;
	n = n < PHI_MAX ? n : PHI_MAX;
	levels[0] = values_median(before, m, ranks);
	levels[1] = values_median(after, n, ranks);
	memcpy(e, before, m * sizeof *e);
	memcpy(e + m, after, n * sizeof *e);
	for (size_t i = 0; i < m + n; i++) {
		greatest = fmax(greatest, e[i]);
		e[i] -= levels[i >= m];
	}
	t->phi = values_autocorrelation(e, m + n, m, 1e-12 * greatest, keys,
	    ranks);
	/* Also if there is none, because all are equal. */
	if (!(t->phi > 2 / sqrt((double)(m + n))))
		t->phi = 0;
}

void
twosample_compare(struct twosample *t, double *before, size_t m,
    double *after, size_t n, bool more)
{
	double *room = mem_table(m + n, sizeof *room), ties;

	find_phi(t, before, m, after, n);
	t->mean_before = mean(before, m);
	t->mean_after = mean(after, n);
	twosample_find_shift(t, before, m, after, n);

	values_sort(before, m);
	values_sort(after, n);
	t->before = values_median_sorted(before, m);
	t->after = values_median_sorted(after, n);
	ties = merge(room, before, m, after, n, &t->u);
	compare_slow(t, room, m, n, before, after, more);
	free(room);

	t->p_ranks = m <= FEW || n <= FEW || (m <= SOME && n <= SOME) ?
	    ranks_counted_p(m, n, fmin(t->u, (double)m * (double)n - t->u)) :
	    approximate_p((double)m, (double)n, t->u, ties);
	t->p = fmin(1, fmin(TWOSAMPLE_RANKS * t->p_ranks,
	    TWOSAMPLE_SLOW * t->p_slow));
}
