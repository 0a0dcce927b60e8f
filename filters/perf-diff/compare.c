/* compare - compares the samples of two sides */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/stats/normal.h"
#include "common/stats/twosample.h"
#include "common/stats/values.h"
#include "filters/perf-diff/results.h"
#include "filters/perf-diff/compare.h"

/* With fewer samples on a side, no difference is verified. */
enum { SAMPLES_MIN = 10 };
#define ALPHA 0.05

/* The values of a key by side. */
struct sides {
	double *values[2];
	size_t n[2];
};

/* The sum of all samples of a unit, for each side. */
struct total {
	double sums[2];
};

/* Sums by unit: units are symbols, and the last element is for no unit. */
static struct total *
sum_by_unit(const struct samples *s)
{
	struct total *totals = mem_zero(s->texts.n + 1, sizeof *totals);
	const struct sample *sample;
	size_t unit;

	for (size_t i = 0; i < s->n; i++) {
		unit = s->keys[i].parts[PART_UNIT];
		if (unit == SYM_NONE)
			unit = s->texts.n;
		for (sample = s->keys[i].list;
		    sample < s->keys[i].list + s->keys[i].n; sample++)
			totals[unit].sums[sample->version] += sample->value;
	}
	return totals;
}

/* A key that is on one side only: its share of that side's total. */
static void
set_share(struct change *c, const struct results *a, const struct sides *sides,
    const struct total *totals)
{
	int side = sides->n[SIDE_OLD] > 0 ? SIDE_OLD : SIDE_NEW;
	sym unit = a->samples->keys[c->key].parts[PART_UNIT];
	double *values = sides->values[side], sum = 0, median;

	for (size_t i = 0; i < sides->n[side]; i++)
		sum += values[i];
	values_sort(values, sides->n[side]);
	median = values_median_sorted(values, sides->n[side]);
	c->verdict = side == SIDE_OLD ? VERDICT_GONE : VERDICT_NEW;
	*(side == SIDE_OLD ? &c->before : &c->after) = median;
	c->share = sum / totals[unit == SYM_NONE ? a->samples->texts.n :
	    unit].sums[side];
}

static void
compare_key(struct results *a, uint32_t key, struct sides *sides,
    const struct total *totals)
{
	const struct key *k = &a->samples->keys[key];
	struct change *c = results_add(a, key);
	struct twosample t;
	size_t side;

	sides->n[SIDE_OLD] = sides->n[SIDE_NEW] = 0;
	for (size_t i = 0; i < k->n; i++) {
		side = k->list[i].version;
		sides->values[side][sides->n[side]++] = k->list[i].value;
	}
	c->n_before = sides->n[SIDE_OLD];
	c->n_after = sides->n[SIDE_NEW];
	if (c->n_before == 0 || c->n_after == 0) {
		set_share(c, a, sides, totals);
		return;
	}

	twosample_compare(&t, sides->values[SIDE_OLD], c->n_before,
	    sides->values[SIDE_NEW], c->n_after);
	c->before = t.before;
	c->after = t.after;
	c->shift = t.shift;
	c->low = t.low;
	c->high = t.high;
	c->p = t.p;
	c->stride = t.stride;
	c->smallest_effect = t.spread;	/* until judge_keys() */
}

static bool
is_tested(const struct change *c)
{
	return c->n_before >= SAMPLES_MIN && c->n_after >= SAMPLES_MIN;
}

/* The smallest effect that would have been seen, in relation to before. */
static double
find_effect(const struct change *c, double z)
{
	double spread = c->smallest_effect;

	if (c->before == 0)
		return NAN;
	return spread == 0 ? 0 : spread / c->before *
	    twosample_visible(c->n_before, c->n_after, z);
}

/* Adjusts the p of the tested keys, and judges them. */
static void
judge_keys(struct results *a)
{
	struct tested *list = mem_table(a->n, sizeof *list);
	double *effects = mem_table(a->n, sizeof *effects), z;
	size_t n = 0, n_effects = 0;
	struct change *c;

	/* changes[key] is that of the key. */
	for (size_t i = 0; i < a->n; i++)
		if (is_tested(&a->changes[i]))
			list[n++] = (struct tested){ .key = (uint32_t)i,
			    .p = a->changes[i].p };
	a->n_tested = n;
	results_adjust(a, list, n);
	z = normal_upper_quantile(ALPHA / 2 / (double)(n > 0 ? n : 1));
	for (size_t i = 0; i < n; i++) {
		c = &a->changes[list[i].key];
		c->q = list[i].q;
		c->fdr = list[i].fdr;
		c->verdict = c->q <= ALPHA ? results_judge(a, c) :
		    VERDICT_SAME;
	}
	for (size_t i = 0; i < a->n; i++) {
		c = &a->changes[i];
		c->smallest_effect = is_tested(c) ? find_effect(c, z) : NAN;
		if (is_tested(c) && !isnan(c->smallest_effect))
			effects[n_effects++] = c->smallest_effect;
	}
	values_sort(effects, n_effects);
	a->smallest_effect = n_effects == 0 ? NAN :
	    values_median_sorted(effects, n_effects);
	free(list);
	free(effects);
}

/* Tested keys first, then those with few samples, then those of one side. */
static int
group_of(const struct change *c)
{
	return is_tested(c) ? 0 : c->verdict == VERDICT_UNVERIFIED ? 1 : 2;
}

static int
compare_changes(const void *x, const void *y, void *context)
{
	const struct change *c = x, *d = y;

	if (group_of(c) != group_of(d))
		return group_of(c) - group_of(d);
	if (is_tested(c) && c->fdr != d->fdr)
		return c->fdr < d->fdr ? -1 : 1;
	if (is_tested(c) && c->p != d->p)
		return c->p < d->p ? -1 : 1;
	return samples_compare(context, c->key, d->key);
}

void
compare_sides(struct results *a)
{
	const struct samples *s = a->samples;
	struct total *totals = sum_by_unit(s);
	struct sides sides;
	size_t n_max = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->keys[i].n > n_max)
			n_max = s->keys[i].n;
	sides.values[SIDE_OLD] = mem_table(n_max, sizeof **sides.values);
	sides.values[SIDE_NEW] = mem_table(n_max, sizeof **sides.values);
	for (uint32_t key = 0; key < s->n; key++)
		compare_key(a, key, &sides, totals);
	a->n_keys = s->n;
	judge_keys(a);
	sort_with(a->changes, a->n, sizeof *a->changes, compare_changes, s);
	free(sides.values[SIDE_OLD]);
	free(sides.values[SIDE_NEW]);
	free(totals);
}
