/* results - what comparisons and histories have in common */

#include <stdlib.h>
#include <string.h>

#include "common/base/sort.h"
#include "common/stats/adjust.h"
#include "common/stats/values.h"
#include "filters/perf-diff/accept.h"
#include "filters/perf-diff/results.h"

const char *const verdict_names[N_VERDICTS] = { "same", "degraded",
    "improved", "unverified", "suspected", "new", "gone" };

struct span
results_version(const struct results *a, size_t position)
{
	return intern_span(&a->samples->ids, a->order[position]);
}

bool
results_is_listed(const struct results *a, const struct opt_list *list,
    uint32_t key)
{
	const struct key *k = &a->samples->keys[key];

	for (size_t i = 0; i < list->n; i++)
		if (span_eq(samples_part(a->samples, k, PART_UID),
		    list->values[i]) || span_eq(samples_part(a->samples, k,
		    PART_UNIT), list->values[i]))
			return true;
	return false;
}

bool
results_is_exact(const struct results *a, uint32_t key)
{
	const struct key *k = &a->samples->keys[key];

	return k->n_exact == k->n ||
	    results_is_listed(a, &a->options->exact, key);
}

struct change *
results_add(struct results *a, uint32_t key)
{
	struct change *c;

	a->changes = mem_grow(a->changes, &a->cap, a->n + 1,
	    sizeof *a->changes);
	c = &a->changes[a->n++];
	*c = (struct change){ .key = key, .verdict = VERDICT_UNVERIFIED,
	    .before = NAN, .after = NAN, .shift = NAN, .low = NAN,
	    .high = NAN, .p = NAN, .q = NAN, .fdr = NAN, .mean_before = NAN,
	    .mean_after = NAN, .p_ranks = NAN, .p_slow = NAN, .limit = NAN,
	    .excess = NAN, .smallest_effect = NAN, .share = NAN, .size = NAN,
	    .stride = 1 };
	return c;
}

double
results_size(const struct change *c)
{
	return c->before > 0 && c->after > 0 ?
	    fabs(log(c->after / c->before)) : INFINITY;
}

bool
results_is_worse(const struct results *a, const struct change *c)
{
	return (c->after > c->before) !=
	    a->samples->keys[c->key].more_is_better;
}

enum verdict
results_judge(const struct results *a, const struct change *c)
{
	if (!changes_is_effect(c->before, c->after, a->options->min_effect))
		return VERDICT_SAME;
	return results_is_worse(a, c) ? VERDICT_DEGRADED : VERDICT_IMPROVED;
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
	for (size_t i = 0; i < n; i++) {
		list[i].q = q[i];
		list[i].factor = (double)(n - i);
	}
	adjust_benjamini_hochberg(p, n, q);
	for (size_t i = 0; i < n; i++)
		list[i].fdr = q[i];
	free(p);
	free(q);
}

/* Appends the ancestors of the versions from `from` on that are not seen. */
static size_t
add_ancestors(const struct samples *s, bool *seen, uint32_t *list, size_t from,
    size_t n)
{
	const struct version *v;

	for (; from < n; from++) {
		v = &s->versions[list[from]];
		for (size_t i = 0; i < v->n_parents; i++)
			if (!seen[v->parents[i]]) {
				seen[v->parents[i]] = true;
				list[n++] = v->parents[i];
			}
	}
	return n;
}

uint32_t *
results_merged(const struct results *a, size_t position, size_t *n)
{
	const struct samples *s = a->samples;
	const struct version *v = &s->versions[a->order[position]];
	uint32_t *list = mem_table(s->ids.n, sizeof *list);
	bool *seen;
	size_t n_first;

	*n = 0;
	if (v->n_parents < 2)
		return list;
	seen = mem_zero(s->ids.n, sizeof *seen);
	list[0] = v->parents[0];
	seen[list[0]] = true;
	n_first = add_ancestors(s, seen, list, 0, 1);
	*n = n_first;
	for (size_t i = 1; i < v->n_parents; i++)
		if (!seen[v->parents[i]]) {
			seen[v->parents[i]] = true;
			list[(*n)++] = v->parents[i];
		}
	*n = add_ancestors(s, seen, list, n_first, *n) - n_first;
	memmove(list, list + n_first, *n * sizeof *list);
	free(seen);
	return list;
}

double
results_median_at(const struct results *a, uint32_t key, uint32_t version)
{
	const struct key *k = &a->samples->keys[key];
	double *values = mem_table(k->n, sizeof *values), median;
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++)
		if (k->list[i].version == version)
			values[n++] = k->list[i].value;
	values_sort(values, n);
	median = n > 0 ? values_median_sorted(values, n) : NAN;
	free(values);
	return median;
}

void
results_count(struct results *a)
{
	for (const struct change *c = a->changes; c < a->changes + a->n; c++) {
		if (c->accepted)
			a->n_accepted++;
		else if (c->verdict == VERDICT_SUSPECTED && c->n_after > 1)
			a->n_worse_suspected += results_is_worse(a, c);
		if (!c->accepted && !c->is_past &&
		    (c->verdict != VERDICT_SUSPECTED || c->n_after > 1))
			a->counts[c->verdict]++;
	}
}

/* When a key was measured: the first and last side or position. */
struct range {
	uint32_t first, last;
};

static struct range
range_of(const struct results *a, const struct key *k)
{
	struct range r = { INDEX_NONE, 0 };
	uint32_t at;

	for (size_t i = 0; i < k->n; i++) {
		at = k->list[i].version;
		if (a->options->history)
			at = a->positions[at];
		if (at == INDEX_NONE)
			continue;
		r.first = at < r.first ? at : r.first;
		r.last = at > r.last ? at : r.last;
	}
	return r;
}

/* More keys are not compared with each other. */
enum { APART_MAX = 2000 };

uint32_t *
results_find_apart(const struct results *a, enum part part, size_t *n)
{
	const struct samples *s = a->samples;
	uint32_t *list = mem_table(s->n, sizeof *list);
	struct range *ranges;

	*n = 0;
	if (s->n > APART_MAX)
		return list;
	ranges = mem_table(s->n, sizeof *ranges);
	for (uint32_t i = 0; i < s->n; i++)
		ranges[i] = range_of(a, &s->keys[i]);
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t j = 0; j < s->n; j++)
			if (i != j && ranges[i].first != INDEX_NONE &&
			    ranges[j].first != INDEX_NONE &&
			    samples_differ_in(s, i, j, part) &&
			    (ranges[i].last < ranges[j].first ||
			    ranges[j].last < ranges[i].first)) {
				list[(*n)++] = i;
				break;
			}
	free(ranges);
	return list;
}

void
results_release(struct results *a)
{
	for (size_t i = 0; i < a->n_series; i++) {
		free(a->series[i].values);
		free(a->series[i].positions);
		free(a->series[i].levels);
		free(a->series[i].starts);
		free(a->series[i].noise);
	}
	for (size_t i = 0; i < a->n; i++)
		free(a->changes[i].steps);
	free(a->series);
	free(a->changes);
	free(a->order);
	free(a->positions);
}
