/* series - what is measured of the stretches of a series */

#include <math.h>
#include <string.h>

#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/stats/ranks.h"
#include "common/stats/series.h"

enum { COUNTED_MAX = 12 };	/* points of the smaller side: p is counted */
enum { JUMP_SIDE = 4 };		/* points of which a jump is the difference */
#define JUMP 12.0		/* usual differences of neighbours */

void
series_begin(struct series *s, const double *points, size_t n)
{
	struct arena *a = &s->arena;
	size_t end;

	arena_reset(a);
	s->x = points;
	s->n = n;
	s->costs = arena_array(a, n + 1, sizeof *s->costs);
	s->residuals = arena_array(a, n, sizeof *s->residuals);
	s->sorted = arena_array(a, n, sizeof *s->sorted);
	s->room = arena_array(a, n + 1, sizeof *s->room);
	s->keys = arena_array(a, n, sizeof *s->keys);
	s->bits = arena_array(a, n / 64 + 1, sizeof *s->bits);
	s->used = arena_array(a, n / 4096 + 1, sizeof *s->used);
	s->ranks = arena_array(a, n, sizeof *s->ranks);
	s->points = arena_array(a, n, sizeof *s->points);
	s->places = arena_array(a, n, sizeof *s->places);
	s->links = arena_array(a, n + 1, sizeof *s->links);

	memcpy(s->sorted, points, n * sizeof *s->sorted);
	values_sort(s->sorted, n);
	/* The rank of the first of equal points, and how many had it. */
	for (size_t i = 0; i < n; i++)
		s->places[i] = 0;
	for (size_t i = 0; i < n; i++) {
		end = SEARCH_FIRST(k, n, s->sorted[k] >= points[i]);
		s->ranks[i] = (uint32_t)end + s->places[end]++;
		s->points[s->ranks[i]] = (uint32_t)i;
	}

	s->greatest = s->sorted[n - 1];
	s->tick = values_tick(s->sorted, n);
	for (size_t i = 1; i < n; i++)
		s->room[i - 1] = fabs(points[i] - points[i - 1]);
	values_sort(s->room, n - 1);
	s->jump = JUMP * fmax(s->tick, n > 1 ?
	    values_median_sorted(s->room, n - 1) : 0);
}

void
series_release(struct series *s)
{
	arena_release(&s->arena);
}

const uint64_t *
series_order(struct series *s, size_t from, size_t n)
{
	size_t words = s->n / 64 + 1, sets = s->n / 4096 + 1, i;
	uint64_t word;
	uint32_t rank;

	/* A set of ranks, and a set of its words that are not empty. */
	memset(s->bits, 0, words * sizeof *s->bits);
	memset(s->used, 0, sets * sizeof *s->used);
	for (i = from; i < from + n; i++) {
		rank = s->ranks[i];
		s->bits[rank / 64] |= UINT64_C(1) << rank % 64;
		s->used[rank / 4096] |= UINT64_C(1) << rank / 64 % 64;
	}
	i = 0;
	for (size_t u = 0; u < sets; u++)
		for (uint64_t some = s->used[u]; some != 0; some &= some - 1) {
			word = u * 64 + (uint64_t)__builtin_ctzll(some);
			for (uint64_t rest = s->bits[word]; rest != 0;
			    rest &= rest - 1)
				s->keys[i++] = word * 64 +
				    (uint64_t)__builtin_ctzll(rest);
		}
	return s->keys;
}

double
series_median(struct series *s, size_t from, size_t to)
{
	const uint64_t *ranks = series_order(s, from, to - from);

	return (s->sorted[ranks[(to - from - 1) / 2]] +
	    s->sorted[ranks[(to - from) / 2]]) / 2;
}

/* --- two sides of a place ------------------------------------------------- */

/* Sorted points and their median; residuals of [low, high) are kept. */
struct side {
	const double *sorted;
	double median;
	size_t low, high;
};

/* The greatest residual of those that are kept; -1 if there are none. */
static double
greatest_residual(const struct side *s)
{
	return s->low == s->high ? -1 : fmax(s->median - s->sorted[s->low],
	    s->sorted[s->high - 1] - s->median);
}

/*
 * The standard deviation of normal noise, from the absolute residuals of one or
 * two sides without their greatest tenth; at least half a tick unless all are
 * 0.
 */
static double
find_sigma(const struct series *s, struct side sides[2])
{
	size_t n = sides[0].high + sides[1].high, kept = n * 9 / 10;
	/* What each side's median takes from them is given back. */
	size_t fitted = sides[1].high > 0 ? 4 : 2;
	struct side *side;
	double sum = 0;

	if (greatest_residual(&sides[0]) <= 0 &&
	    greatest_residual(&sides[1]) <= 0)
		return 0;
	for (; n > kept; n--) {
		side = &sides[greatest_residual(&sides[1]) >
		    greatest_residual(&sides[0])];
		if (side->median - side->sorted[side->low] <
		    side->sorted[side->high - 1] - side->median)
			side->high--;
		else
			side->low++;
	}
	for (side = sides; side < sides + 2; side++)
		for (size_t i = side->low; i < side->high; i++)
			sum += fabs(side->sorted[i] - side->median);
	return fmax(s->tick / 2, 1.52 * sum /
	    (double)(kept > fitted ? kept - fitted : 1));
}

double
series_sigma(struct series *s, size_t from, size_t to)
{
	size_t n = to - from;
	const uint64_t *ranks = series_order(s, from, n);

	for (size_t i = 0; i < n; i++)
		s->room[i] = s->sorted[ranks[i]];
	return find_sigma(s, (struct side[2]){ { s->room,
	    values_median_sorted(s->room, n), 0, n } });
}

