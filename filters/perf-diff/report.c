/* report - prints answers as text */

#include <ctype.h>
#include <stdlib.h>

#include "common/base/num.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "common/stats/values.h"
#include "filters/perf-diff/results.h"
#include "filters/perf-diff/report.h"
#include "filters/perf-diff/phrases.h"

enum { SPARK_COLUMNS = 64 };

/* --- a comparison --------------------------------------------------------- */

static bool
is_in_section(const struct change *c, unsigned verdicts, bool accepted)
{
	return c->accepted == accepted && (verdicts & 1U << c->verdict) != 0;
}

/* Writes four columns: the change, before, after and q. */
static void
put_change(struct table *t, const struct results *a, const struct change *c)
{
	phrases_effect(table_cell(t), c);
	table_next(t);
	phrases_value(table_cell(t), a, c->key, c->before);
	table_next(t);
	phrases_value(table_cell(t), a, c->key, c->after);
	table_next(t);
	if (c->is_exact)
		buf_str(table_cell(t), "exact");
	else if (c->q < 0.0001)
		buf_str(table_cell(t), "<0.0001");
	else if (!isnan(c->q))
		buf_printf(table_cell(t), "%.2g", c->q);
	table_next(t);
}

static void
put_row(struct table *t, const struct results *a, const struct change *c)
{
	put_change(t, a, c);
	buf_printf(table_cell(t), "%zu + %zu", c->n_before, c->n_after);
	table_next(t);
	if (isfinite(c->smallest_effect))
		report_percent(table_cell(t), c->smallest_effect);
	table_next(t);
	phrases_key(table_cell(t), a, c->key);
	if (c->by_slow)
		buf_printf(table_cell(t), ", slow runs %zu, then %zu",
		    c->slow_before, c->slow_after);
	table_next(t);
}

/* A key that is on one side only. */
static void
put_single_row(struct table *t, const struct results *a,
    const struct change *c)
{
	phrases_value(table_cell(t), a, c->key, c->verdict == VERDICT_NEW ?
	    c->after : c->before);
	table_next(t);
	table_count(t, c->n_before + c->n_after);
	table_percent(t, c->share);
	phrases_key(table_cell(t), a, c->key);
	table_next(t);
}

/* A table of the changes with one of the verdicts (a bit for each). */
static void
put_section(struct buf *b, const struct results *a, const char *heading,
    unsigned verdicts, bool accepted)
{
	static const char *const heads[] = { "change", "before", "after", "q",
	    "samples", "visible", "key" };
	static const char *const single_heads[] = { "median", "samples",
	    "of all", "key" };
	bool is_single = (verdicts & 1U << VERDICT_SAME) == 0 &&
	    (verdicts & (1U << VERDICT_NEW | 1U << VERDICT_GONE)) != 0;
	const struct change *c, *end = a->changes + a->n;
	struct table t;
	size_t n = 0, shown = 0;

	for (c = a->changes; c < end; c++)
		n += is_in_section(c, verdicts, accepted);
	if (n == 0)
		return;
	report_blank(b);
	report_heading(b, "%s: %zu", heading, n);
	table_init(&t, is_single ? "RrrL" : "RrrrrrL",
	    is_single ? single_heads : heads);
	for (c = a->changes; c < end && shown < a->options->top; c++)
		if (is_in_section(c, verdicts, accepted)) {
			(is_single ? put_single_row : put_row)(&t, a, c);
			shown++;
		}
	table_print(&t, b);
	report_more(b, n - shown, "");
}

static void
report_comparison(struct buf *b, const struct results *a)
{
	put_section(b, a, "Worse", 1U << VERDICT_DEGRADED, false);
	put_section(b, a, "Better", 1U << VERDICT_IMPROVED, false);
	put_section(b, a, "Accepted", ~0U, true);
	put_section(b, a, "Too few samples to prove anything, one run least "
	    "of all", 1U << VERDICT_UNVERIFIED, false);
	put_section(b, a, "New", 1U << VERDICT_NEW, false);
	put_section(b, a, "Gone", 1U << VERDICT_GONE, false);
	put_section(b, a, "Not changed", 1U << VERDICT_SAME, false);
}

/* --- a history ------------------------------------------------------------ */

