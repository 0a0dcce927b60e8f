/* levels - the levels of a series, and its state today */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats/levels.h"
#include "common/stats/ranks.h"

enum { BLOCKS = 8, BLOCK_MIN = 2 };	/* of a segment that may grow */
enum { NEWEST_MAX = 7, OLD_MIN = 8 };	/* points of what is suspected */
enum { LASTING = 10 };			/* points: a visible change, no dip */
enum { NEAR = 3 };			/* points from an accepted commit */
enum { JUMPS_MIN = 8 };			/* before exact values have a noise */
#define SUSPECTED_P	0.02
#define SUSPECTED_D	(6 - 1e-9)

/* A step of the levels in one direction is against the other. */
enum { WORSE = 1, BETTER = -1 };

/* An examination of a series. */
struct search {
	struct levels *result;
	struct series *x;
	const struct yardstick *y;
	size_t accepted;	/* points before the accepted commit */
	struct level *since;	/* levels from the accepted commit on */
	size_t n_since;
};

/* Is v to this side of u by a ratio of u? */
static bool
is_to(const struct yardstick *y, int side, double u, double v, double ratio)
{
	double d = (y->more ? u - v : v - u) * side;

	return d > 0 && d >= ratio * u * (1 - 1e-9);
}

bool
levels_differ(const struct yardstick *y, double u, double v)
{
	return is_to(y, WORSE, u, v, y->effect) ||
	    is_to(y, BETTER, u, v, y->effect);
}

bool
levels_is_past(const struct levels *l, const struct yardstick *y, size_t i)
{
	const struct level *v = l->list + i;
	double u = v[-1].value;
	int side = is_to(y, WORSE, u, v->value, 0) ? WORSE : BETTER;

	while (++v < l->list + l->n)
		if (!is_to(y, side, u, v->value, y->effect))
			return true;
	return false;
}

/* --- levels --------------------------------------------------------------- */

/* The place where a block of the segment of a level begins. */
static size_t
begin_of_block(const struct level *v, size_t block)
{
	return v->from + (v->to - v->from) * block / BLOCKS;
}

static double
median_of_block(struct search *s, const struct level *v, size_t block)
{
	return series_median(s->x, begin_of_block(v, block),
	    begin_of_block(v, block + 1));
}

/* Do the medians of all blocks of a segment rise, or all fall? */
static bool
grows(struct search *s, const struct level *v)
{
	int rises = 0, falls = 0;
	double last, next;

	if (v->to - v->from < BLOCKS * BLOCK_MIN)
		return false;
	last = median_of_block(s, v, 0);
	for (size_t i = 1; i < BLOCKS && (rises == 0 || falls == 0); i++) {
		next = median_of_block(s, v, i);
		rises += next > last;
		falls += next < last;
		last = next;
	}
	return rises == BLOCKS - 1 || falls == BLOCKS - 1;
}

/* Adds the levels of a segment, which comes after this split, or NULL. */
static void
add_segment(struct search *s, size_t from, size_t to, const struct split *split)
{
	struct level *v = s->result->list + s->result->n++;

	*v = (struct level){ .value = series_median(s->x, from, to),
	    .from = from, .to = to, .at = from, .p = NAN, .size = NAN,
	    .sigma = series_sigma(s->x, from, to) };
	if (split != NULL) {
		v->first = split->first;
		v->last = split->last;
		v->p = split->p;
		v->size = split->size;
	}
	if (!grows(s, v))
		return;
	v->value = median_of_block(s, v, 0);
	/* That all blocks of a random order rise or fall: 2 of 8! orders. */
	v[1] = (struct level){ .value = median_of_block(s, v, BLOCKS - 1),
	    .from = from, .to = to, .at = (from + to) / 2, .first = from + 1,
	    .last = to - 1, .p = 2 / 40320.0, .size = NAN, .grows = true,
	    .sigma = v->sigma };
	s->result->n++;
}

/* --- what is suspected ---------------------------------------------------- */

/* A few points at an end of a segment, against its others. */
struct suspect {
	struct place p;
	struct contrast c;
	double cost, size;
	bool counts;
	bool counts_nearer;	/* if of two middle values the nearer counts */
};

/*
 * Do the points on both sides of a place look different?  A jump counts only
 * for the newest points.  The costs of the segment are known.
 */
