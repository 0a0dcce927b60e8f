/* compare - compares the samples of two sides */

#include "common/stats/values.h"
#include "filters/perf-diff/perf-diff.h"

/* By side. */
static struct {
	struct sample *samples[2];	/* of a key */
	double *values[2];		/* of its runs */
	size_t n_samples[2], n[2];
	double *totals[2];	/* the sums of all samples, by samples_unit() */
} sides;

/* Sets the runs of a key. */
static void
load(const struct results *a, const struct key *k, bool within)
{
	const struct options *o = a->options;
	uint32_t side;

	sides.n_samples[SIDE_OLD] = sides.n_samples[SIDE_NEW] = 0;
	for (size_t i = 0; i < k->n; i++) {
		side = k->list[i].version;
		sides.samples[side][sides.n_samples[side]++] = k->list[i];
	}
	for (side = SIDE_OLD; side <= SIDE_NEW; side++)
		sides.n[side] = samples_find_runs(k, sides.samples[side],
		    sides.n_samples[side], o->best, within || o->within_run,
		    sides.values[side]);
}

/* A sample in the base of its unit. */
static double
base_value(const struct key *k, size_t i)
{
	return k->list[i].value * k->unit.times / k->unit.per;
}

static void
compare_key(struct results *a, uint32_t key)
{
	const struct key *k = &a->samples->keys[key];
	struct result *r = results_add(a, key);
	struct change *c = &r->today;
	double *old = sides.values[SIDE_OLD], *new = sides.values[SIDE_NEW];
	double total = 0;
	size_t n_old, n_new, side;

	load(a, k, false);
	c->n_before = sides.n[SIDE_OLD];
	c->n_after = sides.n[SIDE_NEW];
	if (c->n_before > 0 && c->n_after > 0) {
		/* Between few runs little is known: look within them. */
		r->within = (c->n_before < RUNS_MIN || c->n_after < RUNS_MIN) &&
		    sides.n_samples[SIDE_OLD] >= RUNS_MIN &&
		    sides.n_samples[SIDE_NEW] >= RUNS_MIN;
		if (r->within)
			load(a, k, true);
		n_old = sides.n[SIDE_OLD];
		n_new = sides.n[SIDE_NEW];
		twosample_compare(&c->t, old, n_old, new, n_new,
		    k->more_is_better);
		c->before = c->t.before;
		c->after = c->t.after;
		/* Both sides are sorted now: are their values equal? */
		r->is_exact = r->is_exact && old[0] == old[n_old - 1] &&
		    new[0] == new[n_new - 1];
		r->within &= !r->is_exact;
		c->p = r->is_exact ? 0 : c->t.p;
		return;
	}

	/* On one side only: the key's share of that side's total. */
	side = c->n_before > 0 ? SIDE_OLD : SIDE_NEW;
	for (size_t i = 0; i < k->n; i++)
		total += base_value(k, i);
	c->verdict = side == SIDE_OLD ? VERDICT_GONE : VERDICT_NEW;
	*(side == SIDE_OLD ? &c->before : &c->after) = samples_value(k,
	    sides.values[side], sides.n[side], false);
	c->share = total / sides.totals[side][samples_unit(k)];
}

/* Can Holm's method bring the p of so many runs to ALPHA? */
static bool
is_provable(size_t m, size_t n, size_t keys)
{
	return m >= RUNS_MIN && n >= RUNS_MIN && (double)keys *
	    twosample_least_p(m, n) <= ALPHA;
}

size_t
compare_runs_needed(size_t keys)
{
	size_t n = RUNS_MIN;

	while (!is_provable(n, n, keys))
		n++;
	return n;
}

/* Has the key enough runs for a verdict if there are so many keys? */
static bool
is_enough(const struct result *r, size_t n_keys)
{
	const struct change *c = &r->today;

	return c->n_before > 0 && c->n_after > 0 && (r->is_exact ||
	    is_provable(c->n_before, c->n_after, n_keys));
}

