/* splits - where the level of a series changes */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/stats/splits.h"
#include "common/stats/values.h"

/* Windows, of which STARTS begin within the length of one. */
enum { WINDOW_MIN = 12, STARTS = 4 };
#define CANDIDATE_Z	2.7
#define RANGE		3.0	/* of plausible costs, in sigma */
#define NOT_WORSE	(1 + 1e-9)

/* The segments before and after a split are [from, at) and [at, to). */
struct place {
	size_t from, at, to;
};

/* A split that is still examined, and for which places its numbers are. */
struct candidate {
	struct split s;
	struct place placed, tested, measured;
	double strength;	/* the less, the sooner it is removed */
	bool fails;
};

/* A window whose ranks change at a place. */
struct window {
	double z;
	size_t at, from, to;
};

struct search {
	struct splits *result;
	const double *x;
	size_t n;
	struct candidate *list;
	size_t n_list;

	size_t *groups;		/* of a point: how many have a smaller value */
	size_t *ends;		/* of stretches to be searched, a stack */
	size_t n_ends;

	/* Room for each point, and for those of all windows of a length. */
	size_t *starts, *filled, *twice_ranks, *slots;
	double *values, *forth, *back;
	uint64_t *keys;		/* the points of a stretch in the order of their
				   values, while it is searched */
	struct window *windows;
	struct running running;
};

/* --- candidates ----------------------------------------------------------- */

/*
 * Scans w points from `from`, given in the order of their values.  For each k
 * the sum of the midranks of the first k points is compared with that of a
 * random order, in standard deviations (s->values[k]): the greatest decides.
 */
static struct window
scan(struct search *s, const size_t *sorted, size_t from, size_t w)
{
	struct window best = { .from = from, .to = from + w };
	int64_t sum = 0;
	size_t end;
	double z;

	for (size_t i = 0; i < w; i = end) {
		for (end = i + 1; end < w && s->groups[sorted[end]] ==
		    s->groups[sorted[i]]; end++)
			;
		for (size_t j = i; j < end; j++)
			s->twice_ranks[sorted[j] - from] = i + 1 + end;
	}
	for (size_t k = 1; k <= w - SPLIT_SIDE; k++) {
		sum += (int64_t)s->twice_ranks[k - 1] - (int64_t)(w + 1);
		/* Most are far from a candidate: no division for them. */
		if (k < SPLIT_SIDE || fabs((double)sum) < s->forth[k])
			continue;
		z = fabs((double)sum) / 2 / s->values[k];
		if (z > best.z + 1e-9) {
			best.z = z;
			best.at = from + k;
		}
	}
	return best;
}

/*
 * Scans the windows of w points in a stretch.  Adds those that propose a
 * candidate to s->windows; returns how many there are now.
 */
static size_t
scan_windows(struct search *s, size_t from, size_t to, size_t w, size_t found)
{
	size_t rest = to - from - w, last = (STARTS * rest + w - 1) / w;
	size_t point, k;
	struct window window;

	/* The points of each window, in the order of their values. */
	for (k = 0; k <= last; k++) {
		s->starts[k] = from + (last > 0 ? rest * k / last : 0);
		s->filled[k] = 0;
	}
	for (size_t i = 0; i < to - from; i++) {
		point = (uint32_t)s->keys[i];
		k = last;
		if (rest > 0 && point - from < rest)
			k = ((point - from + 1) * last - 1) / rest;
		for (k++; k-- > 0 && s->starts[k] + w > point;)
			s->slots[k * w + s->filled[k]++] = point;
	}

	for (k = SPLIT_SIDE; k <= w - SPLIT_SIDE; k++) {
		s->values[k] = sqrt((double)k * (double)(w - k) *
		    (double)(w + 1) / 12);
		s->forth[k] = 2 * (CANDIDATE_Z - 1e-8) * s->values[k];
	}
	for (k = 0; k <= last; k++) {
		window = scan(s, s->slots + k * w, s->starts[k], w);
		if (window.z >= CANDIDATE_Z - 1e-9)
			s->windows[found++] = window;
	}
	return found;
}

static int
compare_windows(const void *a, const void *b)
{
	const struct window *v = a, *w = b;

	if (v->z != w->z)
		return v->z > w->z ? -1 : 1;
	return v->at != w->at ? cmp_u64(v->at, w->at) :
	    cmp_u64(v->from, w->from);
}

/*
 * Searches a stretch for candidates, pushes them, and returns how many.  Where
 * several windows have one within them, that with the greatest z counts.
 */
