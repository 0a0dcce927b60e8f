/* report - prints answers as text */

#include <ctype.h>
#include <stdlib.h>

#include "common/base/num.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "common/stats/values.h"
#include "filters/perf-diff/perf-diff.h"

enum { SPARK_COLUMNS = 64, MERGED_MAX = 10 };

/* Adds a row to a table: a cell for each of its columns. */
static void
put_row(struct table *t, const char *const *cells)
{
	for (size_t i = 0; t->align[i] != '\0'; i++) {
		buf_str(table_cell(t), cells[i]);
		table_next(t);
	}
}

/* The significance of a change, in a cell. */
static const char *
text_of_q(const struct results *a, const struct result *r,
    const struct change *c)
{
	if (isnan(c->q))
		return "";
	return r->is_exact ? "exact" : c->q < 0.0001 ? "<0.0001" :
	    say(a, "%.2g", c->q);
}

/* --- a comparison --------------------------------------------------------- */

static void
put_key(struct table *t, const struct results *a, const struct result *r)
{
	const struct change *c = r->changes;
	const char *key = say_key(a, c->key);
	const char *cells[] = { say_effect(a, c),
	    say_value(a, c->key, c->step.before),
	    say_value(a, c->key, c->step.after), text_of_q(a, r, c),
	    say(a, "%zu + %zu", c->step.n_before, c->step.n_after),
	    isfinite(r->visible) ? say(a, "%.1f %%", 100 * r->visible) : "",
	    c->by_slow ? say(a, "%s, slow runs %zu, then %zu", key,
	    c->t.slow_before, c->t.slow_after) : key };

	put_row(t, cells);
}

/* A table of the keys with a verdict; N_VERDICTS: that are accepted. */
static void
put_section(struct buf *b, const struct results *a, const char *heading,
    enum verdict verdict)
{
	static const char *const heads[] = { "change", "before", "after", "q",
	    "samples", "visible", "key" };
	const struct change *c;
	struct table t;
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++) {
		c = a->list[i].changes;
		if (verdict != (c->accepted ? N_VERDICTS : c->verdict))
			continue;
		if (n++ == 0)
			table_init(&t, "RrrrrrL", heads);
		if (n <= a->options->top)
			put_key(&t, a, &a->list[i]);
	}
	if (n == 0)
		return;
	report_blank(b);
	report_heading(b, "%s: %zu", heading, n);
	table_print(&t, b);
	report_more(b, n > a->options->top ? n - a->options->top : 0, "");
}

static void
report_comparison(struct buf *b, const struct results *a)
{
	put_section(b, a, "Worse", VERDICT_DEGRADED);
	put_section(b, a, "Better", VERDICT_IMPROVED);
	put_section(b, a, "Accepted", N_VERDICTS);
	put_section(b, a, "Too few samples to prove anything, one run least "
	    "of all", VERDICT_UNVERIFIED);
	put_section(b, a, "New", VERDICT_NEW);
	put_section(b, a, "Gone", VERDICT_GONE);
	put_section(b, a, "Not changed", VERDICT_SAME);
}

/* --- a history ------------------------------------------------------------ */

/* A sparkline of a series; each column is the median of some points. */
static void
put_spark(struct buf *b, const struct result *r)
{
	double *room = mem_table(r->n, sizeof *room), ratios[SPARK_COLUMNS];
	double low = INFINITY, high = -INFINITY;
	size_t columns = r->n < SPARK_COLUMNS ? r->n : SPARK_COLUMNS, from;

	for (size_t i = 0; i < columns; i++) {
		from = i * r->n / columns;
		ratios[i] = values_median(r->values + from,
		    (i + 1) * r->n / columns - from, room);
		low = fmin(low, ratios[i]);
		high = fmax(high, ratios[i]);
	}
	/* A blank would look like a commit without a value. */
	for (size_t i = 0; i < columns; i++)
		ratios[i] = 1.0 / 8 + (high > low ?
		    7.0 / 8 * (ratios[i] - low) / (high - low) : 0);
	report_spark(b, ratios, columns);
	free(room);
}

