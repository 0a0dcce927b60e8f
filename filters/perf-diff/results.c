/* results - what comparisons and histories have in common */

#include <stdlib.h>
#include <string.h>

#include "common/base/sort.h"
#include "filters/perf-diff/perf-diff.h"

struct result *
results_add(struct results *a, uint32_t key)
{
	const struct key *k = &a->samples->keys[key];
	struct result *r;

	if (a->list == NULL)
		a->list = mem_table(a->samples->n, sizeof *a->list);
	r = &a->list[a->n++];
	*r = (struct result){ .key = key, .is_exact = k->n_exact == k->n ||
	    results_is_listed(a, &a->options->exact, key), .p = INFINITY,
	    .q = INFINITY, .fdr = NAN, .visible = NAN, .size = -1, .phi = NAN,
	    .dependence = NAN };
	return r;
}

struct change *
results_add_change(struct result *r, struct change_point step)
{
	struct change *c;

	/* Most keys have one change, and there may be many keys. */
	if (r->n_changes == r->cap) {
		r->cap = 2 * r->cap + 1;
		r->changes = mem_resize(r->changes, r->cap,
		    sizeof *r->changes);
	}
	c = &r->changes[r->n_changes++];
	*c = (struct change){ .key = r->key, .verdict = VERDICT_UNVERIFIED,
	    .step = step, .q = NAN, .t.shift = NAN, .t.low = NAN,
	    .t.high = NAN, .share = NAN };
	return c;
}

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
results_is_worse(const struct results *a, const struct change *c)
{
	return (c->step.after > c->step.before) !=
	    a->samples->keys[c->key].more_is_better;
}

enum verdict
results_judge(const struct results *a, const struct change *c)
{
	if (!changes_is_effect(c->step.before, c->step.after,
	    a->options->min_effect))
		return VERDICT_SAME;
	return results_is_worse(a, c) ? VERDICT_DEGRADED : VERDICT_IMPROVED;
}

/* --- many keys ------------------------------------------------------------ */

static int
compare_p(const void *x, const void *y, void *context)
{
	const struct result *r = x, *s = y;

	if (r->p != s->p)
		return r->p < s->p ? -1 : 1;
	return samples_compare(context, r->key, s->key);
}

/*
 * Holm: if every key with q <= alpha is reported, the probability of any false
 * report is at most alpha.  Benjamini-Hochberg: the expected share of false
 * reports among them is at most alpha.
 */
void
results_adjust(struct results *a)
{
	double greatest = 0, least = 1, n;
	struct result *r;

	sort_with(a->list, a->n, sizeof *a->list, compare_p, a->samples);
	for (r = a->list; r < a->list + a->n && isfinite(r->p); r++)
		a->n_tested++;
	n = (double)a->n_tested;
	for (size_t i = 0; i < a->n_tested; i++) {
		r = &a->list[i];
		r->factor = n - (double)i;
		greatest = fmax(greatest, fmin(1, r->factor * r->p));
		r->q = greatest;
	}
	for (size_t i = a->n_tested; i-- > 0;) {
		r = &a->list[i];
		least = fmin(least, r->p * n / (double)(i + 1));
		r->fdr = least;
	}
}

double
results_adjusted(const struct result *r, double p)
{
	return fmax(r->q, fmin(1, r->factor * p));
}

/* --- keys that differ in one part ----------------------------------------- */

/* When a key was measured: the first and last side or position. */
struct range {
	size_t first, last;
};

static struct range
range_of(const struct results *a, const struct result *r)
{
	if (a->options->history)
		return (struct range){ r->positions[0],
		    r->positions[r->n - 1] };
	return (struct range){ r->changes->step.n_before == 0,
	    r->changes->step.n_after > 0 };
}

static bool
has_accepted_end(const struct result *r)
{
	size_t n = r->n_changes;

	return n > 0 && r->changes[n - 1].verdict == VERDICT_GONE &&
	    r->changes[n - 1].accepted;
}

/*
 * Notes the keys that are the same but for one part, if two of them were never
 * measured at the same time; not those whose end is accepted.
 */