static size_t
search_stretch(struct search *s, size_t from, size_t to)
{
	size_t n = to - from, found = 0, n_new = 0, j;
	size_t *new = s->ends + s->n_ends;
	const struct window *w;

	for (size_t i = 0; i < n; i++)
		s->keys[i] = (uint64_t)s->groups[from + i] << 32 | (from + i);
	sort_u64(s->keys, n);
	for (size_t length = n; length >= 2 * SPLIT_SIDE &&
	    (length == n || length >= WINDOW_MIN); length /= 2)
		found = scan_windows(s, from, to, length, found);
	sort(s->windows, found, sizeof *s->windows, compare_windows);
	for (w = s->windows; w < s->windows + found; w++) {
		for (j = 0; j < n_new && !(w->from < new[j] &&
		    new[j] < w->to); j++)
			;
		if (j < n_new)
			continue;
		for (j = n_new++; j > 0 && new[j - 1] < w->at; j--)
			new[j] = new[j - 1];
		new[j] = w->at;
	}
	s->n_ends += n_new;
	return n_new;
}

/* Every stretch between two candidates is searched until none is found. */
static void
find_candidates(struct search *s, const size_t *given, size_t n_given)
{
	size_t from = 0, i_given = 0;
	struct candidate *c;

	s->ends[s->n_ends++] = s->n;
	for (size_t i = n_given; i-- > 0;)
		s->ends[s->n_ends++] = given[i];
	while (s->n_ends > 0) {
		if (search_stretch(s, from, s->ends[s->n_ends - 1]) > 0)
			continue;
		from = s->ends[--s->n_ends];
		if (from == s->n)
			break;
		c = &s->list[s->n_list++];
		*c = (struct candidate){ .s.at = from };
		if (i_given < n_given && given[i_given] == from) {
			c->s.is_given = true;
			i_given++;
		}
	}
}

/* --- places --------------------------------------------------------------- */

/* The stretch of the i-th candidate, up to its neighbours. */
static struct place
place_of(const struct search *s, size_t i)
{
	return (struct place){ i > 0 ? s->list[i - 1].s.at : 0,
	    s->list[i].s.at, i + 1 < s->n_list ? s->list[i + 1].s.at : s->n };
}

/* Is this another place than the known one?  Then it becomes the known one. */
static bool
is_new(struct place *known, struct place p)
{
	bool same = memcmp(known, &p, sizeof p) == 0;

	*known = p;
	return !same;
}

/*
 * Sets s->forth[k] to the cost of a split after k points of a stretch: the sum
 * of the distances of the points from the medians of their sides.
 */
static void
find_costs(struct search *s, size_t from, size_t to)
{
	size_t n = to - from;
	double greatest = 0;

	running_begin(&s->running);
	for (size_t k = 0; k < n; k++) {
		s->forth[k] = running_deviation(&s->running);
		running_add(&s->running, s->x[from + k]);
		greatest = fmax(greatest, s->x[from + k]);
	}
	s->forth[n] = running_deviation(&s->running);
	running_begin(&s->running);
	for (size_t k = n; k > 0; k--) {
		s->back[k] = running_deviation(&s->running);
		running_add(&s->running, s->x[from + k - 1]);
	}
	s->back[0] = running_deviation(&s->running);

	/* What rounding leaves of 0 is 0. */
	for (size_t k = 0; k <= n; k++) {
		s->forth[k] += s->back[k];
		if (s->forth[k] < 1e-12 * (double)n * greatest)
			s->forth[k] = 0;
	}
}

/* Moves each split, from the oldest on, to the first place of least cost. */
static void
place_all(struct search *s)
{
	struct candidate *c;
	struct place p;
	double least;
	size_t k;

	for (size_t i = 0; i < s->n_list; i++) {
		c = &s->list[i];
		p = place_of(s, i);
		if (c->s.is_given || !is_new(&c->placed, p))
			continue;
		find_costs(s, p.from, p.to);
		least = INFINITY;
		for (k = SPLIT_SIDE; k <= p.to - p.from - SPLIT_SIDE; k++)
			least = fmin(least, s->forth[k]);
		if (s->forth[p.at - p.from] <= NOT_WORSE * least)
			continue;
		for (k = SPLIT_SIDE; s->forth[k] > NOT_WORSE * least; k++)
			;
		c->placed.at = c->s.at = p.from + k;
	}
}

/* --- tests ---------------------------------------------------------------- */

double
splits_least_p(size_t n, size_t b)
{
	double ways = 1;

	if (b > n - b)
		b = n - b;
	for (size_t i = 1; i <= b && isfinite(ways); i++)
		ways *= (double)(n - b + i) / (double)i;
	return 2 / ways;
}