static struct suspect
examine(struct search *s, struct place p, bool newest)
{
	struct suspect t = { .p = p, .cost = s->x->costs[p.at - p.from] };
	double error, phi, nearer;
	bool jumps;

	t.c = series_compare(s->x, p);
	if (t.c.p_ranks > NOT_WORSE * fmax(SUSPECTED_P,
	    ranks_least_p(p.to - p.from, p.at - p.from)))
		return t;
	series_set_level(s->x, p.from, p.at, t.c.before);
	series_set_level(s->x, p.at, p.to, t.c.after);
	error = t.c.sigma * series_find_factor(s->x,
	    s->result->splits.n + 2, &phi);
	series_set_level(s->x, p.from, p.to, series_median(s->x, p.from, p.to));

	t.size = series_size(fabs(t.c.after - t.c.before), error, p);
	nearer = series_nearer_median(s->x, p.at, p.to - p.at, t.c.before);
	jumps = newest && series_jumps(s->x, p, true);
	t.counts = jumps || t.size >= SUSPECTED_D;
	t.counts_nearer = jumps || series_size(fabs(nearer - t.c.before),
	    error, p) >= SUSPECTED_D;
	return t;
}

/* The number of points after the place of least cost, of which there are more
   than a few. */
static size_t
choose_many(const double *costs, size_t n)
{
	double least = INFINITY;
	size_t k;

	if (n < NEWEST_MAX + 1 + OLD_MIN)
		return 0;
	for (k = OLD_MIN; k < n - NEWEST_MAX; k++)
		least = fmin(least, costs[k]);
	for (k = OLD_MIN; costs[k] > NOT_WORSE * least; k++)
		;
	return n - k;
}

/* Of those that count the one of least cost; of equal ones the last. */
static const struct suspect *
choose(const struct suspect *list, size_t n)
{
	const struct suspect *best = NULL;
	double least = INFINITY;

	for (size_t i = 0; i < n; i++)
		if (list[i].counts)
			least = fmin(least, list[i].cost);
	for (size_t i = 0; i < n; i++)
		if (list[i].counts && list[i].cost <= NOT_WORSE * least)
			best = &list[i];
	return best;
}

static void
find_newest(struct search *s)
{
	struct levels *l = s->result;
	struct place p = { .from = l->list[l->n - 1].from,
	    .to = l->n_points };
	struct suspect list[NEWEST_MAX + 1];
	const struct suspect *best, *other;
	size_t n = 0, many;

	series_find_costs(s->x, p.from, p.to);
	many = choose_many(s->x->costs, p.to - p.from);
	for (size_t k = 1; k <= NEWEST_MAX && p.from + OLD_MIN + k <= p.to;
	    k++) {
		p.at = p.to - k;
		list[n++] = examine(s, p, true);
	}
	if (many > 0) {
		p.at = p.to - many;
		list[n++] = examine(s, p, true);
	}
	best = choose(list, n);
	if (best == list) {
		/* One point, unless more go with it. */
		for (size_t i = 1; i < n; i++)
			list[i].counts &= list[i].counts_nearer;
		other = choose(list + 1, n - 1);
		best = other != NULL ? other : best;
	}
	if (best != NULL)
		l->newest = (struct newest){ p.to - best->p.at,
		    best->c.before, best->c.after, best->size };
}

/* --- from the accepted commit on ------------------------------------------ */

/*
 * The level at which the levels begin: the newest whose step may be before the
 * accepted commit, or the next if it is a little later, and that one is not as
 * near: places move by a point or two when more is known.
 */
static size_t
find_base(const struct search *s)
{
	const struct level *list = s->result->list;
	size_t a = s->accepted, base = 0, next, n = s->result->n, near;

	for (size_t i = 1; i < n; i++)
		if (!list[i].grows && list[i].first <= a)
			base = i;
	next = base + 1;
	next += next < n && list[next].grows;
	if (s->y->exact || next == n)
		return base;
	near = list[next].first - a;
	return near <= NEAR && (base == 0 || list[base].last + near < a) ?
	    next : base;
}

/* Divides a level at a place; the step there is only suspected. */
static void
divide(struct level *v, size_t at, double before, double after, double size)
{
	v->value = before;
	v[1] = (struct level){ .value = after, .at = at, .first = at,
	    .last = at, .p = NAN, .size = size, .sigma = v->sigma };
}

/*
 * If the first points of the accepted level look unlike its others, they are
 * what is accepted, and the others are a suspected step.
 */