/* The verdict on a key for which these are the parts of p, adjusted. */
static void
judge(const struct results *a, struct result *r, double q_ranks, double q_slow)
{
	struct yardstick y = results_yardstick(a, r);
	struct change *c = &r->today;
	bool slow_counts = !r->is_exact && fabs(c->t.excess) >= y.effect &&
	    c->t.excess != 0 && q_slow <= ALPHA;

	c->verdict = VERDICT_SAME;
	if ((r->is_exact || q_ranks <= ALPHA) &&
	    levels_differ(&y, c->before, c->after))
		c->verdict = results_is_worse(a, c) ? VERDICT_DEGRADED :
		    VERDICT_IMPROVED;
	if (!slow_counts || c->verdict == VERDICT_DEGRADED)
		return;
	c->by_slow = c->t.excess > 0 || c->verdict == VERDICT_SAME;
	if (c->by_slow)
		c->verdict = c->t.excess > 0 ? VERDICT_DEGRADED :
		    VERDICT_IMPROVED;
}

static void
judge_tested(struct results *a, struct result *r)
{
	struct change *c = &r->today;

	c->q = r->q;
	judge(a, r, results_adjusted(r, TWOSAMPLE_RANKS * c->t.p_ranks),
	    results_adjusted(r, TWOSAMPLE_SLOW * c->t.p_slow));
	a->phi = fmax(a->phi, c->t.phi);
	load(a, &a->samples->keys[r->key], false);
	for (int side = 0; side < 2; side++)
		values_sort(sides.values[side], sides.n[side]);
	r->visible = r->is_exact ? a->options->min_effect :
	    twosample_visible(sides.values[SIDE_OLD], sides.n[SIDE_OLD],
	    sides.values[SIDE_NEW], sides.n[SIDE_NEW], a->options->min_effect,
	    a->n_tested);
}

static void
accept(struct results *a, struct change *c)
{
	const struct accepted *accepted = &a->options->accepted;
	const struct accepted_change *line = accepted->list;
	struct span uid = samples_part(a->samples, c->key, PART_UID);

	if (a->commits[SIDE_NEW] == NULL || (c->verdict != VERDICT_DEGRADED &&
	    c->verdict != VERDICT_IMPROVED && c->verdict != VERDICT_GONE))
		return;
	for (; line < accepted->list + accepted->n; line++)
		c->accepted |= span_begins_with(span_str(a->commits[SIDE_NEW]),
		    line->commit) && (*line->uid == '\0' ||
		    span_eq(uid, line->uid));
}

void
compare_sides(struct results *a)
{
	const struct samples *s = a->samples;
	const struct key *k;
	struct result *r;
	struct change *c;
	size_t n_enough = 0;
	double n;

	for (int side = 0; side < 2; side++) {
		sides.totals[side] = mem_zero(s->texts.n + 1,
		    sizeof **sides.totals);
		sides.values[side] = mem_table(s->n_samples,
		    sizeof **sides.values);
		sides.samples[side] = mem_table(s->n_samples,
		    sizeof **sides.samples);
	}
	for (k = s->keys; k < s->keys + s->n; k++)
		for (size_t i = 0; i < k->n; i++)
			sides.totals[k->list[i].version][samples_unit(k)] +=
			    base_value(k, i);

	/* A key whose samples were all rejected has none. */
	for (uint32_t key = 0; key < s->n; key++)
		if (s->keys[key].n > 0)
			compare_key(a, key);
	for (r = a->list; r < a->list + a->n; r++) {
		n_enough += is_enough(r, 1);
		a->n_within += r->within;
	}
	n = (double)a->n_within;
	for (r = a->list; r < a->list + a->n; r++) {
		c = &r->today;
		if (is_enough(r, n_enough)) {
			r->p = c->p;
		} else if (r->within) {
			/* What looks different within runs is suspected. */
			judge(a, r, n * TWOSAMPLE_RANKS * c->t.p_ranks,
			    n * TWOSAMPLE_SLOW * c->t.p_slow);
			c->verdict = c->verdict == VERDICT_SAME ?
			    VERDICT_UNVERIFIED : VERDICT_SUSPECTED;
		}
	}
	results_adjust(a);
	for (r = a->list; r < a->list + a->n; r++) {
		if (isfinite(r->p))
			judge_tested(a, r);
		accept(a, &r->today);
	}
}
