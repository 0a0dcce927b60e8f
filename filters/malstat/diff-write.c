/* diff-write - writes what became slower from one trace to another */

#include <math.h>

#include "common/base/num.h"
#include "common/filter/filter.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "filters/malstat/diff-write.h"

enum { ROWS_MAX = 15 };		/* of queries and operations in a report */

static struct span
text_of(const struct diff *d, sym name)
{
	return name == SYM_NONE ? span_of("", 0) : intern_span(&d->texts, name);
}

/* The name on the newer side that has one. */
static struct span
name_of_change(const struct diff *d, const struct change *c)
{
	const struct side *s = c->sides;

	return text_of(d, s[NOW].name != SYM_NONE ? s[NOW].name :
	    s[BEFORE].name);
}

static int64_t
rounded(double n)
{
	return (int64_t)llround(n);
}

static const struct change *
nth_change(const struct diff *d, enum change_kind kind, size_t i)
{
	return &d->list[d->orders[kind][i]];
}

/* --- records -------------------------------------------------------------- */

static void
put_side(struct buf *b, const struct change *c, int side)
{
	static const struct keys {
		const char *n, *us, *busy_us, *pc, *in, *out, *estimate;
	} of_sides[N_SIDES] = {
		{ "instances", "self_us", "busy_us", "pc", "rows_in",
		    "rows_out", "estimate" },
		{ "before_instances", "before_self_us", "before_busy_us",
		    "before_pc", "before_rows_in", "before_rows_out",
		    "before_estimate" } };
	const struct keys *keys = &of_sides[side];
	const struct side *s = &c->sides[side];

	if (s->n == 0)
		return;
	if (c->kind == CHANGE_QUERY) {
		json_int(b, side == NOW ? "runs" : "before_runs",
		    rounded(s->n));
		json_int(b, side == NOW ? "elapsed_us" : "before_elapsed_us",
		    rounded(s->us));
		json_int(b, keys->busy_us, rounded(s->busy_us));
		return;
	}
	json_int(b, keys->n, rounded(s->n));
	json_int(b, keys->us, rounded(s->us));
	if (c->kind == CHANGE_OPERATION)
		return;
	json_int(b, keys->pc, s->pc);
	if (s->rows.in >= 0)
		json_int(b, keys->in, rounded(s->rows.in));
	if (s->rows.out >= 0)
		json_int(b, keys->out, rounded(s->rows.out));
	if (s->rows.estimate >= 0)
		json_ratio(b, keys->estimate, s->rows.estimate);
}

static void
emit_change(const struct diff *d, struct filter *f, const struct change *c)
{
	static const char *const types[] = { "query_change",
	    "operation_change", "instruction_change" };
	struct buf *b = filter_begin_record(f, types[c->kind]);
	const struct change *query = c->kind == CHANGE_INSTRUCTION ?
	    &d->list[c->query] : c;

	if (c->kind != CHANGE_QUERY)
		json_str(b, "operation", text_of(d, c->operation));
	if (c->kind == CHANGE_INSTRUCTION)
		json_str(b, "statement", name_of_change(d, c));
	if (c->kind != CHANGE_OPERATION)
		json_str(b, "query_text", name_of_change(d, query));
	put_side(b, c, NOW);
	put_side(b, c, BEFORE);
	json_int(b, "change_us", rounded(c->sides[NOW].us) -
	    rounded(c->sides[BEFORE].us));
	if (c->sides[BEFORE].us > 0)
		json_ratio(b, "growth", diff_us(c) / c->sides[BEFORE].us);
	filter_end_record(f);
}

void
diff_emit(const struct diff *d, struct filter *f)
{
	for (int kind = 0; kind < N_CHANGES; kind++)
		for (size_t i = 0; i < d->n_of[kind]; i++)
			emit_change(d, f, nth_change(d, (enum change_kind)kind,
			    i));
}

/* --- the report ----------------------------------------------------------- */

