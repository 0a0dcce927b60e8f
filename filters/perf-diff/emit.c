/* emit - writes answers as records */

#include <stdlib.h>

#include "filters/perf-diff/emit.h"

/* A number with 12 significant digits; nothing for one that is not finite. */
static void
put_number(struct buf *b, const char *key, double value)
{
	if (!isfinite(value))
		return;
	json_key(b, key);
	buf_printf(b, "%.12g", value);
}

/* Of a comparison of two sides. */
static void
put_sides(struct buf *b, const struct results *a, const struct change *c)
{
	if (a->new_commit != NULL)
		json_cstr(b, "minor_version", a->new_commit);
	if (a->old_commit != NULL)
		json_cstr(b, "last_good", a->old_commit);
	put_number(b, "share", c->share);
	put_number(b, "smallest_effect", c->smallest_effect);
	if (isnan(c->p))
		return;
	put_number(b, "p_ranks", c->p_ranks);
	put_number(b, "p_slow", c->p_slow);
	put_number(b, "limit", c->limit);
	json_uint(b, "slow_before", c->slow_before);
	json_uint(b, "slow_after", c->slow_after);
	put_number(b, "excess", c->excess);
	put_number(b, "mean_before", c->mean_before);
	put_number(b, "mean_after", c->mean_after);
	if (c->phi > 0)
		put_number(b, "phi", c->phi);
}

/* The commits of a history. */
static void
put_commits(struct buf *b, const struct results *a, const struct change *c)
{
	const struct series *s = &a->series[c->series];
	uint32_t *merged;
	size_t n;

	if (c->verdict != VERDICT_GONE)
		json_str(b, "minor_version", results_version(a, c->at));
	json_str(b, "last_good", results_version(a, c->last_good));
	json_open(b, "untested", '[');
	for (size_t i = c->last_good + 1; i < c->at; i++)
		json_item(b, results_version(a, i));
	json_close(b, ']');
	if (c->verdict == VERDICT_GONE)
		return;
	json_str(b, "first_possible", results_version(a, c->first));
	json_str(b, "last_possible", results_version(a, c->last));
	if (c->kind == CHANGE_GRADUAL) {
		json_true(b, "gradual");
		json_open(b, "steps", '[');
		for (size_t i = 0; i < c->n_steps; i++)
			json_item(b, results_version(a, c->steps[i]));
		json_close(b, ']');
	}
	merged = results_merged(a, c->at, &n);
	if (n > 0) {
		json_open(b, "merged", '[');
		for (size_t i = 0; i < n; i++)
			json_item(b, intern_span(&a->samples->ids, merged[i]));
		json_close(b, ']');
	}
	free(merged);
	put_number(b, "size", c->size);
	put_number(b, "phi", s->phi);
	put_number(b, "factor", s->factor);
	if (c->is_past)
		json_true(b, "past");
}

static void
emit_change(const struct results *a, struct filter *f, const struct change *c)
{
	struct buf *b = filter_begin_record(f, "change");
	const struct key *key = &a->samples->keys[c->key];
	struct span text;

	for (unsigned i = 0; i < N_PARTS; i++) {
		text = samples_part(a->samples, key, i);
		if (text.n > 0 || key->parts[i] != SYM_NONE)
			json_str(b, part_names[i], text);
	}
	json_word(b, "verdict", verdict_names[c->verdict]);
	json_word(b, "better", key->more_is_better ? "more" : "less");

	put_number(b, "before", c->before);
	put_number(b, "after", c->after);
	put_number(b, "ratio", c->after / c->before);
	put_number(b, "difference", c->after - c->before);
	put_number(b, "shift", c->shift);
	put_number(b, "low", c->low);
	put_number(b, "high", c->high);
	if (c->stride > 1)
		json_uint(b, "stride", c->stride);
	if (c->is_exact)
		json_true(b, "exact");
	put_number(b, "p", c->p);
	put_number(b, "q", c->q);
	put_number(b, "fdr", c->fdr);
	json_uint(b, "n", c->n_before + c->n_after);
	json_uint(b, "n_before", c->n_before);
	json_uint(b, "n_after", c->n_after);
	(a->options->history ? put_commits : put_sides)(b, a, c);
	if (c->accepted)
		json_true(b, "accepted");
	filter_end_record(f);
}

void
emit_answer(const struct results *a, struct filter *f)
{
	struct buf *b;
	const struct change *c;

	/* That the newest commit alone looks different is only a note. */
	for (c = a->changes; c < a->changes + a->n; c++)
		if (c->verdict != VERDICT_SUSPECTED || c->n_after > 1)
			emit_change(a, f, c);

	b = filter_begin_record(f, "changes");
	json_uint(b, "keys", a->n_keys);
	json_uint(b, "tested", a->n_tested);
	json_uint(b, "judged", a->n_judged);
	json_uint(b, "alarms", a->counts[VERDICT_DEGRADED]);
	json_uint(b, "improved", a->counts[VERDICT_IMPROVED]);
	json_uint(b, "accepted", a->n_accepted);
	json_uint(b, "unverified", a->counts[VERDICT_UNVERIFIED]);
	json_uint(b, "gone", a->counts[VERDICT_GONE]);
	put_number(b, "min_effect", a->options->min_effect);
	if (a->n_judged > 0)
		put_number(b, "smallest_effect", fmax(a->smallest_effect,
		    a->options->min_effect));
	if (!a->options->history) {
		json_uint(b, "new", a->counts[VERDICT_NEW]);
	} else {
		json_uint(b, "suspected", a->counts[VERDICT_SUSPECTED]);
		json_uint(b, "commits", a->n_order);
		json_uint(b, "ignored", a->n_ignored);
		json_uint(b, "blind", SPLIT_SIDE - 1);
	}
	filter_end_record(f);
}
