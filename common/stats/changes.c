/* changes - what the splits of a series amount to */

#include <math.h>

#include "common/base/mem.h"
#include "common/stats/changes.h"
#include "common/stats/values.h"

enum { BLOCKS = 8, BLOCK_MIN = 2 };	/* of a segment that may grow */
enum { NEWEST_MAX = 7, OLD_MIN = 12 };	/* points */
enum { LASTING = 10 };			/* points after a visible change */
enum { JUMPS_MIN = 8 };			/* before an exact value is judged */

/* A search in n points, and its steps. */
struct search {
	struct changes *result;
	const double *x;
	double min_effect;
	double *room;			/* for each point */
	struct change_point *steps;
	size_t n_steps;
};

/* --- steps ---------------------------------------------------------------- */

/* The noise of n points around their median. */
static double
find_sigma(struct search *s, const double *x, size_t n, double median)
{
	for (size_t i = 0; i < n; i++)
		s->room[i] = fabs(x[i] - median);
	return splits_sigma(s->room, n, 1);
}

/*
 * Sets the levels of a segment: its median, or if it grows, the medians of its
 * first and its last block.  It grows if the medians of all blocks rise, or all
 * fall.
 */
static void
find_levels(struct search *s, const struct segment *segment, double levels[2])
{
	double medians[BLOCKS];
	int rises = 0, falls = 0;
	size_t from, to = 0;

	levels[0] = levels[1] = segment->level;
	if (segment->n < BLOCKS * BLOCK_MIN)
		return;
	for (size_t i = 0; i < BLOCKS; i++) {
		from = to;
		to = segment->n * (i + 1) / BLOCKS;
		medians[i] = values_median(s->x + segment->at + from,
		    to - from, s->room);
		rises += i > 0 && medians[i] > medians[i - 1];
		falls += i > 0 && medians[i] < medians[i - 1];
	}
	if (rises < BLOCKS - 1 && falls < BLOCKS - 1)
		return;
	levels[0] = medians[0];
	levels[1] = medians[BLOCKS - 1];
}

/* Makes the steps: for each segment its growth, then the split after it. */
static void
find_steps(struct search *s)
{
	const struct changes *c = s->result;
	const struct segment *g = c->segments;
	const struct split *k = c->splits.list;
	struct change_point *split = NULL;
	double levels[2];

	for (; g < c->segments + c->n_segments; g++, k++) {
		find_levels(s, g, levels);
		if (split != NULL) {
			split->after = levels[0];
			split->n_after = g->n;
		}
		if (levels[0] != levels[1])
			/* That all blocks of a random order rise or fall: 2 of
			   8! orders. */
			s->steps[s->n_steps++] = (struct change_point){
			    .kind = CHANGE_GROWTH, .at = g->at + g->n - 1,
			    .first = g->at + 1, .last = g->at + g->n - 1,
			    .before = levels[0], .after = levels[1],
			    .p = 2 / 40320.0 };
		if (k == c->splits.list + c->splits.n)
			break;
		split = &s->steps[s->n_steps++];
		*split = (struct change_point){ .kind = CHANGE_STEP,
		    .at = k->at, .first = k->first, .last = k->last,
		    .is_accepted = k->is_given, .before = levels[1],
		    .p = k->p, .size = k->size, .n_before = g->n };
	}
}

/* --- what is reported ----------------------------------------------------- */

/* Adds the steps [from, to) as one change from this level. */
static void
add_run(struct search *s, size_t from, size_t to, double level, bool accepted)
{
	struct changes *c = s->result;
	struct change_point run = s->steps[to - 1];

	if (to - from > 1 || run.kind == CHANGE_GROWTH) {
		run = (struct change_point){ .kind = CHANGE_GRADUAL,
		    .at = run.at, .first = s->steps[from].first,
		    .last = run.last, .before = level, .after = run.after,
		    .p = run.p, .size = NAN, .n_steps = to - from,
		    .steps = s->steps + from };
		for (size_t i = from; i < to; i++)
			run.p = fmin(run.p, s->steps[i].p);
	}
	run.is_accepted = accepted;
	c->list[c->n++] = run;
}

/*
 * A step that reaches the effect is a change.  Others gather until they reach
 * it together; then all that follow in the same direction belong to them.  An
 * accepted split that goes on in their direction is their last step.
 */