/* With three digits: changes are small. */
static void
put_us(struct buf *b, double us)
{
	report_ns(b, rounded(us * 1000));
}

static void
put_signed_us(struct buf *b, double us)
{
	buf_str(b, us > 0 ? "+" : us < 0 ? "-" : "");
	put_us(b, fabs(us));
}

static void
put_growth(struct buf *b, const struct change *c)
{
	if (c->sides[NOW].n == 0)
		buf_str(b, "gone");
	else if (c->sides[BEFORE].n == 0)
		buf_str(b, "new");
	else if (c->sides[BEFORE].us > 0)
		buf_printf(b, "%+.1f %%", diff_us(c) /
		    c->sides[BEFORE].us * 100);
}

/* The queries that both traces have, as one. */
static struct change
sum_of_queries(const struct diff *d, size_t *n)
{
	struct change sum = { .kind = CHANGE_QUERY };
	const struct change *c;

	*n = 0;
	for (size_t i = 0; i < d->n_of[CHANGE_QUERY]; i++) {
		c = nth_change(d, CHANGE_QUERY, i);
		if (c->sides[NOW].n == 0 || c->sides[BEFORE].n == 0)
			continue;
		for (int side = 0; side < N_SIDES; side++) {
			sum.sides[side].us += c->sides[side].us;
			sum.sides[side].n = c->sides[side].n;
		}
		++*n;
	}
	return sum;
}

/* For example, "Slower by 1.20 s (+20.0 %): 7.20 s, it was 6.00 s". */
static void
report_title(const struct diff *d, struct buf *b)
{
	struct buf text = { 0 };
	size_t n;
	struct change sum = sum_of_queries(d, &n);
	double us = diff_us(&sum);

	if (n == 0) {
		report_heading(b, "The two have no query in common");
		return;
	}
	if (n > 1)
		buf_printf(&text, "%zu queries: ", n);
	buf_str(&text, us > 0 ? "Slower by " : us < 0 ? "Faster by " :
	    "As fast");
	if (us != 0) {
		put_us(&text, fabs(us));
		buf_str(&text, " (");
		put_growth(&text, &sum);
		buf_char(&text, ')');
	}
	buf_str(&text, ": ");
	put_us(&text, sum.sides[NOW].us);
	if (us != 0) {
		buf_str(&text, ", it was ");
		put_us(&text, sum.sides[BEFORE].us);
	}
	report_heading(b, "%.*s", SPAN_ARG(buf_span(&text)));
	buf_release(&text);
}

/* How many runs there were of the query with the fewest. */
static void
report_runs(const struct diff *d, struct buf *b)
{
	size_t from = b->len;
	double least = INFINITY, n;

	for (size_t i = 0; i < d->n_of[CHANGE_QUERY]; i++)
		for (int side = 0; side < N_SIDES; side++) {
			n = nth_change(d, CHANGE_QUERY, i)->sides[side].n;
			least = n > 0 && n < least ? n : least;
		}
	if (least == 1)
		buf_str(b, "One run proves nothing: two runs of one query "
		    "differ, too.  ");
	else
		buf_str(b, "These are the means of several runs.  ");
	buf_str(b, "Whether they differ by more than by chance, ten runs of "
	    "each tell profile-make and perf-diff.");
	report_sentence(b, from);
}

/* Writes the text of the query, and of the one with which it is compared. */
static void
report_texts(const struct diff *d, struct buf *b)
{
	const struct change *c;
	size_t from;

	for (size_t i = 0; i < d->n_of[CHANGE_QUERY]; i++) {
		c = nth_change(d, CHANGE_QUERY, i);
		from = b->len;
		if (d->n_of[CHANGE_QUERY] == 1) {
			report_text(b, name_of_change(d, c));
			report_sentence(b, from);
		}
		if (c->sides[BEFORE].n == 0 || c->sides[NOW].n == 0 ||
		    c->sides[BEFORE].name == c->sides[NOW].name)
			continue;
		from = b->len;
		buf_str(b, "It was another query: ");
		report_text(b, text_of(d, c->sides[BEFORE].name));
		report_sentence(b, from);
	}
}

