/* compare - compares the samples of two sides */

#include <stdlib.h>

#include "common/base/sort.h"
#include "common/stats/normal.h"
#include "common/stats/twosample.h"
#include "common/stats/values.h"
#include "filters/perf-diff/accept.h"
#include "filters/perf-diff/compare.h"

/* With fewer samples on a side, no difference is verified. */
enum { SAMPLES_MIN = 5 };

/* By side. */
struct sides {
	double *values[2];	/* of a key */
	size_t n[2];
	double *totals[2];	/* the sums of all samples, by the symbol of
				   the base of their unit; the last is for no
				   unit */
};

static size_t
unit_index(const struct results *a, const struct key *k)
{
	sym unit = k->parts[PART_UNIT];

	return unit == SYM_NONE ? a->samples->texts.n : unit;
}

static bool
are_equal(const double *values, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

/* Compares both sides; c->smallest_effect gets the spread until judge_keys()
   knows how many keys there are. */
static void
compare_values(const struct results *a, struct change *c, double *before,
    double *after)
{
	struct twosample t;

	c->is_exact = results_is_exact(a, c->key) &&
	    are_equal(before, c->n_before) && are_equal(after, c->n_after);
	twosample_compare(&t, before, c->n_before, after, c->n_after,
	    a->samples->keys[c->key].more_is_better);
	c->before = t.before;
	c->after = t.after;
	c->shift = t.shift;
	c->low = t.low;
	c->high = t.high;
	c->stride = t.stride;
	if (c->is_exact)
		return;
	c->mean_before = t.mean_before;
	c->mean_after = t.mean_after;
	c->p = t.p;
	c->p_ranks = t.p_ranks;
	c->p_slow = t.p_slow;
	c->limit = t.limit;
	c->slow_before = t.slow_before;
	c->slow_after = t.slow_after;
	c->excess = t.excess;
	c->phi = t.phi;
	c->smallest_effect = t.spread;
}

static void
compare_key(struct results *a, uint32_t key, struct sides *sides)
{
	const struct key *k = &a->samples->keys[key];
	struct change *c = results_add(a, key);
	double *values, sum = 0;
	size_t side;

	sides->n[SIDE_OLD] = sides->n[SIDE_NEW] = 0;
	for (size_t i = 0; i < k->n; i++) {
		side = k->list[i].version;
		sides->values[side][sides->n[side]++] = k->list[i].value;
	}
	c->n_before = sides->n[SIDE_OLD];
	c->n_after = sides->n[SIDE_NEW];
	if (c->n_before > 0 && c->n_after > 0) {
		compare_values(a, c, sides->values[SIDE_OLD],
		    sides->values[SIDE_NEW]);
		return;
	}

	/* On one side only: the key's share of that side's total. */
	side = c->n_before > 0 ? SIDE_OLD : SIDE_NEW;
	values = sides->values[side];
	for (size_t i = 0; i < k->n; i++)
		sum += values[i];
	values_sort(values, k->n);
	c->verdict = side == SIDE_OLD ? VERDICT_GONE : VERDICT_NEW;
	*(side == SIDE_OLD ? &c->before : &c->after) =
	    values_median_sorted(values, k->n);
	c->share = sum / sides->totals[side][unit_index(a, k)];
}

/* --- verdicts ------------------------------------------------------------- */

/*
 * Lists the keys whose p could count among all that have enough samples; p of
 * exact values is 0.
 */
static size_t
list_tested(const struct results *a, struct tested *list)
{
	size_t n_enough = 0, n = 0;
	const struct change *c;

	for (c = a->changes; c < a->changes + a->n; c++)
		n_enough += c->is_exact || (c->n_before >= SAMPLES_MIN &&
		    c->n_after >= SAMPLES_MIN);
	for (c = a->changes; c < a->changes + a->n; c++)
		if (c->is_exact || (c->n_before >= SAMPLES_MIN &&
		    c->n_after >= SAMPLES_MIN && (double)n_enough *
		    twosample_least_p(c->n_before, c->n_after) <= ALPHA))
			list[n++] = (struct tested){ .key = c->key,
			    .p = c->is_exact ? 0 : c->p,
			    .index = (size_t)(c - a->changes) };
	return n;
}

static void
judge_key(const struct results *a, struct change *c, const struct tested *t)
{
	const double ratio = a->options->min_effect;
	double ranks = fmax(t->q, fmin(1, t->factor * TWOSAMPLE_RANKS *
	    c->p_ranks));
	double slow = fmax(t->q, fmin(1, t->factor * TWOSAMPLE_SLOW *
	    c->p_slow));
	bool slow_counts = !c->is_exact && slow <= ALPHA &&
	    fabs(c->excess) >= ratio && c->excess != 0;

	c->q = t->q;
	c->fdr = t->fdr;
	c->verdict = c->is_exact || ranks <= ALPHA ? results_judge(a, c) :
	    VERDICT_SAME;
	if (slow_counts && c->verdict != VERDICT_DEGRADED) {
		c->by_slow = c->excess > 0 || c->verdict == VERDICT_SAME;
		if (c->by_slow)
			c->verdict = c->excess > 0 ? VERDICT_DEGRADED :
			    VERDICT_IMPROVED;
	}
}

/* The smallest effect that would have been seen by ranks. */
static double
visible_effect(const struct change *c, double z)
{
	double spread = c->smallest_effect;

	return c->before == 0 ? NAN : spread == 0 ? 0 : spread / c->before *
	    twosample_visible(c->n_before, c->n_after, z);
}

/* Adjusts the p of the tested keys, and judges them. */
static void
judge_keys(struct results *a)
{
	struct tested *list = mem_table(a->n, sizeof *list);
	size_t n = list_tested(a, list);
	double z, effect;
	struct change *c;

	a->n_tested = n;
	results_adjust(a, list, n);
	/* Of the ranks, that p counts which is at most ALPHA / n after its
	   share was taken. */
	z = normal_upper_quantile(ALPHA / TWOSAMPLE_RANKS / 2 /
	    (double)(n > 0 ? n : 1));
	for (size_t i = 0; i < n; i++) {
		c = &a->changes[list[i].index];
		judge_key(a, c, &list[i]);
		effect = c->is_exact ? 0 : visible_effect(c, z);
		c->smallest_effect = effect;
		if (isfinite(effect)) {
			a->n_judged++;
			a->smallest_effect = fmax(a->smallest_effect, effect);
		}
		if (c->phi > a->phi)
			a->phi = c->phi;
	}
	for (c = a->changes; c < a->changes + a->n; c++)
		if (c->verdict == VERDICT_UNVERIFIED)
			c->smallest_effect = NAN;
	free(list);
}

/* --- order ---------------------------------------------------------------- */

/*
 * Tested keys by their q and the size of their change; then those with few
 * samples, the greatest differences first; then those of one side.
 */
static int
compare_changes(const void *x, const void *y, void *context)
{
	const struct change *c = x, *d = y;
	int c_group = !isnan(c->q) ? 0 : c->verdict == VERDICT_UNVERIFIED ?
	    1 : 2;
	int d_group = !isnan(d->q) ? 0 : d->verdict == VERDICT_UNVERIFIED ?
	    1 : 2;

	if (c_group != d_group)
		return c_group - d_group;
	if (c_group == 0 && c->q != d->q)
		return c->q < d->q ? -1 : 1;
	if (c_group == 0 && results_size(c) != results_size(d))
		return results_size(c) > results_size(d) ? -1 : 1;
	if (c_group == 1 && fabs(c->shift) != fabs(d->shift))
		return fabs(c->shift) > fabs(d->shift) ? -1 : 1;
	return samples_compare(context, c->key, d->key);
}

void
compare_sides(struct results *a)
{
	const struct samples *s = a->samples;
	const struct key *k;
	struct sides sides;
	size_t n_max = 0;

	for (int side = 0; side < 2; side++)
		sides.totals[side] = mem_zero(s->texts.n + 1,
		    sizeof **sides.totals);
	for (k = s->keys; k < s->keys + s->n; k++) {
		n_max = k->n > n_max ? k->n : n_max;
		for (size_t i = 0; i < k->n; i++)
			sides.totals[k->list[i].version][unit_index(a, k)] +=
			    k->list[i].value;
	}
	for (int side = 0; side < 2; side++)
		sides.values[side] = mem_table(n_max, sizeof **sides.values);

	/* A key whose samples were all rejected has none. */
	for (uint32_t key = 0; key < s->n; key++)
		if (s->keys[key].n > 0)
			compare_key(a, key, &sides);
	a->n_keys = a->n;
	judge_keys(a);
	for (struct change *c = a->changes; c < a->changes + a->n; c++)
		a->n_untested += c->verdict == VERDICT_UNVERIFIED;
	for (struct change *c = a->changes; c < a->changes + a->n; c++)
		c->accepted = a->new_commit != NULL && !isnan(c->q) &&
		    c->verdict != VERDICT_SAME &&
		    accepted_has(a->options->accepted,
		    span_str(a->new_commit), samples_part(s,
		    &s->keys[c->key], PART_UID));
	sort_with(a->changes, a->n, sizeof *a->changes, compare_changes, s);
	for (int side = 0; side < 2; side++) {
		free(sides.values[side]);
		free(sides.totals[side]);
	}
}
