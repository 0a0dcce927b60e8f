/* emit - writes answers as records */

#include "filters/perf-diff/results.h"
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

static void
put_commits(struct buf *b, const struct results *a, const struct change *c)
{
	json_str(b, "minor_version", results_version(a, c->at));
	json_str(b, "last_good", results_version(a, c->last_good));
	json_open(b, "untested", '[');
	for (size_t i = c->last_good + 1; i < c->at; i++)
		json_item(b, results_version(a, i));
	json_close(b, ']');
	put_number(b, "phi", c->phi);
	put_number(b, "factor", c->factor);
	json_uint(b, "window", c->window);
}

static void
emit_change(const struct results *a, struct filter *f, const struct change *c)
{
	struct buf *b = filter_begin_record(f, "change");
	const struct key *key = &a->samples->keys[c->key];

	for (unsigned i = 0; i < N_PARTS; i++)
		if (key->parts[i] != SYM_NONE)
			json_str(b, part_names[i],
			    samples_part(a->samples, key, i));
	json_word(b, "verdict", verdict_names[c->verdict]);
	json_word(b, "better", c->more_is_better ? "more" : "less");

	put_number(b, "before", c->before);
	put_number(b, "after", c->after);
	put_number(b, "ratio", c->after / c->before);
	put_number(b, "shift", c->shift);
	put_number(b, "low", c->low);
	put_number(b, "high", c->high);
	if (c->stride > 1)
		json_uint(b, "stride", c->stride);
	put_number(b, "p", c->p);
	put_number(b, "q", c->q);
	put_number(b, "fdr", c->fdr);
	json_uint(b, "n", c->n_before + c->n_after);
	json_uint(b, "n_before", c->n_before);
	json_uint(b, "n_after", c->n_after);
	put_number(b, "smallest_effect", c->smallest_effect);
	put_number(b, "share", c->share);

	if (a->options->history)
		put_commits(b, a, c);
	if (a->new_commit != NULL)
		json_cstr(b, "minor_version", a->new_commit);
	if (a->old_commit != NULL)
		json_cstr(b, "last_good", a->old_commit);
	if (c->accepted)
		json_true(b, "accepted");
	filter_end_record(f);
}

void
emit_answer(const struct results *a, struct filter *f)
{
	struct buf *b;

	for (size_t i = 0; i < a->n; i++)
		emit_change(a, f, &a->changes[i]);

	b = filter_begin_record(f, "changes");
	json_uint(b, "keys", a->n_keys);
	json_uint(b, "tested", a->n_tested);
	json_uint(b, "alarms", a->counts[VERDICT_DEGRADED]);
	json_uint(b, "improved", a->counts[VERDICT_IMPROVED]);
	json_uint(b, "accepted", a->n_accepted);
	json_uint(b, "unverified", a->counts[VERDICT_UNVERIFIED]);
	put_number(b, "min_effect", a->options->min_effect);
	put_number(b, "smallest_effect", a->smallest_effect);
	if (!a->options->history) {
		json_uint(b, "new", a->counts[VERDICT_NEW]);
		json_uint(b, "gone", a->counts[VERDICT_GONE]);
	} else {
		json_uint(b, "commits", a->n_order);
		json_uint(b, "ignored", a->n_ignored);
		json_uint(b, "blind", a->blind);
	}
	filter_end_record(f);
}