static void
divide_head(struct search *s)
{
	struct suspect list[NEWEST_MAX];
	const struct suspect *best;
	struct level *v = s->since;
	struct place p = { .from = v->from, .to = v->to };
	size_t n = 0;

	series_find_costs(s->x, p.from, p.to);
	for (size_t j = NEWEST_MAX; j > 0; j--) {
		p.at = p.from + j;
		if (p.at + OLD_MIN <= p.to)
			list[n++] = examine(s, p, false);
	}
	best = choose(list, n);
	if (best == NULL || s->accepted >= best->p.at)
		return;
	memmove(v + 2, v + 1, (s->n_since - 1) * sizeof *v);
	s->n_since++;
	divide(v, best->p.at, best->c.before, best->c.after, best->size);
}

/* Makes the levels from the accepted commit on. */
static void
find_since(struct search *s)
{
	struct levels *l = s->result;
	size_t a = s->accepted, base = a > 0 ? find_base(s) : 0;
	size_t newest = l->n_points - l->newest.n, block = 0, from;
	struct level *v = s->since;

	s->n_since = l->n - base;
	memcpy(v, l->list + base, s->n_since * sizeof *v);
	l->n_accepted = base + 1;
	if (a == 0 || s->y->exact)
		return;
	if (base + 1 < l->n && l->list[base + 1].grows) {
		/* Its level at the accepted commit, and its last. */
		from = a > v->from ? a : v->from;
		while (block + 1 < BLOCKS &&
		    begin_of_block(v, block + 1) <= from)
			block++;
		v->value = median_of_block(s, v, block);
		v[1].first = from + 1;
		v[1].at = v[1].at > from + 1 ? v[1].at : from + 1;
		if (block + 1 == BLOCKS) {
			memmove(v + 1, v + 2, (--s->n_since - 1) * sizeof *v);
			l->n_accepted++;
		}
	} else if (base > 0) {
		divide_head(s);
	}
	if (l->newest.n > 0 && newest <= a) {
		s->n_since = 1;
		v->value = l->newest.after;
		v->at = newest;
		l->newest.n = 0;
	}
}

/* --- the state today ------------------------------------------------------ */

/*
 * Is a level a dip, or a hump, that comes between two levels which are to this
 * side of it, and is short?
 */
static bool
is_dip(const struct search *s, int side, size_t i)
{
	const struct level *v = s->since;
	double effect = s->y->effect;
	size_t end;			/* of the nearest one before it */

	for (size_t p = i; p-- > 0 && v[i].at - v[p + 1].at < LASTING;) {
		if (!is_to(s->y, side, v[i].value, v[p].value, effect))
			continue;
		end = v[p + 1].at;
		for (size_t q = i + 1; q < s->n_since &&
		    v[q].at - end < LASTING; q++)
			if (is_to(s->y, side, v[i].value, v[q].value, effect))
				return true;
		return false;
	}
	return false;
}

/* Of exact values: is it more than what came and went before its steps? */
static bool
exceeds_noise(const struct levels *l, const struct today *t)
{
	size_t n = t->steps[0].at;
	double *jumps, usual;

	if (n <= JUMPS_MIN)
		return true;
	jumps = mem_table(n, sizeof *jumps);
	for (size_t i = 1; i < n; i++)
		jumps[i - 1] = fabs(l->points[i] - l->points[i - 1]);
	values_sort(jumps, n - 1);
	usual = values_median_sorted(jumps, n - 1);
	free(jumps);
	return fabs(t->after - t->before) >= 8 * (1 - 1e-9) * usual;
}

/*
 * Is the last level to this side of the best one?  Then sets what has happened
 * since the last level that was about as good as the best.
 */
