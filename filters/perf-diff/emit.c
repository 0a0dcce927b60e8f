/* emit - writes answers as records */

#include "filters/perf-diff/perf-diff.h"

static const char *const verdict_names[N_VERDICTS] = { "same", "degraded",
    "improved", "unverified", "suspected", "new", "gone" };
static const char *const part_names[N_PARTS] = { "uid", "resource_type",
    "subtype", "unit", "cmd", "workload", "machine", "trace" };

/* A number with 12 significant digits; nothing for one that is not finite. */
static void
put_number(struct buf *b, const char *key, double value)
{
	if (!isfinite(value))
		return;
	json_key(b, key);
	buf_printf(b, "%.12g", value);
}

/* Begins a record with the names of the key, and how it differs. */
static struct buf *
begin_change(const struct results *a, struct filter *f, const struct result *r,
    const struct change *c, const char *type)
{
	const struct key *key = &a->samples->keys[c->key];
	struct buf *b = filter_begin_record(f, type);
	struct span text;

	for (unsigned i = 0; i < N_PARTS; i++) {
		text = samples_part(a->samples, c->key, i);
		if (text.n > 0 || key->parts[i] != SYM_NONE)
			json_str(b, part_names[i], text);
	}
	json_word(b, "verdict", verdict_names[c->verdict]);
	json_word(b, "better", key->more_is_better ? "more" : "less");
	put_number(b, "before", c->before);
	put_number(b, "after", c->after);
	put_number(b, "ratio", c->after / c->before);
	put_number(b, "difference", c->after - c->before);
	put_number(b, "shift", c->t.shift);
	put_number(b, "low", c->t.low);
	put_number(b, "high", c->t.high);
	if (c->t.stride > 1)
		json_uint(b, "stride", c->t.stride);
	if (r->is_exact)
		json_true(b, "exact");
	else
		put_number(b, "p", c->p);
	put_number(b, "q", c->q);
	put_number(b, "fdr", isnan(c->q) ? NAN : r->fdr);
	if (c->n_before + c->n_after > 0) {
		json_uint(b, "n", c->n_before + c->n_after);
		json_uint(b, "n_before", c->n_before);
		json_uint(b, "n_after", c->n_after);
	}
	return b;
}

/* A comparison of two sides. */
static void
emit_comparison(const struct results *a, struct filter *f,
    const struct result *r)
{
	const struct change *c = &r->today;
	struct buf *b = begin_change(a, f, r, c, "change");

	if (a->commits[SIDE_NEW] != NULL)
		json_cstr(b, "minor_version", a->commits[SIDE_NEW]);
	if (a->commits[SIDE_OLD] != NULL)
		json_cstr(b, "last_good", a->commits[SIDE_OLD]);
	put_number(b, "share", c->share);
	put_number(b, "smallest_effect", r->visible);
	json_flag(b, "within_run", r->within);
	if (!r->is_exact && !isnan(c->p)) {
		put_number(b, "p_ranks", c->t.p_ranks);
		put_number(b, "p_slow", c->t.p_slow);
		put_number(b, "limit", c->t.limit);
		json_uint(b, "slow_before", c->t.slow_before);
		json_uint(b, "slow_after", c->t.slow_after);
		put_number(b, "excess", c->t.excess);
		put_number(b, "mean_before", c->t.mean_before);
		put_number(b, "mean_after", c->t.mean_after);
		put_number(b, "phi", c->t.phi > 0 ? c->t.phi : NAN);
	}
	json_flag(b, "accepted", c->accepted);
	filter_end_record(f);
}

/* A change of a history, or with the type key the state today. */
static void
emit_change(const struct results *a, struct filter *f, const struct result *r,
    const struct change *c, const char *type)
{
	struct buf *b = begin_change(a, f, r, c, type);

	if (c->verdict != VERDICT_GONE)
		json_str(b, "minor_version", results_version(a, c->at));
	json_str(b, "last_good", results_version(a, c->last_good));
	json_open(b, "untested", '[');
	for (size_t i = c->last_good + 1; i < c->at; i++)
		json_item(b, results_version(a, i));
	json_close(b, ']');
	if (c->verdict != VERDICT_GONE) {
		json_str(b, "first_possible", results_version(a, c->first));
		json_str(b, "last_possible", results_version(a, c->last));
	}
	json_flag(b, "growth", c->grows);
	if (c->n_steps > 0) {
		json_open(b, "steps", '[');
		for (size_t i = 0; i < c->n_steps; i++)
			json_item(b, results_version(a, c->steps[i]));
		json_close(b, ']');
		if (r->newest.n > 0) {
			json_uint(b, "newest", r->newest.n);
			put_number(b, "newest_before", r->newest.before);
			put_number(b, "newest_after", r->newest.after);
		}
		json_flag(b, "repairing", r->is_repairing);
		put_number(b, "smallest_effect", r->visible);
	}
	if (c->n_merged > 0) {
		json_open(b, "merged", '[');
		for (size_t i = 0; i < c->n_merged; i++)
			json_item(b, intern_span(&a->samples->ids,
			    (sym)c->merged[i]));
		json_close(b, ']');
	}
	put_number(b, "size", c->size);
	if (c->verdict != VERDICT_GONE) {
		put_number(b, "phi", r->phi);
		put_number(b, "factor", r->factor_f);
	}
	json_flag(b, "past", c->is_past);
	if (c->cluster > 0)
		json_str(b, "cluster", results_version(a,
		    a->clusters[c->cluster - 1].at));
	json_flag(b, "accepted", c->accepted);
	filter_end_record(f);
}

void
emit_answer(const struct results *a, struct filter *f)
{
	struct buf *b;
	const struct result *r;

	for (r = a->list; r < a->list + a->n; r++) {
		if (!a->options->history)
			emit_comparison(a, f, r);
		if (r->today.n_steps > 0)
			emit_change(a, f, r, &r->today, "key");
		for (size_t i = 0; i < r->n_changes; i++)
			emit_change(a, f, r, &r->changes[i], "change");
	}

	b = filter_begin_record(f, "changes");
	json_uint(b, "keys", a->n);
	json_uint(b, "tested", a->n_tested);
	json_uint(b, "judged", a->n_judged);
	json_uint(b, "alarms", a->counts[VERDICT_DEGRADED]);
	json_uint(b, "improved", a->counts[VERDICT_IMPROVED]);
	json_uint(b, "suspected", a->counts[VERDICT_SUSPECTED]);
	json_uint(b, "accepted", a->n_accepted);
	json_uint(b, "unverified", a->counts[VERDICT_UNVERIFIED]);
	json_uint(b, "gone", a->counts[VERDICT_GONE]);
	put_number(b, "min_effect", a->options->min_effect);
	if (a->n_judged > 0)
		put_number(b, "smallest_effect", a->smallest_effect);
	if (!a->options->history) {
		json_uint(b, "new", a->counts[VERDICT_NEW]);
	} else {
		json_uint(b, "past", a->n_past);
		json_uint(b, "clusters", a->n_clusters);
		json_uint(b, "commits", a->n_order);
		json_uint(b, "ignored", a->n_ignored);
		json_uint(b, "blind", SPLIT_SIDE - 1);
	}
	filter_end_record(f);
}