/* p of the ranks on both sides of a split. */
static double
test_ranks(struct search *s, struct place p)
{
	size_t n = p.to - p.from, b = p.to - p.at, end, later;
	double z, least = splits_least_p(n, b);
	int64_t twice_sum = 0;

	for (size_t i = 0; i < n; i++)
		s->keys[i] = (uint64_t)s->groups[p.from + i] << 1 |
		    (p.from + i >= p.at);
	sort_u64(s->keys, n);
	for (size_t i = 0; i < n; i = end) {
		later = 0;
		for (end = i; end < n && s->keys[end] >> 1 ==
		    s->keys[i] >> 1; end++)
			later += s->keys[end] & 1;
		twice_sum += (int64_t)(later * (i + 1 + end));
	}
	z = fabs((double)(twice_sum - (int64_t)(b * (n + 1)))) / 2;
	/* One side has the first ranks: the sides do not overlap. */
	if (z == (double)(b * (n - b)) / 2)
		return least;
	z /= sqrt((double)(n - b) * (double)b * (double)(n + 1) / 12);
	return fmax(least, erfc(z * M_SQRT1_2));
}

double
splits_sigma(double *deviations, size_t n, size_t segments)
{
	/* What each segment's median takes from them is given back. */
	size_t kept = n * 9 / 10, fitted = 2 * segments;
	double sum = 0;

	values_sort(deviations, n);
	for (size_t i = 0; i < kept; i++)
		sum += deviations[i];
	return 1.52 * sum / (double)(kept > fitted ? kept - fitted : 1);
}

double
splits_size(double difference, double sigma, size_t before, size_t after)
{
	double error = sigma * sqrt(1 / (double)before + 1 / (double)after);

	return error > 0 ? difference / error :
	    difference > 0 ? INFINITY : 0;
}

/* Sets the medians on both sides and the noise around them. */
static void
measure(struct search *s, struct split *k, struct place p)
{
	k->before = values_median(s->x + p.from, p.at - p.from, s->values);
	k->after = values_median(s->x + p.at, p.to - p.at, s->values);
	for (size_t i = p.from; i < p.to; i++)
		s->values[i - p.from] = fabs(s->x[i] -
		    (i < p.at ? k->before : k->after));
	k->sigma = splits_sigma(s->values, p.to - p.from, 2);
}

/* Set the strength of all candidates, and whether they fail. */

static void
test_by_ranks(struct search *s)
{
	struct candidate *c;
	struct place p;

	for (size_t i = 0; i < s->n_list; i++) {
		c = &s->list[i];
		p = place_of(s, i);
		if (is_new(&c->tested, p))
			c->s.p = test_ranks(s, p);
		c->strength = -c->s.p;
		c->fails = !c->s.is_given &&
		    c->s.p * (double)s->n > SPLIT_P_MAX;
	}
}

static void
test_by_size(struct search *s)
{
	const struct splits *r = s->result;
	struct candidate *c;
	struct place p;

	for (size_t i = 0; i < s->n_list; i++) {
		c = &s->list[i];
		p = place_of(s, i);
		if (is_new(&c->measured, p))
			measure(s, &c->s, p);
		c->s.size = splits_size(fabs(c->s.after - c->s.before),
		    fmax(r->quantum, c->s.sigma) * r->factor, p.at - p.from,
		    p.to - p.at);
		c->strength = c->s.size;
		c->fails = !c->s.is_given && r->factor > 1 &&
		    c->s.size < SPLIT_SIZE_MIN;
	}
}

/*
 * Removes the candidates that fail, but not those with a weaker neighbour that
 * fails, too; of equal ones the later is weaker.  Returns whether any failed.
 */
static bool
remove_weakest(struct search *s)
{
	const struct candidate *c, *next, *end = s->list + s->n_list;
	bool previous_fails = false, stays;
	double previous = 0;
	size_t n = 0;

	for (c = s->list; c < end; c++) {
		next = c + 1;
		stays = !c->fails ||
		    (previous_fails && previous < c->strength) ||
		    (next < end && next->fails &&
		    next->strength <= c->strength);
		previous_fails = c->fails;
		previous = c->strength;
		if (stays)
			s->list[n++] = *c;
	}
	stays = n == s->n_list;
	s->n_list = n;
	return !stays;
}

/* The smallest difference of two unequal values of the series. */
static double
find_quantum(struct search *s)
{
	double least = INFINITY, d;

	memcpy(s->values, s->x, s->n * sizeof *s->values);
	values_sort(s->values, s->n);
	for (size_t i = 1; i < s->n; i++) {
		d = s->values[i] - s->values[i - 1];
		if (d > 1e-9 * s->values[s->n - 1])
			least = fmin(least, d);
	}
	return isfinite(least) ? least : 0;
}