static void
note_apart(struct results *a, enum part part, enum sentence sentence)
{
	sym *groups = mem_table(a->n, sizeof *groups), parts[N_PARTS];
	/* Of all keys of a group, the last beginning and the first end. */
	struct range *inner = mem_table(a->n, sizeof *inner), r, *g;
	struct intern names;

	intern_init(&names);
	for (size_t i = 0; i < a->n; i++) {
		inner[i] = (struct range){ 0, SIZE_MAX };
		groups[i] = SYM_NONE;
		if (has_accepted_end(&a->list[i]))
			continue;
		memcpy(parts, a->samples->keys[a->list[i].key].parts,
		    sizeof parts);
		parts[part] = SYM_NONE;
		groups[i] = intern_add(&names, span_bytes(parts,
		    sizeof parts));
		r = range_of(a, &a->list[i]);
		g = &inner[groups[i]];
		g->first = r.first > g->first ? r.first : g->first;
		g->last = r.last < g->last ? r.last : g->last;
	}
	for (size_t i = 0; i < a->n; i++)
		if (groups[i] != SYM_NONE &&
		    inner[groups[i]].last < inner[groups[i]].first)
			a->list[i].sentences |= 1U << sentence;
	intern_release(&names);
	free(groups);
	free(inner);
}

/* --- the report ----------------------------------------------------------- */

/* |ln(after / before)|, infinite if one of them is 0; without a test, by how
   much values differ; -1 if there are none on one side. */
static double
size_of(const struct result *r, const struct change *c)
{
	if (c->verdict == VERDICT_GONE || c->verdict == VERDICT_NEW)
		return -1;
	if (!isfinite(r->p))
		return fabs(c->t.shift);
	return c->step.before > 0 && c->step.after > 0 ?
	    fabs(log(c->step.after / c->step.before)) : INFINITY;
}

/*
 * Keys with changes before others, tested ones by their q and the size of their
 * change; then those with few samples, the greatest differences first; then
 * those of one side.
 */
static int
compare_results(const void *x, const void *y, void *context)
{
	const struct result *r = x, *s = y;

	if ((r->n_changes > 0) != (s->n_changes > 0))
		return r->n_changes > 0 ? -1 : 1;
	if (r->q != s->q)
		return r->q < s->q ? -1 : 1;
	if (r->size != s->size)
		return r->size > s->size ? -1 : 1;
	return samples_compare(context, r->key, s->key);
}

bool
results_is_note(const struct change *c)
{
	return c->step.kind == CHANGE_NEWEST && c->step.n_after < 2;
}

void
results_finish(struct results *a)
{
	struct result *r;
	struct change *c;

	for (r = a->list; r < a->list + a->n; r++) {
		for (c = r->changes; c < r->changes + r->n_changes; c++) {
			r->size = fmax(r->size, size_of(r, c));
			if (c->accepted)
				a->n_accepted++;
			else if (!c->is_past && !results_is_note(c))
				a->counts[c->verdict]++;
			a->n_worse_suspected += c->verdict ==
			    VERDICT_SUSPECTED && !results_is_note(c) &&
			    results_is_worse(a, c);
			if (c->verdict == VERDICT_GONE && !c->accepted)
				r->sentences |= 1U << SENTENCE_GONE;
		}
		if (a->samples->keys[r->key].more_is_better)
			r->sentences |= 1U << SENTENCE_MORE;
		if (isfinite(r->visible)) {
			a->n_judged++;
			a->smallest_effect = fmax(a->smallest_effect,
			    r->visible);
		}
		if (!isfinite(r->p) && (a->options->history ||
		    r->changes->verdict == VERDICT_UNVERIFIED))
			a->n_untested++;
	}
	/* Those of two sides have been counted with their changes. */
	if (a->options->history)
		a->counts[VERDICT_UNVERIFIED] += a->n_untested;
	note_apart(a, PART_UNIT, SENTENCE_UNITS);
	note_apart(a, PART_MACHINE, SENTENCE_MACHINES);
	sort_with(a->list, a->n, sizeof *a->list, compare_results, a->samples);
}