/* A sparkline of a series; each column is the median of some points. */
static void
put_spark(struct buf *b, const struct series *s)
{
	double *room = mem_table(s->n, sizeof *room), ratios[SPARK_COLUMNS];
	double low = INFINITY, high = -INFINITY;
	size_t columns = s->n < SPARK_COLUMNS ? s->n : SPARK_COLUMNS;

	for (size_t i = 0; i < columns; i++) {
		size_t from = i * s->n / columns;

		ratios[i] = values_median(s->values + from,
		    (i + 1) * s->n / columns - from, room);
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

/* What may have caused a change, in a cell. */
static void
put_causes(struct buf *b, const struct results *a, const struct change *c)
{
	size_t untested = c->at - c->last_good - 1, from = b->len;

	phrases_subject(b, a, c->at);
	if (c->n_steps > 1)
		buf_printf(b, "%s%zu steps", b->len > from ? "; " : "",
		    c->n_steps);
	if (c->first < c->last) {
		buf_str(b, b->len > from ? "; from " : "from ");
		phrases_id(b, results_version(a, c->first));
		buf_str(b, " to ");
		phrases_id(b, results_version(a, c->last));
	}
	if (untested > 0 && c->n_steps == 0)
		buf_printf(b, "%s%zu untested before", b->len > from ? "; " :
		    "", untested);
}

static void
put_history_row(struct table *t, const struct results *a,
    const struct change *c)
{
	bool gone = c->verdict == VERDICT_GONE;

	buf_str(table_cell(t), c->accepted ? "accepted" :
	    c->is_past ? "past" : gone ? "gone after" :
	    c->verdict == VERDICT_UNVERIFIED ? "unverified" :
	    c->verdict == VERDICT_SUSPECTED ? c->n_after > 1 ? "suspected" :
	    "newest alone" : phrases_comparative(a, c));
	table_next(t);
	phrases_id(table_cell(t), results_version(a, gone ? c->last_good :
	    c->at));
	table_next(t);
	phrases_date(table_cell(t), a, gone ? c->last_good : c->at);
	table_next(t);
	put_change(t, a, c);
	if (!gone)
		put_causes(table_cell(t), a, c);
	table_next(t);
}

enum { MERGED_MAX = 10 };

/* "3f2a91cd02 merges 2 commits: 775bc5c30e (14.2 s), 0b9e4f2a11" */
static void
put_merged(struct buf *b, const struct results *a, const struct change *c)
{
	size_t n, from = b->len;
	uint32_t *list = results_merged(a, c->at, &n);
	double value;

	for (size_t i = 0; i < n && i < MERGED_MAX; i++) {
		if (i == 0) {
			phrases_id(b, results_version(a, c->at));
			buf_printf(b, " merges %zu %s", n, plural(n, "commit",
			    "commits"));
		}
		buf_str(b, i == 0 ? ": " : ", ");
		phrases_id(b, intern_span(&a->samples->ids, list[i]));
		value = results_median_at(a, c->key, list[i]);
		if (isnan(value))
			continue;
		buf_str(b, " (");
		phrases_value(b, a, c->key, value);
		buf_char(b, ')');
	}
	free(list);
	if (b->len == from)
		return;
	buf_str(b, n > MERGED_MAX ? " ..." : "");
	report_item(b, from, 1);
}

/* The changes of a key, which follow each other. */
static const struct change *
report_series(struct buf *b, const struct results *a, const struct change *c)
{
	static const char *const heads[] = { "", "commit", "date", "change",
	    "before", "after", "q", "what" };
	const struct series *s = &a->series[c->series];
	const struct change *end = a->changes + a->n, *first = c;
	struct buf label = { 0 };
	struct table t;
	size_t from;

	phrases_key(&label, a, c->key);
	report_blank(b);
	report_heading(b, "%s", buf_cstr(&label));
	from = b->len;
	put_spark(b, s);
	buf_printf(b, "  %zu commits", s->n);
	report_item(b, from, 1);
	table_init(&t, "LLlRrrrL", heads);
	for (; c < end && &a->series[c->series] == s; c++)
		put_history_row(&t, a, c);
	table_print(&t, b);
	for (c = first; c < end && &a->series[c->series] == s; c++)
		if (c->verdict != VERDICT_GONE)
			put_merged(b, a, c);
	buf_release(&label);
	return c;
}

static void
report_history(struct buf *b, const struct results *a)
{
	const struct change *c = a->changes, *end = c + a->n;
	uint64_t n = 0;

	while (c < end && n++ < a->options->top)
		c = report_series(b, a, c);
	for (n = 0; c < end; c++)
		n += c[-1].series != c->series;
	report_more(b, n, " keys with changes");
}

void
report_answer(const struct results *a, struct filter *f)
{
	struct buf *b = filter_out(f);
	size_t from = b->len;

	phrases_sentence(a, b);
	/* It begins with a number or with a small letter. */
	b->data[from] = (char)toupper((unsigned char)b->data[from]);
	buf_char(b, '.');
	report_sentence(b, from);
	for (unsigned i = 0; i < N_NOTES; i++) {
		from = b->len;
		phrases_note(a, b, i);
		if (b->len == from)
			continue;
		b->data[from] = (char)toupper((unsigned char)b->data[from]);
		buf_char(b, '.');
		report_sentence(b, from);
	}
	if (a->options->history)
		report_history(b, a);
	else
		report_comparison(b, a);
	filter_emit(f);
}
