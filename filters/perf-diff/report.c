/* report - prints answers as text */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

/* A table with a heading, of which only the first rows are printed. */
struct section {
	const char *align;
	const char *const *heads;
	struct table t;
	size_t n, top;
};

/* Is the next row printed? */
static bool
next_row(struct section *s)
{
	if (s->n++ == 0)
		table_init(&s->t, s->align, s->heads);
	return s->n <= s->top;
}

static void
end_section(struct section *s, struct buf *b, const char *heading)
{
	if (s->n == 0)
		return;
	report_blank(b);
	report_heading(b, "%s: %zu", heading, s->n);
	table_print(&s->t, b);
	report_more(b, s->n > s->top ? s->n - s->top : 0, "");
}

/* The significance of a change, in a cell. */
static const char *
text_of_q(const struct result *r, const struct change *c)
{
	if (isnan(c->q))
		return "";
	return r->is_exact ? "exact" : c->q < 0.0001 ? "<0.0001" :
	    say("%.2g", c->q);
}

/* --- a comparison --------------------------------------------------------- */

/* The keys with a verdict; N_VERDICTS: that are accepted. */
static void
put_section(struct buf *b, const struct results *a, const char *heading,
    enum verdict verdict)
{
	static const char *const heads[] = { "change", "before", "after", "q",
	    "runs", "visible", "key" };
	struct section s = { .align = "RrrrrrL", .heads = heads,
	    .top = a->options->top };
	const struct change *c;
	const char *key;

	for (const struct result *r = a->list; r < a->list + a->n; r++) {
		c = &r->today;
		if (verdict != (c->accepted ? N_VERDICTS : c->verdict) ||
		    !next_row(&s))
			continue;
		key = say_key(a, c->key);
		put_row(&s.t, (const char *[]){ say_effect(c),
		    say_value(a, c->key, c->before),
		    say_value(a, c->key, c->after), text_of_q(r, c),
		    say("%zu + %zu", c->n_before, c->n_after),
		    isfinite(r->visible) ? say("%.1f %%", 100 * r->visible) :
		    "", c->by_slow ? say("%s, slow runs %zu, then %zu", key,
		    c->t.slow_before, c->t.slow_after) : key });
	}
	end_section(&s, b, heading);
}

static void
report_comparison(struct buf *b, const struct results *a)
{
	put_section(b, a, "Worse", VERDICT_DEGRADED);
	put_section(b, a, "Better", VERDICT_IMPROVED);
	put_section(b, a, "Accepted", N_VERDICTS);
	put_section(b, a, "Suspected, from too few runs", VERDICT_SUSPECTED);
	put_section(b, a, "Too few runs to prove anything, one least of all",
	    VERDICT_UNVERIFIED);
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
	size_t untested = c->at - c->last_good - 1;
	const char *subject = say_subject(a, c->at);
	const char *text = *subject != '\0' ? say("; %s", subject) : "";

	if (c->n_steps > 1)
		text = say("%s; %zu steps", text, c->n_steps);
	if (c->first < c->last)
		text = say("%s; %sfrom %s to %s", text, c->grows ? "growing " :
		    "", say_commit(a, c->first), say_commit(a, c->last));
	if (untested > 0 && c->n_steps <= 1)
		text = say("%s; %zu untested before", text, untested);
	if (c->cluster > 0)
		text = say("%s; with many keys at %s", text, say_commit(a,
		    a->clusters[c->cluster - 1].at));
	return *text != '\0' ? text + 2 : text;
}

static void
put_change(struct table *t, const struct results *a, const struct result *r,
    const struct change *c)
{
	/* A state has steps; the others are those, and what else changed. */
	const char *verdict = c->verdict == VERDICT_SUSPECTED ? "suspected" :
	    c->n_steps > 0 ? say_comparative(a, c) : "step";

	put_row(t, (const char *[]){ verdict, say_commit(a, c->at),
	    say_date(a, c->at), say_effect(c),
	    say_value(a, c->key, c->before), say_value(a, c->key, c->after),
	    text_of_q(r, c), causes(a, c) });
}