static bool
compare_levels(struct search *s, int side, struct today *t)
{
	const struct level *v = s->since, *best = NULL;
	const struct yardstick *y = s->y;
	size_t n = s->n_since, before;
	double now = v[n - 1].value;

	for (size_t i = 0; i < n; i++)
		if (!is_dip(s, side, i) && (best == NULL ||
		    is_to(y, -side, best->value, v[i].value, 0)))
			best = &v[i];
	if (!is_to(y, side, best->value, now, y->effect))
		return false;
	/* The best level itself is one. */
	for (before = n - 1; &v[before] != best; before--)
		if (is_to(y, side, v[before].value, now, y->effect) &&
		    !is_to(y, side, best->value, v[before].value,
		    y->effect / 2) && !is_dip(s, side, before))
			break;
	t->before = v[before].value;
	t->after = now;
	t->steps = arena_array(&s->result->room, n, sizeof *t->steps);
	t->n_steps = 0;
	t->p = NAN;
	for (size_t i = before + 1; i < n; i++)
		if (is_to(y, side, v[i - 1].value, v[i].value, 0)) {
			t->steps[t->n_steps++] = v[i];
			t->p = fmin(t->p, v[i].p);
		}
	return !y->exact || exceeds_noise(s->result, t);
}

/*
 * The smallest effect that would have been seen: seven standard errors of a
 * change that lasted LASTING points, if that many could be proven, and one that
 * makes the difference of the levels reach the effect.
 */
static double
find_visible(const struct search *s)
{
	const struct levels *l = s->result;
	const struct level *last = &l->list[l->n - 1];
	size_t n = last->to - last->from;
	double error, level = last->value;

	if (n < 2 * LASTING || (double)s->x->n * ranks_least_p(n, LASTING) >
	    SPLIT_P_MAX || last->grows || level == 0 || last->sigma == 0)
		return NAN;
	error = last->sigma * l->splits.factor *
	    sqrt(1.0 / LASTING + 1 / (double)(n - LASTING));
	level = fmax(7 * error, fmax(s->y->effect * level, 0.75 * s->x->tick) +
	    1.055 * error) / level;
	return level <= 1 ? level : NAN;
}

/* --- series --------------------------------------------------------------- */

void
levels_find(struct levels *l, const double *points, size_t n,
    const struct yardstick *y)
{
	struct search s = { .result = l, .x = &l->splits.series, .y = y };
	struct splits *k = &l->splits;
	size_t from = 0, to;

	arena_reset(&l->room);
	l->points = points;
	l->n_points = n;
	l->n = 0;
	l->newest.n = 0;
	if (y->exact) {
		/* Each value is a level; neighbours that are equal are one. */
		l->visible = y->effect;
		l->list = arena_array(&l->room, n, sizeof *l->list);
		for (size_t i = 0; i < n; i++)
			if (i == 0 || points[i] != points[i - 1])
				l->list[l->n++] = (struct level){ .at = i,
				    .first = i, .last = i, .value = points[i],
				    .size = NAN };
		return;
	}

	splits_find(k, points, n, &l->room);
	l->list = arena_array(&l->room, 2 * k->n + 2, sizeof *l->list);
	for (size_t i = 0; i <= k->n; i++) {
		to = i < k->n ? k->list[i].at : n;
		add_segment(&s, from, to, i > 0 ? &k->list[i - 1] : NULL);
		from = to;
	}
	find_newest(&s);
	l->visible = find_visible(&s);
}

void
levels_judge(struct levels *l, const struct yardstick *y, size_t accepted)
{
	struct search s = { .result = l, .x = &l->splits.series, .y = y,
	    .accepted = accepted };
	struct today *t = &l->today, newest = { .state = STATE_SUSPECTED };
	const struct newest *w = &l->newest;
	struct level *v, last;
	bool looks_worse;

	*t = (struct today){ STATE_SAME, .p = NAN };
	s.since = arena_array(&l->room, l->n + 2, sizeof *s.since);
	find_since(&s);
	if (compare_levels(&s, WORSE, t))
		t->state = isnan(t->p) ? STATE_SUSPECTED : STATE_DEGRADED;

	/* What would the newest points make of it? */
	if (w->n > 1) {
		v = &s.since[s.n_since - 1];
		last = *v;
		divide(v, s.x->n - w->n, w->before, w->after, w->size);
		s.n_since++;
		looks_worse = compare_levels(&s, WORSE, &newest);
		s.n_since--;
		*v = last;
		t->is_repairing = t->state == STATE_DEGRADED && !looks_worse;
		if (t->state == STATE_SAME && looks_worse)
			*t = newest;
	}
	if (t->state == STATE_SAME && is_to(y, BETTER, s.since->value,
	    s.since[s.n_since - 1].value, y->effect) &&
	    compare_levels(&s, BETTER, t))
		t->state = STATE_IMPROVED;
}

void
levels_release(struct levels *l)
{
	series_release(&l->splits.series);
	arena_release(&l->room);
}
