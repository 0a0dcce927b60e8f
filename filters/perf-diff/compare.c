/* compare - compares the samples of two sides */

#include <stdlib.h>

#include "common/base/sort.h"
#include "common/stats/normal.h"
#include "common/stats/values.h"
#include "filters/perf-diff/results.h"
#include "filters/perf-diff/compare.h"

/* With fewer samples on a side, no difference is verified. */
enum { SAMPLES_MIN = 10 };
#define ALPHA 0.05

/* By side. */
struct sides {
	double *values[2];	/* of a key */
	size_t n[2];
	double *totals[2];	/* the sums of all samples, by the symbol of
				   their unit; the last is for no unit */
};

static void
compare_key(struct results *a, uint32_t key, struct sides *sides)
{
	const struct key *k = &a->samples->keys[key];
	struct change *c = results_add(a, key);
	sym unit = k->parts[PART_UNIT];
	double *values, sum = 0, median;
	size_t side;

	sides->n[SIDE_OLD] = sides->n[SIDE_NEW] = 0;
	for (size_t i = 0; i < k->n; i++) {
		side = k->list[i].version;
		sides->values[side][sides->n[side]++] = k->list[i].value;
	}
	c->n_before = sides->n[SIDE_OLD];
	c->n_after = sides->n[SIDE_NEW];
	if (c->n_before > 0 && c->n_after > 0) {
		/* The spread, until judge_keys() knows z. */
		c->smallest_effect = results_compare(c,
		    sides->values[SIDE_OLD], sides->values[SIDE_NEW]);
		return;
	}

	/* On one side only: the key's share of that side's total. */
	side = c->n_before > 0 ? SIDE_OLD : SIDE_NEW;
	values = sides->values[side];
	for (size_t i = 0; i < k->n; i++)
		sum += values[i];
	values_sort(values, k->n);
	median = values_median_sorted(values, k->n);
	c->verdict = side == SIDE_OLD ? VERDICT_GONE : VERDICT_NEW;
	*(side == SIDE_OLD ? &c->before : &c->after) = median;
	c->share = sum / sides->totals[side][unit == SYM_NONE ?
	    a->samples->texts.n : unit];
}

static bool
is_tested(const struct change *c)
{
	return c->n_before >= SAMPLES_MIN && c->n_after >= SAMPLES_MIN;
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
		c->smallest_effect = !is_tested(c) ? NAN : results_visible(
		    c->smallest_effect, c->before, c->n_before, c->n_after, z);
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
	const struct key *k;
	struct sides sides;
	size_t n_max = 0, unit;

	for (int side = 0; side < 2; side++)
		sides.totals[side] = mem_zero(s->texts.n + 1,
		    sizeof **sides.totals);
	for (k = s->keys; k < s->keys + s->n; k++) {
		if (k->n > n_max)
			n_max = k->n;
		unit = k->parts[PART_UNIT];
		if (unit == SYM_NONE)
			unit = s->texts.n;
		for (size_t i = 0; i < k->n; i++)
			sides.totals[k->list[i].version][unit] +=
			    k->list[i].value;
	}

	for (int side = 0; side < 2; side++)
		sides.values[side] = mem_table(n_max, sizeof **sides.values);
	for (uint32_t key = 0; key < s->n; key++)
		compare_key(a, key, &sides);
	a->n_keys = s->n;
	judge_keys(a);
	sort_with(a->changes, a->n, sizeof *a->changes, compare_changes, s);
	for (int side = 0; side < 2; side++) {
		free(sides.values[side]);
		free(sides.totals[side]);
	}
}
