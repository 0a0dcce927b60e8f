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

/* A split that is still examined, and for which places its figures are. */
struct candidate {
	size_t at;
	struct place placed, compared;
	struct contrast c;
	bool jumps, at_edge;
	double size, p;			/* p: not times the points */
	bool fails;
};

/* Candidates by place, with what their residuals say. */
struct state {
	struct candidate *list;
	size_t n;
	double phi, factor;
};

/* A window whose ranks change at a place. */
struct window {
	double z;
	size_t at, from, to;
};

struct search {
	struct series *x;
	size_t n;		/* points */
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
 * Joins the candidates within each segment to the splits: every stretch between
 * two of them is searched until none is found.
 */
static void
join_candidates(struct search *s, const struct state *old, struct state *new)
{
	const struct candidate *next = old->list, *end = next + old->n;
	size_t from = 0;

	new->n = 0;
	s->ends[0] = s->n;
	s->n_ends = 1;
	for (size_t i = old->n; i-- > 0;)
		s->ends[s->n_ends++] = old->list[i].at;
	for (;;) {
		if (search_stretch(s, from, s->ends[s->n_ends - 1]) > 0)
			continue;
		from = s->ends[--s->n_ends];
		if (from == s->n)
			break;
		new->list[new->n++] = next < end && next->at == from ?
		    *next++ : (struct candidate){ .at = from };
	}
}

/* --- places --------------------------------------------------------------- */

/* The stretch of the i-th candidate, up to its neighbours. */
static struct place
place_of(const struct search *s, const struct state *t, size_t i)
{
	return (struct place){ i > 0 ? t->list[i - 1].at : 0, t->list[i].at,
	    i + 1 < t->n ? t->list[i + 1].at : s->n };
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
place_all(struct search *s, struct state *t)
{
	const double *costs = s->x->costs;
	struct candidate *c;
	struct place p;
	double least;
	size_t k;

	for (size_t i = 0; i < t->n; i++) {
		c = &t->list[i];
		p = place_of(s, t, i);
		if (!is_new(&c->placed, p))
			continue;
		series_find_costs(s->x, p.from, p.to);
		least = INFINITY;
		for (k = SPLIT_SIDE; k <= p.to - p.from - SPLIT_SIDE; k++)
			least = costs[k] < least ? costs[k] : least;
		if (costs[p.at - p.from] <= NOT_WORSE * least)
			continue;
		for (k = SPLIT_SIDE; costs[k] > NOT_WORSE * least; k++)
			;
		c->placed.at = c->at = p.from + k;
	}
}

/* --- the test of a split -------------------------------------------------- */

/*
 * Have fewer points changed than a side must have?  Its place is then wrong, if
 * by a single commit.
 */
static bool
is_at_edge(struct search *s, struct place p)
{
	size_t a = p.at - p.from, b = p.to - p.at, n = a + b;
	const double *costs = s->x->costs;

	if (a != SPLIT_SIDE && b != SPLIT_SIDE)
		return false;
	series_find_costs(s->x, p.from, p.to);
	for (size_t k = 1; k < SPLIT_SIDE; k++)
		if ((a == SPLIT_SIDE && costs[k] < costs[a] * (1 - 1e-9)) ||
		    (b == SPLIT_SIDE && costs[n - k] < costs[a] * (1 - 1e-9)))
			return true;
	return false;
}

/* Sets phi and the factor from the residuals of all segments. */
static void
find_dependence(struct search *s, struct state *t)
{
	size_t from = 0;

	for (size_t i = 0; i < t->n; i++) {
		series_set_level(s->x, from, t->list[i].at,
		    t->list[i].c.before);
		from = t->list[i].at;
	}
	series_set_level(s->x, from, s->n, t->n > 0 ?
	    t->list[t->n - 1].c.after : series_median(s->x, 0, s->n));
	t->factor = series_find_factor(s->x, t->n + 1, &t->phi);
}

/*
 * Ranks must prove a split, and dependence must not explain it: either ranks
 * with a greater error, or the size.  No dependence explains a jump.
 */
static void
test_all(struct search *s, struct state *t)
{
	struct candidate *c;
	struct place p;

	for (size_t i = 0; i < t->n; i++) {
		c = &t->list[i];
		p = place_of(s, t, i);
		if (!is_new(&c->compared, p))
			continue;
		c->c = series_compare(s->x, p);
		c->jumps = series_jumps(s->x, p, 0);
		c->at_edge = is_at_edge(s, p);
	}
	find_dependence(s, t);
	for (c = t->list; c < t->list + t->n; c++) {
		c->size = series_size(fabs(c->c.after - c->c.before),
		    c->c.sigma * t->factor, c->compared);
		c->p = c->at_edge ? 1 : c->jumps ? c->c.p_ranks :
		    fmax(c->c.p_ranks, fmin(erfc(c->size / 2),
		    erfc(c->c.z / t->factor * M_SQRT1_2)));
		c->fails = c->p * (double)s->n > SPLIT_P_MAX;
	}
}

/*
 * Removes the candidates that fail, but not those with a weaker neighbour that
 * fails, too; of equal ones the later is weaker.  Returns whether any failed.
 */
static bool
remove_weakest(struct state *t)
{
	const struct candidate *c, *next, *end = t->list + t->n;
	bool previous_fails = false, stays;
	double previous = 0;
	size_t n = 0;

	for (c = t->list; c < end; c++) {
		next = c + 1;
		stays = !c->fails ||
		    (previous_fails && previous > c->p * NOT_WORSE) ||
		    (next < end && next->fails && next->p * NOT_WORSE >= c->p);
		previous_fails = c->fails;
		previous = c->p;
		if (stays)
			t->list[n++] = *c;
	}
	stays = n == t->n;
	t->n = n;
	return !stays;
}

/* --- proving ------------------------------------------------------------- */

/* Searches until no more splits are found, each proven at its place. */
static struct state
prove_all(struct search *s, struct arena *room)
{
	struct state old = { 0 }, new, spare;

	old.list = arena_array(room, s->n, sizeof *old.list);
	spare.list = arena_array(room, s->n, sizeof *spare.list);
	for (;;) {
		new.list = spare.list;
		join_candidates(s, &old, &new);
		do {
			place_all(s, &new);
			test_all(s, &new);
		} while (remove_weakest(&new));
		if (new.n <= old.n)
			return old.n > 0 ? old : new;
		spare = old;
		old = new;
	}
}

/* Sets the plausible places, whose cost is little more than the least. */
static void
find_range(struct search *s, struct split *k, const struct candidate *c,
    double factor)
{
	struct place p = c->compared;
	double limit;

	series_find_costs(s->x, p.from, p.to);
	limit = NOT_WORSE * (s->x->costs[p.at - p.from] +
	    RANGE * c->c.sigma * factor);
	k->first = k->last = k->at;
	for (size_t i = SPLIT_SIDE; i <= p.to - p.from - SPLIT_SIDE; i++)
		if (s->x->costs[i] <= limit) {
			k->first = k->first < p.from + i ? k->first :
			    p.from + i;
			k->last = k->last > p.from + i ? k->last : p.from + i;
		}
}

void
splits_find(struct splits *r, const double *points, size_t n)
{
	struct search s = { .x = &r->series, .n = n };
	struct arena *a = &r->room;
	struct state found;
	struct candidate *c;

	series_begin(&r->series, points, n);
	arena_reset(a);
	s.ends = arena_array(a, n + 1, sizeof *s.ends);
	s.twice_ranks = arena_array(a, n, sizeof *s.twice_ranks);
	s.errors = arena_array(a, n, sizeof *s.errors);
	/* Windows of w points: at most 4 n / w + 2, and w >= 12 halves. */
	s.windows = arena_array(a, n + 64, sizeof *s.windows);

	found = prove_all(&s, a);
	r->n = found.n;
	r->phi = found.phi;
	r->factor = found.factor;
	r->list = arena_array(a, r->n, sizeof *r->list);
	for (size_t i = 0; i < r->n; i++) {
		c = &found.list[i];
		r->list[i] = (struct split){ .at = c->at,
		    .before = c->c.before, .after = c->c.after,
		    .p = fmin(1, c->p * (double)n), .size = c->size };
		find_range(&s, &r->list[i], c, r->factor);
	}
	find_dependence(&s, &found);
}

void
splits_release(struct splits *s)
{
	series_release(&s->series);
	arena_release(&s->room);
}
