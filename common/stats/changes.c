/* changes - what the splits of a series amount to */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/stats/changes.h"
#include "common/stats/values.h"

enum { BLOCKS = 8, BLOCK_MIN = 8 };	/* of a segment that may grow */
enum { NEWEST_MAX = 7, OLD_MIN = 12 };	/* points */
enum { LASTING = 10 };			/* points after a visible change */
enum { JUMPS_MIN = 8 };			/* before an exact value is judged */

/* --- steps ---------------------------------------------------------------- */

struct segment {
	const double *x;
	size_t n;
};

/* The i-th segment of the series; there is one more than splits. */
static struct segment
segment_of(const struct splits *s, const double *x, size_t n, size_t i)
{
	size_t from = i > 0 ? s->list[i - 1].at : 0;
	size_t to = i < s->n ? s->list[i].at : n;

	return (struct segment){ x + from, to - from };
}

/*
 * Sets the levels of a segment: its median, or if it grows, the medians of its
 * first and its last block.  Returns whether it grows: the medians of all
 * blocks rise, or all fall.
 */
static bool
find_levels(struct segment s, double *room, double levels[2])
{
	double medians[BLOCKS];
	int rises = 0, falls = 0;
	size_t from, to = 0;

	levels[0] = levels[1] = values_median(s.x, s.n, room);
	if (s.n < BLOCKS * BLOCK_MIN)
		return false;
	for (size_t i = 0; i < BLOCKS; i++) {
		from = to;
		to = s.n * (i + 1) / BLOCKS;
		medians[i] = values_median(s.x + from, to - from, room);
		rises += i > 0 && medians[i] > medians[i - 1];
		falls += i > 0 && medians[i] < medians[i - 1];
	}
	if (rises < BLOCKS - 1 && falls < BLOCKS - 1)
		return false;
	levels[0] = medians[0];
	levels[1] = medians[BLOCKS - 1];
	return true;
}

static void
add_step(struct changes *c, struct change_point step)
{
	c->steps = mem_grow(c->steps, &c->steps_cap, c->n_steps + 1,
	    sizeof *c->steps);
	c->steps[c->n_steps++] = step;
}

/* Makes the steps: for each segment its growth, then the split after it. */
static void
find_steps(struct changes *c, const double *x, size_t n, double *room)
{
	const struct splits *s = &c->splits;
	const struct split *k;
	struct segment segment;
	struct change_point step;
	double levels[2];
	size_t from;

	c->n_steps = 0;
	for (size_t i = 0; i <= s->n; i++) {
		segment = segment_of(s, x, n, i);
		from = (size_t)(segment.x - x);
		if (i > 0)
			step.n_after = segment.n;
		find_levels(segment, room, levels);
		if (i > 0) {
			step.after = levels[0];
			add_step(c, step);
		}
		if (levels[0] != levels[1])
			/* That all blocks of a random order rise or fall: 2 of
			   8! orders. */
			add_step(c, (struct change_point){
			    .kind = CHANGE_GROWTH, .at = from + segment.n - 1,
			    .first = from + 1, .last = from + segment.n - 1,
			    .before = levels[0], .after = levels[1],
			    .p = 2 / 40320.0 });
		if (i == s->n)
			break;
		k = &s->list[i];
		step = (struct change_point){ .kind = CHANGE_STEP,
		    .at = k->at, .first = k->first, .last = k->last,
		    .is_accepted = k->is_given, .before = levels[1],
		    .p = k->p, .size = k->size, .n_before = segment.n };
	}
}

/* --- what is reported ----------------------------------------------------- */

static void
add_change(struct changes *c, struct change_point change)
{
	c->list = mem_grow(c->list, &c->cap, c->n + 1, sizeof *c->list);
	c->list[c->n++] = change;
}

/* Adds the steps [from, to) as one change from this level. */
static void
add_run(struct changes *c, size_t from, size_t to, double level, bool accepted)
{
	const struct change_point *first = &c->steps[from];
	struct change_point run = c->steps[to - 1];

	if (to - from > 1 || run.kind == CHANGE_GROWTH) {
		run = (struct change_point){ .kind = CHANGE_GRADUAL,
		    .at = run.at, .first = first->first, .last = run.last,
		    .before = level, .after = run.after, .p = run.p,
		    .n_steps = to - from, .steps = c->places + from };
		for (size_t i = from; i < to; i++)
			run.p = fmin(run.p, c->steps[i].p);
	}
	run.is_accepted = accepted;
	add_change(c, run);
}

/*
 * A step that reaches the effect is a change.  Others gather until they reach
 * it together; then all that follow in the same direction belong to them.  An
 * accepted split that goes on in their direction is their last step.
 */
