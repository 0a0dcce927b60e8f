/* compare - compares the samples of two sides */

#include <stdlib.h>

#include "common/stats/values.h"
#include "filters/perf-diff/perf-diff.h"

/* With fewer samples on a side, no difference is verified. */
enum { SAMPLES_MIN = 5 };

/* By side. */
struct sides {
	double *values[2];	/* of a key */
	double *totals[2];	/* the sums of all samples, by samples_unit() */
};

static void
compare_key(struct results *a, uint32_t key, struct sides *sides)
{
	const struct key *k = &a->samples->keys[key];
	struct result *r = results_add(a, key);
	double *old = sides->values[SIDE_OLD], *new = sides->values[SIDE_NEW];
	double sum = 0;
	struct change *c;
	size_t n[2] = { 0 }, side;

	for (size_t i = 0; i < k->n; i++) {
		side = k->list[i].version;
		sides->values[side][n[side]++] = k->list[i].value;
		sum += k->list[i].value;
	}
	c = results_add_change(r, (struct change_point){ .before = NAN,
	    .after = NAN, .p = NAN, .size = NAN,
	    .n_before = n[SIDE_OLD], .n_after = n[SIDE_NEW] });
	if (n[SIDE_OLD] > 0 && n[SIDE_NEW] > 0) {
		twosample_compare(&c->t, old, n[SIDE_OLD], new, n[SIDE_NEW],
		    k->more_is_better);
		c->step.before = c->t.before;
		c->step.after = c->t.after;
		/* Both sides are sorted now: are their values equal? */
		r->is_exact = r->is_exact && old[0] == old[n[SIDE_OLD] - 1] &&
		    new[0] == new[n[SIDE_NEW] - 1];
		c->step.p = r->is_exact ? 0 : c->t.p;
		return;
	}

	/* On one side only: the key's share of that side's total. */
	side = n[SIDE_OLD] > 0 ? SIDE_OLD : SIDE_NEW;
	values_sort(sides->values[side], k->n);
	c->verdict = side == SIDE_OLD ? VERDICT_GONE : VERDICT_NEW;
	*(side == SIDE_OLD ? &c->step.before : &c->step.after) =
	    values_median_sorted(sides->values[side], k->n);
	c->share = sum / sides->totals[side][samples_unit(k)];
}

/* Has the key enough samples for a verdict if there are so many keys? */
static bool
is_enough(const struct result *r, size_t n_keys)
{
	const struct change_point *p = &r->changes->step;

	return p->n_before > 0 && p->n_after > 0 && (r->is_exact ||
	    (p->n_before >= SAMPLES_MIN && p->n_after >= SAMPLES_MIN &&
	    (double)n_keys * twosample_least_p(p->n_before, p->n_after) <=
	    ALPHA));
}

static void
judge_key(const struct results *a, struct result *r)
{
	const double effect = a->options->min_effect;
	struct change *c = r->changes;
	double spread = c->t.spread / c->step.before;
	bool slow_counts = !r->is_exact && fabs(c->t.excess) >= effect &&
	    c->t.excess != 0 &&
	    results_adjusted(r, TWOSAMPLE_SLOW * c->t.p_slow) <= ALPHA;

	c->q = r->q;
	c->verdict = r->is_exact || results_adjusted(r, TWOSAMPLE_RANKS *
	    c->t.p_ranks) <= ALPHA ? results_judge(a, c) :
	    VERDICT_SAME;
	if (slow_counts && c->verdict != VERDICT_DEGRADED) {
		c->by_slow = c->t.excess > 0 || c->verdict == VERDICT_SAME;
		if (c->by_slow)
			c->verdict = c->t.excess > 0 ? VERDICT_DEGRADED :
			    VERDICT_IMPROVED;
	}
	r->visible = r->is_exact || spread == 0 ? 0 : spread *
	    twosample_visible(c->step.n_before, c->step.n_after,
	    ALPHA / (double)a->n_tested);
}

void
compare_sides(struct results *a)
{
	const struct samples *s = a->samples;
	const struct key *k;
	struct sides sides;
	struct result *r;
	struct change *c;
	size_t n_enough = 0;

	for (int side = 0; side < 2; side++) {
		sides.totals[side] = mem_zero(s->texts.n + 1,
		    sizeof **sides.totals);
		sides.values[side] = mem_table(s->n_samples,
		    sizeof **sides.values);
	}
	for (k = s->keys; k < s->keys + s->n; k++)
		for (size_t i = 0; i < k->n; i++)
			sides.totals[k->list[i].version][samples_unit(k)] +=
			    k->list[i].value;

	/* A key whose samples were all rejected has none. */
	for (uint32_t key = 0; key < s->n; key++)
		if (s->keys[key].n > 0)
			compare_key(a, key, &sides);
	for (r = a->list; r < a->list + a->n; r++)
		n_enough += is_enough(r, 1);
	for (r = a->list; r < a->list + a->n; r++)
		if (is_enough(r, n_enough))
			r->p = r->changes->step.p;
	results_adjust(a);
	for (r = a->list; r < a->list + a->n_tested; r++) {
		judge_key(a, r);
		a->phi = fmax(a->phi, r->changes->t.phi);
	}
	for (r = a->list; r < a->list + a->n; r++) {
		c = r->changes;
		c->accepted = a->commits[SIDE_NEW] != NULL &&
		    (c->verdict == VERDICT_DEGRADED ||
		    c->verdict == VERDICT_IMPROVED ||
		    c->verdict == VERDICT_GONE) &&
		    accepted_has(&a->options->accepted,
		    span_str(a->commits[SIDE_NEW]),
		    samples_part(s, &s->keys[r->key], PART_UID));
	}
	for (int side = 0; side < 2; side++) {
		free(sides.values[side]);
		free(sides.totals[side]);
	}
}