static void
gather_changes(struct search *s)
{
	const struct change_point *step;
	size_t from = 0;
	double level = s->n_steps > 0 ? s->steps[0].before : 0;
	bool reaches = false, is_change, goes_on;

	for (size_t i = 0; i < s->n_steps; i++) {
		step = &s->steps[i];
		is_change = step->kind == CHANGE_STEP && changes_is_effect(
		    step->before, step->after, s->min_effect);
		goes_on = i > from && (step->after > step->before) ==
		    (step[-1].after > level);
		if (step->is_accepted && goes_on && !is_change) {
			if (reaches || changes_is_effect(level, step->after,
			    s->min_effect))
				add_run(s, from, i + 1, level, true);
		} else if (step->is_accepted || is_change) {
			if (reaches)
				add_run(s, from, i, level, false);
			add_run(s, i, i + 1, level, step->is_accepted);
		} else {
			if (reaches && !goes_on) {
				add_run(s, from, i, level, false);
				level = step[-1].after;
				from = i;
				reaches = false;
			}
			reaches = reaches || changes_is_effect(level,
			    step->after, s->min_effect);
			continue;
		}
		level = step->after;
		from = i + 1;
		reaches = false;
	}
	if (reaches)
		add_run(s, from, s->n_steps, level, false);
}

/* --- the newest points ---------------------------------------------------- */

/*
 * Are the last k of n points all above or all below those before them?  Sets
 * *flat if those are all equal.
 */
static bool
is_apart(const double *x, size_t n, size_t k, bool *flat)
{
	double old_low = INFINITY, old_high = 0, low = INFINITY, high = 0;

	for (size_t i = 0; i < n - k; i++) {
		old_low = fmin(old_low, x[i]);
		old_high = fmax(old_high, x[i]);
	}
	for (size_t i = n - k; i < n; i++) {
		low = fmin(low, x[i]);
		high = fmax(high, x[i]);
	}
	*flat = old_low == old_high;
	return low > old_high || high < old_low;
}

/* A standard deviation with what dependence adds to it. */
static double
noise_of(const struct splits *s, double sigma)
{
	return s->factor * fmax(s->quantum, sigma);
}

static void
find_newest(struct search *s, const struct segment *last)
{
	const double *x = s->x + last->at;
	struct changes *c = s->result;
	struct change_point p = { .kind = CHANGE_NEWEST, .p = NAN };
	bool flat;

	for (size_t k = 1; k <= NEWEST_MAX && last->n >= OLD_MIN + k; k++) {
		if (!is_apart(x, last->n, k, &flat))
			continue;
		p.n_before = last->n - k;
		p.n_after = k;
		p.at = p.first = p.last = last->at + p.n_before;
		p.before = values_median(x, p.n_before, s->room);
		p.after = values_median(x + p.n_before, k, s->room);
		/* If there was no noise yet, these points make the quantum. */
		p.size = flat ? INFINITY : splits_size(fabs(p.after -
		    p.before), noise_of(&c->splits, find_sigma(s, x,
		    p.n_before, p.before)), p.n_before, k);
		if (p.size >= SPLIT_SIZE_MIN &&
		    changes_is_effect(p.before, p.after, s->min_effect))
			c->newest = p;
	}
}

/*
 * 7 standard errors of a change that lasted LASTING points, if that many could
 * be proven.
 */
static double
find_visible(struct search *s, const struct segment *last)
{
	double levels[2], visible;
	size_t m = last->n - LASTING;

	if (last->n < LASTING + OLD_MIN || (double)(last->at + last->n) *
	    splits_least_p(last->n, LASTING) > SPLIT_P_MAX)
		return NAN;
	find_levels(s, last, levels);
	if (levels[0] != levels[1] || levels[0] == 0)
		return NAN;
	visible = 7 * noise_of(&s->result->splits, last->sigma) *
	    sqrt(1.0 / LASTING + 1 / (double)m) / levels[0];
	return visible <= 1 ? visible : NAN;
}

/* --- series --------------------------------------------------------------- */

