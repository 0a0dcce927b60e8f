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

/* Of a comparison of two sides. */
static void
put_sides(struct buf *b, const struct results *a, const struct result *r,
    const struct change *c)
{
	if (a->commits[SIDE_NEW] != NULL)
		json_cstr(b, "minor_version", a->commits[SIDE_NEW]);
	if (a->commits[SIDE_OLD] != NULL)
		json_cstr(b, "last_good", a->commits[SIDE_OLD]);
	put_number(b, "share", c->share);
	put_number(b, "smallest_effect", r->visible);
	if (r->is_exact || isnan(c->step.p))
		return;
	put_number(b, "p_ranks", c->t.p_ranks);
	put_number(b, "p_slow", c->t.p_slow);
	put_number(b, "limit", c->t.limit);
	json_uint(b, "slow_before", c->t.slow_before);
	json_uint(b, "slow_after", c->t.slow_after);
	put_number(b, "excess", c->t.excess);
	put_number(b, "mean_before", c->t.mean_before);
	put_number(b, "mean_after", c->t.mean_after);
	if (c->t.phi > 0)
		put_number(b, "phi", c->t.phi);
}

/* The commits of a history. */
static void
put_commits(struct buf *b, const struct results *a, const struct result *r,
    const struct change *c)
{
	if (c->verdict != VERDICT_GONE)
		json_str(b, "minor_version", results_version(a, c->step.at));
	json_str(b, "last_good", results_version(a, c->last_good));
	json_open(b, "untested", '[');
	for (size_t i = c->last_good + 1; i < c->step.at; i++)
		json_item(b, results_version(a, i));
	json_close(b, ']');
	if (c->verdict == VERDICT_GONE)
		return;
	json_str(b, "first_possible", results_version(a, c->step.first));
	json_str(b, "last_possible", results_version(a, c->step.last));
	if (c->step.n_steps > 0) {
		json_true(b, "gradual");
		json_open(b, "steps", '[');
		for (size_t i = 0; i < c->step.n_steps; i++)
			json_item(b, results_version(a, c->steps[i]));
		json_close(b, ']');
	}
	if (c->n_merged > 0) {
		json_open(b, "merged", '[');
		for (size_t i = 0; i < c->n_merged; i++)
			json_item(b, intern_span(&a->samples->ids,
			    (sym)c->merged[i]));
		json_close(b, ']');
	}
	put_number(b, "size", c->step.size);
	put_number(b, "phi", r->phi);
	put_number(b, "factor", r->dependence);
	json_flag(b, "past", c->is_past);
}

static void
emit_change(const struct results *a, struct filter *f, const struct result *r,
    const struct change *c)
{
	struct buf *b = filter_begin_record(f, "change");
	const struct key *key = &a->samples->keys[r->key];
	struct span text;

	for (unsigned i = 0; i < N_PARTS; i++) {
		text = samples_part(a->samples, key, i);
		if (text.n > 0 || key->parts[i] != SYM_NONE)
			json_str(b, part_names[i], text);
	}
	json_word(b, "verdict", verdict_names[c->verdict]);
	json_word(b, "better", key->more_is_better ? "more" : "less");

	put_number(b, "before", c->step.before);
	put_number(b, "after", c->step.after);
	put_number(b, "ratio", c->step.after / c->step.before);
	put_number(b, "difference", c->step.after - c->step.before);
	put_number(b, "shift", c->t.shift);
	put_number(b, "low", c->t.low);
	put_number(b, "high", c->t.high);
	if (c->t.stride > 1)
		json_uint(b, "stride", c->t.stride);
	if (r->is_exact)
		json_true(b, "exact");
	else
		put_number(b, "p", c->step.p);
	put_number(b, "q", c->q);
	put_number(b, "fdr", isnan(c->q) ? NAN : r->fdr);
	/* Those of a gradual change, or of exact values, are not known. */
	if (c->step.n_before + c->step.n_after > 0) {
		json_uint(b, "n", c->step.n_before + c->step.n_after);
		json_uint(b, "n_before", c->step.n_before);
		json_uint(b, "n_after", c->step.n_after);
	}
	(a->options->history ? put_commits : put_sides)(b, a, r, c);
	json_flag(b, "accepted", c->accepted);
	filter_end_record(f);
}

void
emit_answer(const struct results *a, struct filter *f)
{
	struct buf *b;
	const struct result *r;

	for (r = a->list; r < a->list + a->n; r++)
		for (size_t i = 0; i < r->n_changes; i++)
			if (!results_is_note(&r->changes[i]))
				emit_change(a, f, r, &r->changes[i]);

	b = filter_begin_record(f, "changes");
	json_uint(b, "keys", a->n);
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