static void
gather_changes(struct changes *c, double min_effect)
{
	const struct change_point *s;
	size_t from = 0;
	double level = c->n_steps > 0 ? c->steps[0].before : 0;
	bool reaches = false, is_change, goes_on;

	for (size_t i = 0; i < c->n_steps; i++) {
		s = &c->steps[i];
		is_change = s->kind == CHANGE_STEP &&
		    changes_is_effect(s->before, s->after, min_effect);
		goes_on = i > from && (s->after > s->before) ==
		    (s[-1].after > level);
		if (s->is_accepted && goes_on && !is_change) {
			if (reaches ||
			    changes_is_effect(level, s->after, min_effect))
				add_run(c, from, i + 1, level, true);
		} else if (s->is_accepted || is_change) {
			if (reaches)
				add_run(c, from, i, level, false);
			add_change(c, *s);
		} else {
			if (reaches && !goes_on) {
				add_run(c, from, i, level, false);
				level = s[-1].after;
				from = i;
				reaches = false;
			}
			reaches = reaches ||
			    changes_is_effect(level, s->after, min_effect);
			continue;
		}
		level = s->after;
		from = i + 1;
		reaches = false;
	}
	if (reaches)
		add_run(c, from, c->n_steps, level, false);
}

/* --- the newest points ---------------------------------------------------- */

/* The noise of a segment around its median. */
static double
noise_of(const struct splits *s, struct segment segment, double median,
    double *room)
{
	for (size_t i = 0; i < segment.n; i++)
		room[i] = fabs(segment.x[i] - median);
	return s->factor * fmax(s->quantum,
	    splits_sigma(room, segment.n, 1));
}

/* Are the last k points all above or all below those before them? */
static bool
is_apart(struct segment old, size_t k)
{
	double old_low = INFINITY, old_high = 0, low = INFINITY, high = 0;

	for (size_t i = 0; i < old.n; i++) {
		old_low = fmin(old_low, old.x[i]);
		old_high = fmax(old_high, old.x[i]);
	}
	for (size_t i = old.n; i < old.n + k; i++) {
		low = fmin(low, old.x[i]);
		high = fmax(high, old.x[i]);
	}
	return low > old_high || high < old_low;
}

static void
find_newest(struct changes *c, struct segment last, double min_effect,
    double *room)
{
	struct segment old = last;
	double before, after, size;

	c->n_newest = 0;
	for (size_t k = 1; k <= NEWEST_MAX && last.n >= OLD_MIN + k; k++) {
		old.n = last.n - k;
		if (!is_apart(old, k))
			continue;
		before = values_median(old.x, old.n, room);
		after = values_median(old.x + old.n, k, room);
		size = splits_size(fabs(after - before), noise_of(&c->splits,
		    old, before, room), old.n, k);
		if (size < SPLIT_SIZE_MIN ||
		    !changes_is_effect(before, after, min_effect))
			continue;
		c->n_newest = k;
		c->newest_before = before;
		c->newest_after = after;
		c->newest_size = size;
	}
}

/*
 * 7 standard errors of a change that lasted LASTING points, if that many could
 * be proven.
 */
static double
find_visible(const struct splits *s, struct segment last, size_t n,
    double *room)
{
	double levels[2], visible;
	size_t m = last.n - LASTING;

	if (last.n < LASTING + OLD_MIN ||
	    (double)n * splits_least_p(last.n, LASTING) > SPLIT_P_MAX ||
	    find_levels(last, room, levels) || levels[0] == 0)
		return NAN;
	visible = 7 * noise_of(s, last, levels[0], room) *
	    sqrt(1.0 / LASTING + 1 / (double)m) / levels[0];
	return visible <= 1 ? visible : NAN;
}

void
changes_find(struct changes *c, const double *x, size_t n,
    const size_t *accepted, size_t n_accepted, double min_effect)
{
	double *room = mem_table(n, sizeof *room);
	struct segment last;

	splits_find(&c->splits, x, n, accepted, n_accepted);
	find_steps(c, x, n, room);
	c->places = mem_grow(c->places, &c->places_cap, c->n_steps,
	    sizeof *c->places);
	for (size_t i = 0; i < c->n_steps; i++)
		c->places[i] = c->steps[i].at;
	c->n = 0;
	gather_changes(c, min_effect);
	last = segment_of(&c->splits, x, n, c->splits.n);
	find_newest(c, last, min_effect, room);
	c->visible = find_visible(&c->splits, last, n, room);
	free(room);
}

void
changes_find_exact(struct changes *c, const double *x, size_t n,
    const size_t *accepted, size_t n_accepted, double min_effect)
{
	struct running jumps = { 0 };
	double level = x[0], least;
	size_t i_accepted = 0;

	c->n = c->n_newest = 0;
	c->visible = min_effect;
	running_begin(&jumps);
	for (size_t i = 1; i < n; i++) {
		/* The jumps before this point. */
		if (i > 1)
			running_add(&jumps, fabs(x[i - 1] - x[i - 2]));
		least = i >= JUMPS_MIN ? 8 * running_median(&jumps) : 0;
		if (i_accepted < n_accepted && accepted[i_accepted] == i) {
			i_accepted++;
			level = x[i];
		} else if (changes_is_effect(level, x[i], min_effect) &&
		    fabs(x[i] - level) >= least) {
			add_change(c, (struct change_point){ .at = i,
			    .first = i, .last = i, .before = level,
			    .after = x[i] });
			level = x[i];
		}
	}
	running_release(&jumps);
}

void
changes_release(struct changes *c)
{
	splits_release(&c->splits);
	free(c->list);
	free(c->steps);
	free(c->places);
	*c = (struct changes){ 0 };
}