/* Sets phi of the residuals of the segments, and what follows from it. */
static void
find_dependence(struct search *s)
{
	struct splits *r = s->result;
	double n = (double)s->n, greatest = 0, level;
	size_t i = 0, end;

	for (size_t segment = 0; segment <= s->n_list; segment++) {
		level = segment < s->n_list ? s->list[segment].s.before :
		    r->level;
		end = segment < s->n_list ? s->list[segment].s.at : s->n;
		for (; i < end; i++) {
			s->forth[i] = s->x[i] - level;
			greatest = fmax(greatest, s->x[i]);
		}
	}
	r->phi = values_autocorrelation(s->forth, s->n, 0, 1e-12 * greatest,
	    s->back, s->values);
	/* The medians of the segments have taken some from it. */
	if (!isnan(r->phi))
		r->phi += (1 + 3 * r->phi) * (double)(s->n_list + 1) / n;
	r->phi = fmin(fmax(0, r->phi), 1 - 1 / n);
	r->factor = r->phi > 1 / sqrt(n) ?
	    sqrt((1 + r->phi) / (1 - r->phi)) : 1;
	r->quantum = r->factor > 1 ? find_quantum(s) : 0;
}

/* Removes candidates until all are proven, each at its place. */
static void
prove_all(struct search *s)
{
	struct splits *r = s->result;
	size_t n;

	do {
		place_all(s);
		n = s->n_list;
		do
			test_by_ranks(s);
		while (remove_weakest(s));
		if (s->n_list < n)
			continue;
		r->factor = 1;
		r->quantum = 0;
		test_by_size(s);
		r->level = n > 0 ? s->list[n - 1].s.after :
		    values_median(s->x, s->n, s->values);
		find_dependence(s);
		do
			test_by_size(s);
		while (remove_weakest(s));
	} while (s->n_list < n);
}

/* --- ranges --------------------------------------------------------------- */

/* Sets the plausible places, whose cost is little more than the least. */
static void
find_range(struct search *s, struct split *k, struct place p)
{
	const struct splits *r = s->result;
	double limit;

	k->first = k->last = k->at;
	if (k->is_given)
		return;
	find_costs(s, p.from, p.to);
	limit = s->forth[p.at - p.from] * NOT_WORSE +
	    RANGE * fmax(r->quantum, k->sigma) * r->factor;
	for (size_t i = SPLIT_SIDE; i <= p.to - p.from - SPLIT_SIDE; i++) {
		if (s->forth[i] > limit)
			continue;
		if (p.from + i < k->first)
			k->first = p.from + i;
		if (p.from + i > k->last)
			k->last = p.from + i;
	}
}

void
splits_find(struct splits *r, const double *points, size_t n,
    const size_t *given, size_t n_given)
{
	struct search s = { .result = r, .x = points, .n = n };
	struct split *split;

	arena_reset(&r->room);
	s.list = arena_array(&r->room, n, sizeof *s.list);
	s.groups = arena_array(&r->room, n, sizeof *s.groups);
	s.ends = arena_array(&r->room, n + 1, sizeof *s.ends);
	s.starts = arena_array(&r->room, n + 1, sizeof *s.starts);
	s.filled = arena_array(&r->room, n + 1, sizeof *s.filled);
	s.twice_ranks = arena_array(&r->room, n, sizeof *s.twice_ranks);
	s.slots = arena_array(&r->room, n, (STARTS + 1) * sizeof *s.slots);
	s.values = arena_array(&r->room, n, sizeof *s.values);
	s.forth = arena_array(&r->room, n + 1, sizeof *s.forth);
	s.back = arena_array(&r->room, n + 1, sizeof *s.back);
	s.keys = arena_array(&r->room, n, sizeof *s.keys);
	/* Windows of w points: at most 4 n / w + 2, and w >= 12 halves. */
	s.windows = arena_array(&r->room, n + 64, sizeof *s.windows);

	memcpy(s.values, points, n * sizeof *s.values);
	values_sort(s.values, n);
	for (size_t i = 0; i < n; i++)
		s.groups[i] = SEARCH_FIRST(k, n, s.values[k] >= points[i]);
	find_candidates(&s, given, n_given);
	prove_all(&s);
	r->n = s.n_list;
	r->list = arena_array(&r->room, r->n, sizeof *r->list);
	for (size_t i = 0; i < r->n; i++) {
		split = &r->list[i];
		*split = s.list[i].s;
		if (r->factor > 1)
			split->p = fmax(split->p,
			    erfc(split->size / sqrt(M_PI)));
		split->p = fmin(1, split->p * (double)n);
		split->sigma = fmax(split->sigma, r->quantum);
		find_range(&s, split, place_of(&s, i));
	}
	running_release(&s.running);
}

void
splits_release(struct splits *s)
{
	arena_release(&s->room);
}
