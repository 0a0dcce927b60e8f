/* splits - where the level of a series changes */

#include <math.h>
#include <string.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/stats/splits.h"

/* Windows, of which STARTS begin within the length of one. */
enum { WINDOW_MIN = 12, STARTS = 4 };
#define CANDIDATE_Z	2.7
#define RANGE		3.0	/* of plausible costs, in sigma */

/* A window whose ranks change at a place. */
struct window {
	double z;
	size_t at, from, to;
};

struct search {
	struct splits *found;
	struct series *x;
	size_t *ends;		/* of stretches to be searched, a stack */
	size_t n_ends;

	/* Room for each point, and for all windows. */
	int64_t *twice_ranks;
	double *errors;
	struct window *windows;
};

/* --- candidates ----------------------------------------------------------- */

/*
 * Scans w points from `from`.  For each k the sum of the midranks of the first
 * k points is compared with that of a random order, in standard errors (half of
 * s->errors[k]): the greatest decides.
 */
static struct window
scan(struct search *s, size_t from, size_t w)
{
	const uint64_t *order = series_order(s->x, from, w);
	const double *sorted = s->x->sorted;
	struct window best = { .from = from, .to = from + w };
	int64_t twice_sum = 0;
	size_t end;
	double z;

	for (size_t i = 0; i < w; i = end) {
		for (end = i + 1; end < w && sorted[order[end]] ==
		    sorted[order[i]]; end++)
			;
		for (size_t j = i; j < end; j++)
			s->twice_ranks[s->x->points[order[j]] - from] =
			    (int64_t)(i + 1 + end);
	}
	for (size_t k = 1; k <= w - SPLIT_SIDE; k++) {
		twice_sum += s->twice_ranks[k - 1] - (int64_t)(w + 1);
		z = fabs((double)twice_sum);
		/* Most are far from a candidate: no division for them. */
		if (k < SPLIT_SIDE || z < (CANDIDATE_Z - 1e-8) * s->errors[k])
			continue;
		z /= s->errors[k];
		if (z > best.z + 1e-9) {
			best.z = z;
			best.at = from + k;
		}
	}
	return best;
}

static int
compare_windows(const void *a, const void *b)
{
	const struct window *v = a, *w = b;
	return (v->z < w->z) - (v->z > w->z) ?: cmp_u64(v->at, w->at) ?:
	    cmp_u64(v->from, w->from);
}

/*
 * Searches a stretch for candidates, pushes them, and returns how many.  Where
 * several windows have one within them, that with the greatest z counts.
 */
static size_t
search_stretch(struct search *s, size_t from, size_t to)
{
	size_t n = to - from, found = 0, n_new = 0, last, j;
	size_t *new = s->ends + s->n_ends;
	struct window *v;

	for (size_t w = n; w >= 2 * SPLIT_SIDE && (w == n || w >= WINDOW_MIN);
	    w /= 2) {
		for (size_t k = SPLIT_SIDE; k <= w - SPLIT_SIDE; k++)
			s->errors[k] = sqrt((double)k * (double)(w - k) *
			    (double)(w + 1) / 3);
		last = (STARTS * (n - w) + w - 1) / w;
		for (size_t i = 0; i <= last; i++) {
			v = &s->windows[found];
			*v = scan(s, from + (i > 0 ? (n - w) * i / last : 0),
			    w);
			found += v->z >= CANDIDATE_Z - 1e-9;
		}
	}
	sort(s->windows, found, sizeof *s->windows, compare_windows);
	for (v = s->windows; v < s->windows + found; v++) {
		for (j = 0; j < n_new && !(v->from < new[j] &&
		    new[j] < v->to); j++)
			;
		if (j < n_new)
			continue;
		for (j = n_new++; j > 0 && new[j - 1] < v->at; j--)
			new[j] = new[j - 1];
		new[j] = v->at;
	}
	s->n_ends += n_new;
	return n_new;
}

/*
 * Joins the candidates within each segment to the n old splits: every stretch
 * between two of them is searched until none is found.
 */
static void
join_candidates(struct search *s, const struct split *old, size_t n)
{
	const struct split *end = old + n;
	struct splits *r = s->found;
	size_t from = 0;

	r->n = 0;
	s->ends[0] = s->x->n;
	s->n_ends = 1;
	for (size_t i = n; i-- > 0;)
		s->ends[s->n_ends++] = old[i].at;
	for (;;) {
		if (search_stretch(s, from, s->ends[s->n_ends - 1]) > 0)
			continue;
		from = s->ends[--s->n_ends];
		if (from == s->x->n)
			break;
		r->list[r->n++] = old < end && old->at == from ? *old++ :
		    (struct split){ .at = from };
	}
}

/* --- places --------------------------------------------------------------- */

/* The stretch of the i-th split, up to its neighbours. */
static struct place
place_of(const struct splits *r, size_t i)
{
	return (struct place){ i > 0 ? r->list[i - 1].at : 0, r->list[i].at,
	    i + 1 < r->n ? r->list[i + 1].at : r->series.n };
}

/* Is this another place than the known one?  Then it becomes the known one. */
static bool
is_new(struct place *known, struct place p)
{
	bool same = memcmp(known, &p, sizeof p) == 0;

	*known = p;
	return !same;
}