/* What may have caused a change. */
static const char *
causes(const struct results *a, const struct change *c)
{
	size_t untested = c->step.at - c->last_good - 1;
	const char *subject = say_subject(a, c->step.at);
	const char *text = *subject != '\0' ? say(a, "; %s", subject) : "";

	if (c->step.n_steps > 1)
		text = say(a, "%s; %zu steps", text, c->step.n_steps);
	if (c->step.first < c->step.last)
		text = say(a, "%s; from %s to %s", text,
		    say_commit(a, c->step.first), say_commit(a, c->step.last));
	if (untested > 0 && c->step.n_steps == 0)
		text = say(a, "%s; %zu untested before", text, untested);
	return *text != '\0' ? text + 2 : text;
}

static void
put_change(struct table *t, const struct results *a, const struct result *r,
    const struct change *c)
{
	bool is_gone = c->verdict == VERDICT_GONE;
	size_t at = is_gone ? c->last_good : c->step.at;
	const char *verdict = c->accepted ? "accepted" :
	    c->is_past ? "past" : is_gone ? "gone after" :
	    c->verdict == VERDICT_UNVERIFIED ? "unverified" :
	    c->verdict != VERDICT_SUSPECTED ? say_comparative(a, c) :
	    results_is_note(c) ? "newest alone" : "suspected";
	const char *cells[] = { verdict, say_commit(a, at), say_date(a, at),
	    say_effect(a, c), say_value(a, c->key, c->step.before),
	    say_value(a, c->key, c->step.after), text_of_q(a, r, c),
	    is_gone ? "" : causes(a, c) };

	put_row(t, cells);
}

/* The median of a key's samples of a version; NAN if there are none. */
static double
median_at(const struct results *a, uint32_t key, size_t version)
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

/* "3f2a91cd02 merges 2 commits: 775bc5c30e (14.2 s), 0b9e4f2a11" */
static void
put_merged(struct buf *b, const struct results *a, const struct change *c)
{
	size_t n = c->n_merged, from = b->len;
	double value;

	for (size_t i = 0; i < n && i < MERGED_MAX; i++) {
		if (i == 0)
			buf_printf(b, "%s merges %zu %s", say_commit(a,
			    c->step.at), n, plural(n, "commit", "commits"));
		buf_printf(b, "%s%s", i == 0 ? ": " : ", ",
		    say_id(a, intern_span(&a->samples->ids,
		    (sym)c->merged[i])));
		value = median_at(a, c->key, c->merged[i]);
		if (!isnan(value))
			buf_printf(b, " (%s)", say_value(a, c->key, value));
	}
	if (n > 0) {
		buf_str(b, n > MERGED_MAX ? " ..." : "");
		report_item(b, from, 1);
	}
}

/* The changes of a key. */
static void
report_series(struct buf *b, const struct results *a, const struct result *r)
{
	static const char *const heads[] = { "", "commit", "date", "change",
	    "before", "after", "q", "what" };
	const struct change *c, *end = r->changes + r->n_changes;
	struct table t;
	size_t from;

	report_blank(b);
	report_heading(b, "%s", say_key(a, r->key));
	from = b->len;
	put_spark(b, r);
	buf_printf(b, "  %zu commits", r->n);
	report_item(b, from, 1);
	table_init(&t, "LLlRrrrL", heads);
	for (c = r->changes; c < end; c++)
		put_change(&t, a, r, c);
	table_print(&t, b);
	for (c = r->changes; c < end; c++)
		put_merged(b, a, c);
}

static void
report_history(struct buf *b, const struct results *a)
{
	size_t n;

	for (n = 0; n < a->n && a->list[n].n_changes > 0; n++)
		if (n < a->options->top)
			report_series(b, a, &a->list[n]);
	report_more(b, n > a->options->top ? n - a->options->top : 0,
	    " keys with changes");
}

void
report_answer(const struct results *a, struct filter *f)
{
	struct buf *b = filter_out(f);
	const char *text;
	size_t from;

	for (unsigned i = 0; i < N_SENTENCES; i++) {
		text = say_sentence(a, i);
		if (*text == '\0')
			continue;
		/* It begins with a number or with a small letter. */
		from = b->len;
		buf_char(b, (char)toupper((unsigned char)*text));
		buf_printf(b, "%s.", text + 1);
		report_sentence(b, from);
	}
	(a->options->history ? report_history : report_comparison)(b, a);
	filter_emit(f);
}
