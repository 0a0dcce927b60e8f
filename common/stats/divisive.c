/* divisive - changes of level as Apache Otava finds them */

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/stats/divisive.h"

enum { WINDOW = 50, SEGMENT_MIN = 2 };
#define P_MAX 0.001
#define P_WEAK (10 * P_MAX)	/* of points that a later step may remove */

/* --- Student's t ---------------------------------------------------------- */

/*
 * The continued fraction of the incomplete beta function (DLMF 8.17.22), by
 * Lentz' method.
 */
static double
beta_fraction(double a, double b, double x)
{
	const double tiny = DBL_MIN / DBL_EPSILON;
	double c = tiny, d = 0, value = tiny, m, coefficient, delta;

	for (int i = 0; i < 10000; i++) {
		m = floor(i / 2);
		if (i == 0)
			coefficient = 1;
		else if (i % 2 == 0)
			coefficient = m * (b - m) * x /
			    ((a + 2 * m - 1) * (a + 2 * m));
		else
			coefficient = -(a + m) * (a + b + m) * x /
			    ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 + coefficient * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + coefficient / c;
		c = fabs(c) < tiny ? tiny : c;
		delta = c * d;
		value *= delta;
		if (i > 0 && fabs(delta - 1) < 1e-15)
			break;
	}
	return value;
}

/* The regularized incomplete beta function. */
static double
incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
	    b * log1p(-x));
	/* The fraction converges fast only on this side of the mean. */
	if (x > (a + 1) / (a + b + 2))
		return 1 - front / b * beta_fraction(b, a, 1 - x);
	return front / a * beta_fraction(a, b, x);
}

double
divisive_student_p(double t, double df)
{
	return incomplete_beta(df / 2, 0.5, df / (df + t * t));
}

/* --- segments ------------------------------------------------------------- */

struct moments {
	double n, mean, variance;	/* of the population */
};

static struct moments
measure(const double *values, size_t n)
{
	struct moments m = { .n = (double)n };

	for (size_t i = 0; i < n; i++)
		m.mean += values[i] / m.n;
	for (size_t i = 0; i < n; i++)
		m.variance += (values[i] - m.mean) * (values[i] - m.mean) /
		    m.n;
	return m;
}

/* The t-test between [from, at) and [at, to). */
static double
test_split(const double *values, size_t from, size_t at, size_t to)
{
	struct moments a = measure(values + from, at - from);
	struct moments b = measure(values + at, to - at);
	double df = a.n + b.n - 2, pooled;

	if (df <= 0)
		return 1;
	pooled = ((a.n - 1) * a.variance + (b.n - 1) * b.variance) / df;
	if (pooled <= 0)
		return a.mean == b.mean ? 1 : 0;
	return divisive_student_p((b.mean - a.mean) /
	    sqrt(pooled * (1 / a.n + 1 / b.n)), df);
}

/* --- one window ----------------------------------------------------------- */

/* sums[i][j]: of |x - y| over all pairs of values from i to j - 1. */
struct window {
	size_t n;
	double sums[WINDOW + 1][WINDOW + 1];
	size_t bounds[WINDOW + 2];	/* of segments: from 0 to n */
	size_t n_bounds;
};

static void
sum_distances(struct window *w, const double *values)
{
	double column;

	for (size_t i = 0; i <= w->n; i++)
		w->sums[i][i] = 0;
	for (size_t j = 0; j < w->n; j++) {
		column = 0;
		for (size_t i = j + 1; i-- > 0;) {
			column += fabs(values[i] - values[j]);
			w->sums[i][j + 1] = w->sums[i][j] + column;
		}
	}
}

static double
pairs(double n)
{
	return n * (n - 1) / 2;
}

/* The divergence of the values from s to tau from those up to kappa. */
static double
divergence(const struct window *w, size_t s, size_t tau, size_t kappa)
{
	double n1 = (double)(tau - s), n2 = (double)(kappa - tau);
	double within1 = w->sums[s][tau], within2 = w->sums[tau][kappa];
	double between = w->sums[s][kappa] - within1 - within2;

	return n1 * n2 / (n1 + n2) * (2 / (n1 * n2) * between -
	    within1 / pairs(n1) - within2 / pairs(n2));
}

/* Finds the greatest divergence in a segment, if it is greater than *best. */
static bool
find_in_segment(const struct window *w, size_t from, size_t to, size_t *at,
    double *best)
{
	bool found = false;
	double q;

	for (size_t tau = from + SEGMENT_MIN; tau + SEGMENT_MIN <= to; tau++)
		for (size_t kappa = tau + SEGMENT_MIN; kappa <= to; kappa++)
			if ((q = divergence(w, from, tau, kappa)) > *best) {
				*best = q;
				*at = tau;
				found = true;
			}
	return found;
}