/* Moves each split, from the oldest on, to the first place of least cost. */
static void
place_all(struct splits *r)
{
	const double *costs = r->series.costs;
	struct place p;
	double least;
	size_t k;

	for (size_t i = 0; i < r->n; i++) {
		p = place_of(r, i);
		if (!is_new(&r->list[i].placed, p))
			continue;
		series_find_costs(&r->series, p.from, p.to);
		least = INFINITY;
		for (k = SPLIT_SIDE; k <= p.to - p.from - SPLIT_SIDE; k++)
			least = costs[k] < least ? costs[k] : least;
		if (costs[p.at - p.from] <= NOT_WORSE * least)
			continue;
		for (k = SPLIT_SIDE; costs[k] > NOT_WORSE * least; k++)
			;
		r->list[i].placed.at = r->list[i].at = p.from + k;
	}
}

/* --- the test of a split -------------------------------------------------- */

/*
 * Have fewer points changed than a side must have?  Its place is then wrong, if
 * by a single commit.
 */
static bool
is_at_edge(struct series *x, struct place p)
{
	size_t a = p.at - p.from, b = p.to - p.at, n = a + b;
	const double *costs = x->costs;

	if (a != SPLIT_SIDE && b != SPLIT_SIDE)
		return false;
	series_find_costs(x, p.from, p.to);
	for (size_t k = 1; k < SPLIT_SIDE; k++)
		if ((a == SPLIT_SIDE && costs[k] < costs[a] * (1 - 1e-9)) ||
		    (b == SPLIT_SIDE && costs[n - k] < costs[a] * (1 - 1e-9)))
			return true;
	return false;
}

/* Sets phi and the factor from the residuals of all segments. */
static void
find_dependence(struct splits *r)
{
	struct series *x = &r->series;
	const struct split *k;
	size_t from = 0;

	for (k = r->list; k < r->list + r->n; k++) {
		series_set_level(x, from, k->at, k->c.before);
		from = k->at;
	}
	series_set_level(x, from, x->n, r->n > 0 ? k[-1].c.after :
	    series_median(x, 0, x->n));
	r->factor = series_find_factor(x, r->n + 1, &r->phi);
}

/*
 * Ranks must prove a split, and dependence must not explain it: either ranks
 * with a greater error, or the size.  No dependence explains a jump.
 */
static void
test_all(struct splits *r)
{
	struct series *x = &r->series;
	struct split *k;
	struct place p;

	for (size_t i = 0; i < r->n; i++) {
		k = &r->list[i];
		p = place_of(r, i);
		if (!is_new(&k->compared, p))
			continue;
		k->c = series_compare(x, p);
		k->jumps = series_jumps(x, p, false);
		k->at_edge = is_at_edge(x, p);
	}
	find_dependence(r);
	for (k = r->list; k < r->list + r->n; k++) {
		k->size = series_size(fabs(k->c.after - k->c.before),
		    k->c.sigma * r->factor, k->compared);
		k->p = (double)x->n * (k->at_edge ? 1 : k->jumps ?
		    k->c.p_ranks : fmax(k->c.p_ranks, fmin(erfc(k->size / 2),
		    erfc(k->c.z / r->factor * M_SQRT1_2))));
	}
}

/* The p of a split that fails, or 0. */
static double
failing_p(const struct split *k)
{
	return k->p > SPLIT_P_MAX ? k->p : 0;
}

/*
 * Removes the splits that fail, but not those with a weaker neighbour that
 * fails, too; of equal ones the later is weaker.  Returns whether any failed.
 */
static bool
remove_weakest(struct splits *r)
{
	const struct split *k, *end = r->list + r->n;
	double p, before = 0, after;
	size_t n = 0;

	for (k = r->list; k < end; k++) {
		p = failing_p(k);
		after = k + 1 < end ? failing_p(k + 1) : 0;
		if (p == 0 || before > p * NOT_WORSE || after * NOT_WORSE >= p)
			r->list[n++] = *k;
		before = p;
	}
	r->n = n;
	return r->list + n < end;
}

/* --- proving ------------------------------------------------------------- */

/* Searches until no more splits are found, each proven at its place. */
static void
prove_all(struct search *s, struct arena *a)
{
	struct splits *r = s->found;
	struct split *old, *new = arena_array(a, s->x->n, sizeof *new);
	size_t n;

	r->list = arena_array(a, s->x->n, sizeof *r->list);
	r->n = 0;
	do {
		old = r->list;
		n = r->n;
		r->list = new;
		join_candidates(s, old, n);
		do {
			place_all(r);
			test_all(r);
		} while (remove_weakest(r));
		new = old;
	} while (r->n > n);
	r->list = old;
	r->n = n;
	find_dependence(r);
}

/* Sets the plausible places, whose cost is little more than the least. */
static void
find_range(struct splits *r, struct split *k)
{
	struct place p = k->compared;
	const double *costs = r->series.costs;
	double limit;
	size_t i;

	series_find_costs(&r->series, p.from, p.to);
	limit = NOT_WORSE * (costs[p.at - p.from] +
	    RANGE * k->c.sigma * r->factor);
	for (i = SPLIT_SIDE; costs[i] > limit; i++)
		;
	k->first = p.from + i;
	for (i = p.to - p.from - SPLIT_SIDE; costs[i] > limit; i--)
		;
	k->last = p.from + i;
}

void
splits_find(struct splits *r, const double *points, size_t n, struct arena *a)
{
	struct search s = { .found = r, .x = &r->series };

	series_begin(&r->series, points, n);
	s.ends = arena_array(a, n + 1, sizeof *s.ends);
	s.twice_ranks = arena_array(a, n, sizeof *s.twice_ranks);
	s.errors = arena_array(a, n, sizeof *s.errors);
	/* Windows of w points: at most 4 n / w + 2, and w >= 12 halves. */
	s.windows = arena_array(a, n + 64, sizeof *s.windows);

	prove_all(&s, a);
	for (struct split *k = r->list; k < r->list + r->n; k++) {
		k->p = fmin(1, k->p);
		find_range(r, k);
	}
}
