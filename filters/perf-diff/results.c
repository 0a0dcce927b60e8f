/* results - what comparisons and histories have in common */

#include <stdlib.h>
#include <string.h>

#include "common/base/sort.h"
#include "filters/perf-diff/perf-diff.h"

/* Nothing is known of it yet. */
static struct change
no_change(uint32_t key)
{
	return (struct change){ .key = key, .verdict = VERDICT_UNVERIFIED,
	    .before = NAN, .after = NAN, .p = NAN, .q = NAN, .size = NAN,
	    .t.shift = NAN, .t.low = NAN, .t.high = NAN, .share = NAN };
}

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
	    .factor_f = NAN, .today = no_change(key) };
	return r;
}

struct change *
results_add_change(struct result *r)
{
	/* Most keys have few, and there may be many keys. */
	r->changes = mem_resize(r->changes, r->n_changes + 1,
	    sizeof *r->changes);
	r->changes[r->n_changes] = no_change(r->key);
	return &r->changes[r->n_changes++];
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
	for (size_t i = 0; i < list->n; i++)
		if (span_eq(samples_part(a->samples, key, PART_UID),
		    list->values[i]) || span_eq(samples_part(a->samples, key,
		    PART_UNIT), list->values[i]))
			return true;
	return false;
}

struct yardstick
results_yardstick(const struct results *a, const struct result *r)
{
	return (struct yardstick){ a->options->min_effect,
	    a->samples->keys[r->key].more_is_better, r->is_exact };
}

bool
results_is_worse(const struct results *a, const struct change *c)
{
	return (c->after > c->before) !=
	    a->samples->keys[c->key].more_is_better;
}

/* --- many keys ------------------------------------------------------------ */

static int
compare_p(const void *x, const void *y, void *context)
{
	const struct result *r = x, *s = y;
	return (r->p > s->p) - (r->p < s->p) ?:
	    samples_compare(context, r->key, s->key);
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

/* The change that says that a key is gone, or NULL. */
static const struct change *
end_of(const struct result *r)
{
	const struct change *c = r->n_changes == 0 ? &r->today :
	    &r->changes[r->n_changes - 1];

	return c->verdict == VERDICT_GONE ? c : NULL;
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
	struct range *inner = mem_table(a->n, sizeof *inner), measured, *g;
	const struct change *end;
	const struct result *r;
	struct intern names;

	intern_init(&names);
	for (size_t i = 0; i < a->n; i++) {
		r = &a->list[i];
		inner[i] = (struct range){ 0, SIZE_MAX };
		groups[i] = SYM_NONE;
		end = end_of(r);
		if (end != NULL && end->accepted)
			continue;
		memcpy(parts, a->samples->keys[r->key].parts, sizeof parts);
		parts[part] = SYM_NONE;
		groups[i] = intern_add(&names, span_bytes(parts,
		    sizeof parts));
		measured = a->options->history ? (struct range){
		    r->positions[0], r->positions[r->n - 1] } : (struct range){
		    r->today.n_before == 0, r->today.n_after > 0 };
		g = &inner[groups[i]];
		if (measured.first > g->first)
			g->first = measured.first;
		if (measured.last < g->last)
			g->last = measured.last;
	}
	for (size_t i = 0; i < a->n; i++)
		if (groups[i] != SYM_NONE &&
		    inner[groups[i]].last < inner[groups[i]].first)
			a->list[i].sentences |= 1U << sentence;
	intern_release(&names);
	free(groups);
	free(inner);
}

/* Do both sides have one, and is it the same? */
static bool
is_same_place(const sym places[2])
{
	return places[SIDE_OLD] == PLACE_UNSET ||
	    places[SIDE_NEW] == PLACE_UNSET ||
	    (places[SIDE_OLD] == places[SIDE_NEW] &&
	    places[SIDE_OLD] != PLACE_SEVERAL);
}

/* --- the report ----------------------------------------------------------- */

/* |ln(after / before)|, infinite if one of them is 0; without a test, by how
   much values differ; -1 if there are none on one side. */
static double
size_of(const struct result *r)
{
	const struct change *c = &r->today;

	if (c->verdict == VERDICT_GONE || c->verdict == VERDICT_NEW ||
	    isnan(c->before))
		return -1;
	if (!isfinite(r->p) && r->n == 0)
		return fabs(c->t.shift);
	return c->before > 0 && c->after > 0 ?
	    fabs(log(c->after / c->before)) : INFINITY;
}

/* Is anything of the key reported?  Its state today, or changes before. */
static int
rank_of(const struct result *r)
{
	return r->n == 0 || isfinite(r->today.before) ? 0 :
	    r->n_changes > 0 ? 1 : 2;
}

/*
 * Keys that differ today before those with past changes, and these before
 * others; tested ones by their q and the size of their change; then those with
 * few samples, the greatest differences first; then those of one side.
 */
static int
compare_results(const void *x, const void *y, void *context)
{
	const struct result *r = x, *s = y;
	return rank_of(r) - rank_of(s) ?: (r->q > s->q) - (r->q < s->q) ?:
	    (r->size < s->size) - (r->size > s->size) ?:
	    samples_compare(context, r->key, s->key);
}

void
results_finish(struct results *a)
{
	const struct change *today, *end, *c;
	const struct key *k;
	struct result *r;
	bool was_worse;

	for (r = a->list; r < a->list + a->n; r++) {
		today = &r->today;
		r->size = size_of(r);
		a->counts[today->verdict] += !today->accepted;
		a->n_worse_suspected += today->verdict == VERDICT_SUSPECTED &&
		    results_is_worse(a, today);
		a->n_accepted += today->accepted;
		end = end_of(r);
		if (end != NULL && !end->accepted) {
			r->sentences |= 1U << SENTENCE_GONE;
			a->counts[VERDICT_GONE] += end != today;
		}
		was_worse = false;
		for (c = r->changes; c < r->changes + r->n_changes; c++) {
			a->n_accepted += c->accepted;
			was_worse |= c->verdict == VERDICT_DEGRADED &&
			    c->is_past;
		}
		if (was_worse && today->verdict != VERDICT_DEGRADED &&
		    today->verdict != VERDICT_SUSPECTED) {
			r->sentences |= 1U << SENTENCE_ANSWER;
			a->n_past++;
		}

		k = &a->samples->keys[r->key];
		if (k->more_is_better)
			r->sentences |= 1U << SENTENCE_MORE;
		/* No key of a history has sides. */
		if (!is_same_place(k->machines))
			r->sentences |= 1U << SENTENCE_MACHINES;
		if (!is_same_place(k->commands))
			r->sentences |= 1U << SENTENCE_COMMANDS;
		if (isfinite(r->visible)) {
			a->n_judged++;
			a->n_exact += r->is_exact;
			a->smallest_effect = fmax(a->smallest_effect,
			    r->visible);
		}
		a->n_untested += !isfinite(r->p) && (a->options->history ||
		    (today->n_before > 0 && today->n_after > 0));
	}
	note_apart(a, PART_UNIT, SENTENCE_UNITS);
	/* Those of two sides have been counted. */
	if (a->options->history) {
		a->counts[VERDICT_UNVERIFIED] = a->n_untested;
		note_apart(a, PART_MACHINE, SENTENCE_MACHINES);
	}
	sort_with(a->list, a->n, sizeof *a->list, compare_results, a->samples);
}