void
changes_find(struct changes *c, const double *x, size_t n,
    const size_t *accepted, size_t n_accepted, double min_effect)
{
	struct search s = { .result = c, .x = x, .min_effect = min_effect };
	const struct split *k;
	struct segment *last;

	splits_find(&c->splits, x, n, accepted, n_accepted);
	arena_reset(&c->room);
	c->n_segments = c->splits.n + 1;
	c->segments = arena_array(&c->room, c->n_segments, sizeof *c->segments);
	s.room = arena_array(&c->room, n, sizeof *s.room);
	s.steps = arena_array(&c->room, 2 * c->n_segments, sizeof *s.steps);
	c->list = arena_array(&c->room, 2 * c->n_segments, sizeof *c->list);

	*c->segments = (struct segment){ 0 };
	last = c->segments;
	for (k = c->splits.list; k < c->splits.list + c->splits.n; k++) {
		last->n = k->at - last->at;
		last->level = k->before;
		*++last = (struct segment){ .at = k->at };
	}
	last->n = n - last->at;
	last->level = c->splits.level;
	for (size_t i = 0; i < c->n_segments; i++)
		c->segments[i].sigma = find_sigma(&s, x + c->segments[i].at,
		    c->segments[i].n, c->segments[i].level);

	c->n = 0;
	find_steps(&s);
	gather_changes(&s);
	c->newest = (struct change_point){ .kind = CHANGE_NEWEST };
	find_newest(&s, last);
	c->visible = find_visible(&s, last);
}

/* Begins a segment of exact values at a change, or moves that of the last. */
static void
put_segment(struct changes *c, size_t at, size_t n, double level, bool is_new)
{
	struct segment *last = &c->segments[c->n_segments - 1];

	if (is_new) {
		last++;
		c->n_segments++;
	}
	last[-1].n = at - last[-1].at;
	*last = (struct segment){ .at = at, .n = n - at, .level = level };
}

void
changes_find_exact(struct changes *c, const double *x, size_t n,
    const size_t *accepted, size_t n_accepted, double min_effect)
{
	struct search s = { .result = c, .min_effect = min_effect };
	struct running jumps = { 0 };
	struct change_point *last = NULL;
	double level = x[0], least;
	size_t first = 0;		/* step on the way from the level */
	bool is_given, is_alone;

	arena_reset(&c->room);
	c->list = arena_array(&c->room, n, sizeof *c->list);
	s.steps = arena_array(&c->room, n, sizeof *s.steps);
	c->segments = arena_array(&c->room, n, sizeof *c->segments);
	c->segments[0] = (struct segment){ .n = n, .level = level };
	c->n_segments = 1;
	c->n = 0;
	c->newest = (struct change_point){ .kind = CHANGE_NEWEST };
	c->visible = min_effect;
	running_begin(&jumps);
	for (size_t i = 1; i < n; i++) {
		/* The jumps before this point. */
		if (i > 1)
			running_add(&jumps, fabs(x[i - 1] - x[i - 2]));
		least = i >= JUMPS_MIN ? 8 * running_median(&jumps) : 0;
		is_given = n_accepted > 0 && *accepted == i;
		accepted += is_given;
		n_accepted -= is_given;
		if (x[i] == x[i - 1] && !is_given)
			continue;
		is_alone = changes_is_effect(x[i - 1], x[i], min_effect);
		if (is_alone || x[i - 1] == level ||
		    (x[i - 1] > level) != (x[i] > level))
			first = s.n_steps;
		s.steps[s.n_steps++] = (struct change_point){
		    .kind = CHANGE_STEP, .at = i, .first = i, .last = i,
		    .before = x[i - 1], .after = x[i], .size = NAN };
		if (last != NULL && last->n_steps > 0 && !is_alone &&
		    !is_given && x[i - 1] == level &&
		    (x[i] > level) == (last->after > last->before)) {
			last->n_steps++;
			last->at = last->last = i;
			last->after = level = x[i];
			put_segment(c, i, n, level, false);
		} else if (changes_is_effect(level, x[i], min_effect) &&
		    fabs(x[i] - level) >= least) {
			add_run(&s, first, s.n_steps, level, is_given);
			last = &c->list[c->n - 1];
			level = x[i];
			put_segment(c, i, n, level, true);
		} else if (is_given) {
			level = x[i];
		}
	}
	running_release(&jumps);
}

void
changes_release(struct changes *c)
{
	splits_release(&c->splits);
	arena_release(&c->room);
}