/* Splits the window at its greatest divergence, if that is significant. */
static bool
split_window(struct window *w, const double *values)
{
	size_t *bounds = w->bounds, segment = 0, at = 0;
	double best = 0;

	for (size_t i = 0; i + 1 < w->n_bounds; i++)
		if (find_in_segment(w, bounds[i], bounds[i + 1], &at, &best))
			segment = i;
	if (best <= 0 || test_split(values, bounds[segment], at,
	    bounds[segment + 1]) >= P_WEAK)
		return false;
	memmove(bounds + segment + 2, bounds + segment + 1,
	    (w->n_bounds - segment - 1) * sizeof *bounds);
	bounds[segment + 1] = at;
	w->n_bounds++;
	return true;
}

/* Adds the weak points of a window; returns the last one's place, or 0. */
static size_t
search_window(struct changes *c, struct window *w, const double *values,
    size_t start, size_t end)
{
	w->n = w->bounds[1] = end - start;
	w->bounds[0] = 0;
	w->n_bounds = 2;
	sum_distances(w, values + start);
	while (split_window(w, values + start))
		;
	for (size_t i = 1; i + 1 < w->n_bounds; i++) {
		c->list = mem_grow(c->list, &c->cap, c->n + 1,
		    sizeof *c->list);
		c->list[c->n++] = (struct change_point){
		    .at = start + w->bounds[i], .window = WINDOW };
	}
	return w->n_bounds == 2 ? 0 : start + w->bounds[w->n_bounds - 2];
}

/* --- all windows ---------------------------------------------------------- */

static size_t
start_of(const struct changes *c, size_t i)
{
	return i == 0 ? 0 : c->list[i - 1].at;
}

static size_t
end_of(const struct changes *c, size_t i, size_t n)
{
	return i + 1 == c->n ? n : c->list[i + 1].at;
}

static void
test_point(struct changes *c, const double *values, size_t n, size_t i)
{
	c->list[i].p = test_split(values, start_of(c, i), c->list[i].at,
	    end_of(c, i, n));
}

/* The relative difference of the means, by the smaller one. */
static double
magnitude(const struct changes *c, const double *values, size_t n, size_t i)
{
	size_t from = start_of(c, i), at = c->list[i].at;
	double before = measure(values + from, at - from).mean;
	double after = measure(values + at, end_of(c, i, n) - at).mean;

	return fmax(fabs(after / before - 1), fabs(before / after - 1));
}

/* The least significant point or, if all are, the smallest; n if none. */
static size_t
find_weakest(const struct changes *c, const double *values, size_t n,
    double min_effect)
{
	double least = INFINITY, size;
	size_t weakest = 0, smallest = 0;

	for (size_t i = 1; i < c->n; i++)
		if (c->list[i].p > c->list[weakest].p)
			weakest = i;
	if (c->n == 0 || c->list[weakest].p >= P_MAX)
		return c->n == 0 ? n : weakest;
	for (size_t i = 0; i < c->n; i++)
		if ((size = magnitude(c, values, n, i)) < least) {
			least = size;
			smallest = i;
		}
	return least <= min_effect ? smallest : n;
}

static void
remove_weak(struct changes *c, const double *values, size_t n,
    double min_effect)
{
	size_t i;

	while ((i = find_weakest(c, values, n, min_effect)) < n) {
		c->n--;
		memmove(c->list + i, c->list + i + 1,
		    (c->n - i) * sizeof *c->list);
		if (i < c->n)
			test_point(c, values, n, i);
		if (i > 0)
			test_point(c, values, n, i - 1);
	}
}

void
divisive_find(struct changes *c, const double *values, size_t n,
    double min_effect)
{
	struct window w;
	size_t last;

	c->n = 0;
	c->phi = 0;
	c->factor = c->p = 1;
	for (size_t start = 0; start < n;) {
		last = search_window(c, &w, values, start,
		    n - start < WINDOW ? n : start + WINDOW);
		start += WINDOW / 2;
		start = last > start ? last : start;
	}
	for (size_t i = 0; i < c->n; i++)
		test_point(c, values, n, i);
	remove_weak(c, values, n, min_effect);
	for (size_t i = 0; i < c->n; i++)
		c->p = fmin(c->p, c->list[i].p);
}
