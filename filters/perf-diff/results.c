/* results - what comparisons and histories have in common */

#include <stdlib.h>

#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/stats/adjust.h"
#include "common/stats/changes.h"
#include "common/stats/twosample.h"
#include "filters/perf-diff/accept.h"
#include "filters/perf-diff/results.h"

const char *const verdict_names[N_VERDICTS] = { "same", "degraded",
    "improved", "unverified", "new", "gone" };

struct span
results_version(const struct results *a, size_t position)
{
	return intern_span(&a->samples->ids, a->order[position]);
}

/*
 * More is better for the units and uids of --more, and for what is counted per
 * second.
 */
static bool
is_more_better(const struct results *a, uint32_t key)
{
	const struct key *k = &a->samples->keys[key];
	const struct opt_list *more = &a->options->more;
	struct span uid = samples_part(a->samples, k, PART_UID);
	struct span unit = samples_part(a->samples, k, PART_UNIT);

	for (size_t i = 0; i < more->n; i++)
		if (span_eq(uid, more->values[i]) ||
		    span_eq(unit, more->values[i]))
			return true;
	return unit.n > 2 && unit.p[unit.n - 2] == '/' &&
	    unit.p[unit.n - 1] == 's';
}

struct change *
results_add(struct results *a, uint32_t key)
{
	struct change *c;

	a->changes = mem_grow(a->changes, &a->cap, a->n + 1,
	    sizeof *a->changes);
	c = &a->changes[a->n++];
	*c = (struct change){ .key = key, .verdict = VERDICT_UNVERIFIED,
	    .more_is_better = is_more_better(a, key), .before = NAN,
	    .after = NAN, .shift = NAN, .low = NAN, .high = NAN, .p = NAN,
	    .q = NAN, .fdr = NAN, .smallest_effect = NAN, .share = NAN,
	    .phi = NAN, .factor = NAN, .stride = 1 };
	return c;
}

double
results_compare(struct change *c, double *before, double *after)
{
	struct twosample t;

	twosample_compare(&t, before, c->n_before, after, c->n_after);
	c->before = t.before;
	c->after = t.after;
	c->shift = t.shift;
	c->low = t.low;
	c->high = t.high;
	c->p = t.p;
	c->stride = t.stride;
	return t.spread;
}

double
results_visible(double spread, double before, size_t n_before, size_t n_after,
    double z)
{
	if (before == 0)
		return NAN;
	return spread == 0 ? 0 :
	    spread / before * twosample_visible(n_before, n_after, z);
}

enum verdict
results_judge(const struct results *a, const struct change *c)
{
	if (!changes_is_effect(c->before, c->after, a->options->min_effect))
		return VERDICT_SAME;
	return (c->after > c->before) == c->more_is_better ?
	    VERDICT_IMPROVED : VERDICT_DEGRADED;
}

static int
compare_tested(const void *x, const void *y, void *context)
{
	const struct tested *s = x, *t = y;

	if (s->p != t->p)
		return s->p < t->p ? -1 : 1;
	return samples_compare(context, s->key, t->key);
}

void
results_adjust(const struct results *a, struct tested *list, size_t n)
{
	double *p = mem_table(n, sizeof *p), *q = mem_table(n, sizeof *q);

	sort_with(list, n, sizeof *list, compare_tested, a->samples);
	for (size_t i = 0; i < n; i++)
		p[i] = list[i].p;
	adjust_holm(p, n, q);
	for (size_t i = 0; i < n; i++)
		list[i].q = q[i];
	adjust_benjamini_hochberg(p, n, q);
	for (size_t i = 0; i < n; i++)
		list[i].fdr = q[i];
	free(p);
	free(q);
}

void
results_count(struct results *a)
{
	const struct samples *s = a->samples;
	struct span commit, uid;
	struct change *c;

	for (c = a->changes; c < a->changes + a->n; c++) {
		uid = samples_part(s, &s->keys[c->key], PART_UID);
		commit = span_of("", 0);
		if (a->options->history)
			commit = results_version(a, c->at);
		else if (a->new_commit != NULL)
			commit = span_str(a->new_commit);
		if (c->verdict == VERDICT_DEGRADED ||
		    c->verdict == VERDICT_IMPROVED)
			c->accepted = accepted_has(a->options->accepted,
			    commit, uid);
		if (c->accepted)
			a->n_accepted++;
		else
			a->counts[c->verdict]++;
	}
}

const struct series *
results_series(const struct results *a, uint32_t key)
{
	return &a->series[SEARCH_FIRST(i, a->n_series,
	    a->series[i].key >= key)];
}

void
results_release(struct results *a)
{
	for (size_t i = 0; i < a->n_series; i++) {
		free(a->series[i].values);
		free(a->series[i].positions);
	}
	free(a->series);
	free(a->changes);
	free(a->order);
}