/* "3f2a91cd02 merges 2 commits: 775bc5c30e (14.2 s), 0b9e4f2a11" */
static void
put_merged(struct buf *b, const struct results *a, const struct change *c)
{
	const struct key *k = &a->samples->keys[c->key];
	size_t n = c->n_merged, from = b->len, n_values;
	double *values;

	if (n == 0)
		return;
	values = mem_table(k->n, sizeof *values);
	buf_printf(b, "%s merges %zu %s", say_commit(a, c->at), n,
	    plural(n, "commit", "commits"));
	for (size_t i = 0; i < n && i < MERGED_MAX; i++) {
		buf_printf(b, "%s%s", i == 0 ? ": " : ", ",
		    say_id(intern_span(&a->samples->ids, (sym)c->merged[i])));
		n_values = 0;
		for (size_t v = 0; v < k->n; v++)
			if (k->list[v].version == c->merged[i])
				values[n_values++] = k->list[v].value;
		if (n_values > 0)
			buf_printf(b, " (%s)", say_value(a, c->key,
			    samples_value(k, values, n_values, false)));
	}
	free(values);
	buf_str(b, n > MERGED_MAX ? " ..." : "");
	report_item(b, from, 1);
}

/* What is said of a change in one line. */
enum line_kind { LINE_PAST, LINE_ACCEPTED, LINE_GONE, N_LINES };
static const char *const line_heads[N_LINES] = { "Was worse, and is not",
    "Accepted", "Gone after" };

static enum line_kind
kind_of(const struct change *c)
{
	return c->accepted ? LINE_ACCEPTED : c->verdict == VERDICT_GONE ?
	    LINE_GONE : c->is_past && c->verdict == VERDICT_DEGRADED ?
	    LINE_PAST : N_LINES;
}

/* A key as it is today, and its changes that are not said in a line. */
static void
report_series(struct buf *b, const struct results *a, const struct result *r)
{
	static const char *const heads[] = { "", "commit", "date", "change",
	    "before", "after", "q", "what" };
	const struct change *c, *end = r->changes + r->n_changes;
	const struct change *today = &r->today;
	struct table t;
	size_t from;

	report_blank(b);
	report_heading(b, "%s", say_key(a, r->key));
	from = b->len;
	put_spark(b, r);
	buf_printf(b, "  %zu commits", r->n);
	report_item(b, from, 1);
	table_init(&t, "LLlRrrrL", heads);
	put_change(&t, a, r, today);
	for (c = r->changes; c < end; c++)
		if (!c->is_past && kind_of(c) == N_LINES &&
		    !(c->is_today && c->after == today->after))
			put_change(&t, a, r, c);
	table_print(&t, b);
	if (today->n_steps == 1)
		put_merged(b, a, today);
	for (c = r->changes; c < end; c++)
		if (!c->is_past && !c->is_today)
			put_merged(b, a, c);
}

static void
report_lines(struct buf *b, const struct results *a, enum line_kind kind)
{
	static const char *const heads[] = { "commit", "date", "change",
	    "before", "after", "key" };
	struct section s = { .align = "LlrrrL", .heads = heads,
	    .top = a->options->top };
	const struct change *c;
	size_t at;

	for (const struct result *r = a->list; r < a->list + a->n; r++)
		for (c = r->changes; c < r->changes + r->n_changes; c++) {
			if (kind_of(c) != kind || !next_row(&s))
				continue;
			at = kind == LINE_GONE ? c->last_good : c->at;
			put_row(&s.t, (const char *[]){ say_commit(a, at),
			    say_date(a, at), say_effect(c),
			    say_value(a, c->key, c->before),
			    say_value(a, c->key, c->after),
			    say_key(a, c->key) });
		}
	end_section(&s, b, line_heads[kind]);
}

/* Keys whose newest commits look different, and no more. */
static void
report_newest(struct buf *b, const struct results *a)
{
	static const char *const heads[] = { "commits", "before", "after",
	    "key" };
	struct section s = { .align = "RrrL", .heads = heads,
	    .top = a->options->top };

	for (const struct result *r = a->list; r < a->list + a->n; r++)
		if (r->newest.n > 0 && r->today.n_steps == 0 && next_row(&s))
			put_row(&s.t, (const char *[]){ say("%zu", r->newest.n),
			    say_value(a, r->key, r->newest.before),
			    say_value(a, r->key, r->newest.after),
			    say_key(a, r->key) });
	end_section(&s, b, "Only the newest commits look different");
}

static void
report_history(struct buf *b, const struct results *a)
{
	size_t n = 0;

	for (const struct result *r = a->list; r < a->list + a->n; r++)
		if (r->today.n_steps > 0 && n++ < a->options->top)
			report_series(b, a, r);
	report_more(b, n > a->options->top ? n - a->options->top : 0,
	    plural(n - a->options->top, " key that differs",
	    " keys that differ"));
	report_newest(b, a);
	for (enum line_kind kind = 0; kind < N_LINES; kind++)
		report_lines(b, a, kind);
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
		buf_printf(b, "%s%s", text + 1,
		    text[strlen(text) - 1] == '?' ? "" : ".");
		report_sentence(b, from);
	}
	(a->options->history ? report_history : report_comparison)(b, a);
	filter_emit(f);
}