double
series_size(double difference, double error, struct place p)
{
	error *= sqrt(1 / (double)(p.at - p.from) + 1 / (double)(p.to - p.at));
	return error > 0 ? difference / error :
	    difference > 0 ? INFINITY : 0;
}

struct contrast
series_compare(struct series *s, struct place p)
{
	size_t n = p.to - p.from, b = p.to - p.at, a = n - b, end, later;
	size_t n_before = 0, n_after = a;
	const uint64_t *ranks = series_order(s, p.from, n);
	double pairs = (double)a * (double)b, u, value;
	uint64_t twice_sum = 0;
	struct contrast c;

	for (size_t i = 0; i < n; i = end) {
		later = n_after;
		value = s->sorted[ranks[i]];
		for (end = i; end < n && s->sorted[ranks[end]] == value; end++)
			s->room[s->points[ranks[end]] < p.at ? n_before++ :
			    n_after++] = value;
		twice_sum += (n_after - later) * (i + 1 + end);
	}
	u = (double)(twice_sum - b * (b + 1)) / 2;
	u = fmin(u, pairs - u);
	c.z = (pairs / 2 - u) / sqrt(pairs * (double)(n + 1) / 12);
	c.p_ranks = (a < b ? a : b) <= COUNTED_MAX ?
	    ranks_counted_p(a, b, u) : erfc(c.z * M_SQRT1_2);
	c.before = values_median_sorted(s->room, a);
	c.after = values_median_sorted(s->room + a, b);
	c.sigma = find_sigma(s, (struct side[2]){ { s->room, c.before, 0, a },
	    { s->room + a, c.after, 0, b } });
	return c;
}

double
series_nearer_median(struct series *s, size_t from, size_t n, double level)
{
	const uint64_t *ranks = series_order(s, from, n);
	double low = s->sorted[ranks[(n - 1) / 2]];
	double high = s->sorted[ranks[n / 2]];

	return fabs(low - level) <= fabs(high - level) ? low : high;
}

bool
series_jumps(struct series *s, struct place p, bool nearer)
{
	size_t a = p.at - p.from, b = p.to - p.at;
	double before, after;

	a = a < JUMP_SIDE ? a : JUMP_SIDE;
	b = b < JUMP_SIDE ? b : JUMP_SIDE;
	before = series_median(s, p.at - a, p.at);
	after = nearer ? series_nearer_median(s, p.at, b, before) :
	    series_median(s, p.at, p.at + b);
	return after != before && fabs(after - before) >= s->jump;
}

/* --- costs ---------------------------------------------------------------- */

/*
 * Adds the costs of the points from one end on.  Each point is its place in
 * their order, from 1; 0 is before and after all.  All are in a list first, and
 * are taken out in the reverse order: so each comes back beside the neighbours
 * that it had, and the median moves by a point at a time.
 */
static ALWAYS_INLINE void
add_costs(struct series *s, size_t n, bool backward)
{
	struct link *links = s->links;
	uint32_t point, median = 0;
	const double *x = s->room;
	size_t n_low = 0, n_high = 0;
	double sum_low = 0, sum_high = 0;

	for (size_t i = 0; i <= n; i++)
		links[i] = (struct link){ (uint32_t)(i > 0 ? i - 1 : n),
		    (uint32_t)(i < n ? i + 1 : 0) };
	for (size_t k = n; k-- > 0;) {
		point = s->places[backward ? n - 1 - k : k];
		links[links[point].previous].next = links[point].next;
		links[links[point].next].previous = links[point].previous;
	}
	for (size_t k = 0; k < n; k++) {
		point = s->places[backward ? n - 1 - k : k];
		links[links[point].previous].next = point;
		links[links[point].next].previous = point;
		if (k == 0)
			median = point;
		if (point <= median) {
			sum_low += x[point];
			n_low++;
		} else {
			sum_high += x[point];
			n_high++;
		}
		if (n_low > n_high + 1) {
			sum_low -= x[median];
			sum_high += x[median];
			median = links[median].previous;
			n_low--;
			n_high++;
		} else if (n_high > n_low) {
			median = links[median].next;
			sum_low += x[median];
			sum_high -= x[median];
			n_low++;
			n_high--;
		}
		s->costs[backward ? n - 1 - k : k + 1] += sum_high - sum_low +
		    (n_low > n_high ? x[median] : 0);
	}
}

void
series_find_costs(struct series *s, size_t from, size_t to)
{
	size_t n = to - from;
	const uint64_t *ranks = series_order(s, from, n);
	double greatest;

	for (size_t i = 0; i < n; i++) {
		s->places[s->points[ranks[i]] - from] = (uint32_t)i + 1;
		s->room[i + 1] = s->sorted[ranks[i]];
	}
	greatest = s->room[n];
	memset(s->costs, 0, (n + 1) * sizeof *s->costs);
	add_costs(s, n, false);
	add_costs(s, n, true);

	/* What rounding leaves of 0 is 0. */
	for (size_t k = 0; k <= n; k++)
		if (s->costs[k] < 1e-12 * (double)n * greatest)
			s->costs[k] = 0;
}

/* --- dependence ----------------------------------------------------------- */

void
series_set_level(struct series *s, size_t from, size_t to, double level)
{
	for (size_t i = from; i < to; i++)
		s->residuals[i] = s->x[i] - level;
}

double
series_find_factor(struct series *s, size_t segments, double *phi)
{
	double n = (double)s->n, r;

	r = values_autocorrelation(s->residuals, s->n, 0,
	    1e-12 * s->greatest, s->keys, s->room);
	/* The medians of the segments have taken some from it. */
	r = isnan(r) ? 0 : fmin(fmax(0, r + (1 + 3 * r) * (double)segments /
	    n), 1 - 1 / n);
	*phi = r;
	return sqrt((1 + r) / (1 - r));
}