/* Writes the cells that all three tables have, and is followed by the last. */
static void
put_times(struct table *t, const struct change *c, double greatest_us)
{
	double us = diff_us(c);

	put_signed_us(table_cell(t), us);
	table_next(t);
	put_growth(table_cell(t), c);
	table_next(t);
	table_bar(t, greatest_us > 0 ? fabs(us) / greatest_us : 0);
	for (int side = 0; side < N_SIDES; side++) {
		if (c->sides[side].n > 0)
			put_us(table_cell(t), c->sides[side].us);
		table_next(t);
	}
}

/* Adds "12", or "12, it was 15". */
static void
put_rows(struct table *t, double now, double before)
{
	struct buf *b = table_cell(t);

	if (now >= 0)
		buf_i64(b, rounded(now));
	if (before >= 0 && rounded(now) != rounded(before))
		buf_printf(b, "%s%lld", now >= 0 ? ", was " : "was ",
		    (long long)rounded(before));
	table_next(t);
}

static void
put_change_row(const struct diff *d, struct table *t, const struct change *c,
    double greatest_us)
{
	const struct side *now = &c->sides[NOW], *before = &c->sides[BEFORE];

	put_times(t, c, greatest_us);
	if (c->kind != CHANGE_INSTRUCTION) {
		put_rows(t, now->n > 0 ? now->n : -1,
		    before->n > 0 ? before->n : -1);
	} else {
		put_rows(t, now->rows.in, before->rows.in);
		put_rows(t, now->rows.out, before->rows.out);
		put_rows(t, now->rows.estimate, before->rows.estimate);
	}
	table_text(t, c->kind == CHANGE_OPERATION ?
	    text_of(d, c->operation) : name_of_change(d, c));
}

/* A change of 0 is one only if something is new or gone. */
static bool
is_changed(const struct change *c)
{
	return diff_us(c) != 0 ||
	    (c->sides[NOW].n == 0) != (c->sides[BEFORE].n == 0);
}

static void
report_table(const struct diff *d, struct buf *b, enum change_kind kind,
    uint64_t max)
{
	static const char *const titles[] = { "Queries", "Operations",
	    "Instructions" };
	static const char *const heads[][9] = {
		{ "change", "", "", "now", "before", "runs", "query" },
		{ "change", "", "", "now", "before", "instances",
		    "operation" },
		{ "change", "", "", "now", "before", "rows in", "rows out",
		    "estimate", "statement" } };
	struct table t;
	uint64_t n = 0;

	while (n < d->n_of[kind] && is_changed(nth_change(d, kind, n)))
		n++;
	if (n == 0)
		return;
	report_blank(b);
	report_heading(b, "%s, the greatest change first", titles[kind]);
	table_init(&t, kind == CHANGE_INSTRUCTION ? "RrlRRrrrL" : "RrlRRrL",
	    heads[kind]);
	for (size_t i = 0; i < n && i < max; i++)
		put_change_row(d, &t, nth_change(d, kind, i),
		    fabs(diff_us(nth_change(d, kind, 0))));
	table_print(&t, b);
	report_more(b, n > max ? n - max : 0, "");
}

void
diff_report(const struct diff *d, struct filter *f, uint64_t top)
{
	struct buf *b = filter_out(f);

	report_title(d, b);
	report_texts(d, b);
	report_runs(d, b);
	if (d->n_of[CHANGE_QUERY] > 1)
		report_table(d, b, CHANGE_QUERY, ROWS_MAX);
	report_table(d, b, CHANGE_OPERATION, ROWS_MAX);
	report_table(d, b, CHANGE_INSTRUCTION, top);
	filter_emit(f);
}
