/* diff-write - writes what became slower from one trace to another */

#include <math.h>

#include "common/base/num.h"
#include "common/filter/filter.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "filters/malstat/malstat.h"

enum { ROWS_MAX = 15 };		/* of queries and operations in a report */

/* The name on the newer side that has one. */
static struct span
name_of_change(const struct change *c)
{
	return c->sides[c->sides[NOW].name.n > 0 ? NOW : BEFORE].name;
}

/* Limited, because times and their sums may be as long as 2^54 us. */
static int64_t
rounded(double n)
{
	return llround(fmax(-0x1p62, fmin(n, 0x1p62)));
}

/* --- records -------------------------------------------------------------- */

/* The newer side has the keys without "before_". */
static void
put_side(struct buf *b, const struct change *c, int side)
{
	const struct side *s = &c->sides[side];
	size_t from = side == NOW ? strlen("before_") : 0;
	bool is_query = c->kind == CHANGE_QUERY;
	bool is_one = c->kind == CHANGE_INSTRUCTION;
	const struct {
		const char *key;
		bool is_known;
		double value;
	} all[] = {
		{ "before_runs", is_query, s->n },
		{ "before_elapsed_us", is_query, s->us },
		{ "before_busy_us", is_query, s->busy_us },
		{ "before_instances", !is_query, s->n },
		{ "before_self_us", !is_query, s->us },
		{ "before_pc", is_one, (double)s->pc },
		{ "before_rows_in", s->rows.in >= 0, s->rows.in },
		{ "before_rows_out", s->rows.out >= 0, s->rows.out } };

	json_count(b, &"before_left_out"[from], s->left_out);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (s->n > 0 && all[i].is_known)
			json_int(b, all[i].key + from, rounded(all[i].value));
	if (s->rows.estimate >= 0)
		json_ratio(b, &"before_estimate"[from], s->rows.estimate);
}

void
diff_emit(const struct diff *d, struct filter *f)
{
	static const char *const types[] = { "query_change",
	    "operation_change", "instruction_change" };
	const struct change *c;
	struct buf *b;

	for (int kind = 0; kind < N_CHANGES; kind++)
		for (size_t i = 0; i < d->of[kind].n; i++) {
			c = d->of[kind].list[i];
			b = filter_begin_record(f, types[kind]);
			if (kind != CHANGE_QUERY)
				json_str(b, "operation", c->operation);
			if (kind == CHANGE_INSTRUCTION)
				json_str(b, "statement", name_of_change(c));
			if (kind != CHANGE_OPERATION)
				json_str(b, "query_text", name_of_change(kind ==
				    CHANGE_QUERY ? c : &d->list[c->query]));
			put_side(b, c, NOW);
			put_side(b, c, BEFORE);
			if (!diff_is_unknown(c))
				json_int(b, "change_us",
				    rounded(c->sides[NOW].us) -
				    rounded(c->sides[BEFORE].us));
			if (!diff_is_unknown(c) && c->sides[BEFORE].us > 0)
				json_ratio(b, "growth", diff_us(c) /
				    c->sides[BEFORE].us);
			filter_end_record(f);
		}
}

/* --- the report ----------------------------------------------------------- */

/* With three digits: changes are small. */
static void
put_us(struct buf *b, double us)
{
	report_ns(b, rounded(us * 1000));
}

static void
put_growth(struct buf *b, const struct change *c)
{
	if (diff_is_unknown(c))
		buf_str(b, "unknown");
	else if (c->sides[NOW].n == 0)
		buf_str(b, "gone");
	else if (c->sides[BEFORE].n == 0)
		buf_str(b, "new");
	else if (c->sides[BEFORE].us > 0)
		buf_printf(b, "%+.1f %%", diff_us(c) /
		    c->sides[BEFORE].us * 100);
}

/* All queries, without the plans that are linked to none. */
struct overview {
	struct change sum;	/* of those that both traces have */
	size_t n, n_common;
	/* Of common queries, which are slower, and which faster; and others. */
	enum { SLOWER, FASTER, NEW, GONE, UNKNOWN, N_KINDS_OF_CHANGE } kinds;
	size_t n_of[N_KINDS_OF_CHANGE];
	double fewest_runs;	/* of a common query, on either side */
	uint64_t left_out[N_SIDES];	/* runs */
};

static struct overview
sum_up(const struct diff *d)
{
	struct overview o = { .fewest_runs = INFINITY };
	const struct change *c;
	const struct side *s;

	for (size_t i = 0; i < d->of[CHANGE_QUERY].n; i++) {
		c = d->of[CHANGE_QUERY].list[i];
		if (!c->is_query)
			continue;
		o.n++;
		for (int side = 0; side < N_SIDES; side++)
			o.left_out[side] += c->sides[side].left_out;
		if (!diff_is_on_both(c)) {
			o.n_of[diff_is_unknown(c) ? UNKNOWN :
			    c->sides[NOW].n > 0 ? NEW : GONE]++;
			continue;
		}
		o.n_common++;
		o.n_of[SLOWER] += diff_us(c) > 0;
		o.n_of[FASTER] += diff_us(c) < 0;
		for (int side = 0; side < N_SIDES; side++) {
			s = &c->sides[side];
			o.sum.sides[side].us += s->us;
			o.sum.sides[side].n += s->n;
			o.fewest_runs = fmin(o.fewest_runs, s->n);
		}
	}
	return o;
}

/*
 * For example, "Slower by 1.20 s (+20.0 %): 7.20 s, it was 6.00 s", or "2
 * queries: Faster by ...; 1 slower, 1 faster, 3 new".
 */
static void
report_title(const struct overview *o, struct buf *b)
{
	static const char *const names[] = { "slower", "faster", "new", "gone",
	    "not compared" };
	const char *before = o->n_common > 0 ? "; " : ": ";
	const struct change *sum = &o->sum;
	double us = diff_us(sum);
	struct buf text = { 0 };

	if (o->n_common == 0) {
		buf_str(&text, o->n_of[UNKNOWN] > 0 ?
		    "No query can be compared" :
		    "The two have no query in common");
	} else {
		if (o->n > 1) {
			report_count(&text, o->n_common, "query", "queries");
			buf_str(&text, ": ");
		}
		buf_str(&text, us > 0 ? "Slower by " : us < 0 ? "Faster by " :
		    "As fast");
		if (us != 0)
			put_us(&text, fabs(us));
		if (us != 0 && sum->sides[BEFORE].us > 0) {
			buf_str(&text, " (");
			put_growth(&text, sum);
			buf_char(&text, ')');
		}
		buf_str(&text, ": ");
		put_us(&text, sum->sides[NOW].us);
		if (us != 0) {
			buf_str(&text, ", it was ");
			put_us(&text, sum->sides[BEFORE].us);
		}
	}
	for (int i = 0; i < N_KINDS_OF_CHANGE; i++)
		if (o->n_of[i] > 0 && (i > FASTER ||
		    o->n_of[SLOWER] * o->n_of[FASTER] > 0)) {
			buf_printf(&text, "%s%zu %s", before, o->n_of[i],
			    names[i]);
			before = ", ";
		}
	report_heading(b, "%s", buf_cstr(&text));
	buf_release(&text);
}

/* Writes the text of the only query, and of that with which it is compared. */
static void
report_text_of(const struct change *c, struct buf *b)
{
	struct span before = c->sides[BEFORE].name;
	size_t from = b->len;

	report_text(b, name_of_change(c));
	report_sentence(b, from);
	if (before.n > 0 && span_compare(before, name_of_change(c)) != 0) {
		from = b->len;
		buf_str(b, "It was another query: ");
		report_text(b, before);
		report_sentence(b, from);
	}
}

/* Says what the figures are made of, and what they do not prove. */
static void
report_runs(const struct overview *o, struct buf *b)
{
	size_t from = b->len;

	if (o->left_out[NOW] + o->left_out[BEFORE] > 0) {
		report_count(b, o->left_out[NOW] + o->left_out[BEFORE], "run",
		    "runs");
		buf_printf(b, " (%llu before) did not end, failed, or had no "
		    "instruction in the session: left out.",
		    (unsigned long long)o->left_out[BEFORE]);
		report_sentence(b, from);
		from = b->len;
	}
	if (o->n_common == 0)
		return;
	buf_str(b, o->fewest_runs == 1 ? "One run proves nothing: two runs of "
	    "one query differ, too.  " : "These are the means of several "
	    "runs.  ");
	buf_str(b, "Whether they differ by more than by chance, ten runs of "
	    "each tell profile-make and perf-diff.");
	report_sentence(b, from);
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
put_change(struct table *t, const struct change *c, double greatest_us)
{
	const struct side *now = &c->sides[NOW], *before = &c->sides[BEFORE];
	double us = diff_us(c);

	if (!diff_is_unknown(c)) {
		buf_str(table_cell(t), us > 0 ? "+" : us < 0 ? "-" : "");
		put_us(table_cell(t), fabs(us));
	}
	table_next(t);
	put_growth(table_cell(t), c);
	table_next(t);
	table_bar(t, greatest_us > 0 ? fabs(us) / greatest_us : 0);
	for (int side = 0; side < N_SIDES; side++) {
		if (c->sides[side].n > 0)
			put_us(table_cell(t), c->sides[side].us);
		table_next(t);
	}
	if (c->kind != CHANGE_INSTRUCTION) {
		put_rows(t, now->n > 0 ? now->n : -1,
		    before->n > 0 ? before->n : -1);
	} else {
		put_rows(t, now->rows.in, before->rows.in);
		put_rows(t, now->rows.out, before->rows.out);
		put_rows(t, now->rows.estimate, before->rows.estimate);
	}
	table_text(t, c->kind == CHANGE_OPERATION ? c->operation :
	    name_of_change(c));
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
	const struct change *const *c = d->of[kind].list;
	struct table t;
	uint64_t n = 0;

	/* A change of 0 is one only if something is new or gone. */
	while (n < d->of[kind].n &&
	    (diff_us(c[n]) != 0 || !diff_is_on_both(c[n])))
		n++;
	if (n == 0)
		return;
	report_blank(b);
	report_heading(b, "%s, the greatest change first", titles[kind]);
	table_init(&t, kind == CHANGE_INSTRUCTION ? "RrlRRrrrL" : "RrlRRrL",
	    heads[kind]);
	for (size_t i = 0; i < n && i < max; i++)
		put_change(&t, c[i], fabs(diff_us(c[0])));
	table_print(&t, b);
	report_more(b, n > max ? n - max : 0, "");
}

void
diff_report(const struct diff *d, struct filter *f, uint64_t top)
{
	struct overview o = sum_up(d);
	struct buf *b = filter_out(f);
	const struct changes *queries = &d->of[CHANGE_QUERY];

	report_title(&o, b);
	for (size_t i = 0; i < queries->n && o.n == 1; i++)
		if (queries->list[i]->is_query)
			report_text_of(queries->list[i], b);
	report_runs(&o, b);
	if (queries->n > 1 || o.n == 0)
		report_table(d, b, CHANGE_QUERY, ROWS_MAX);
	report_table(d, b, CHANGE_OPERATION, ROWS_MAX);
	report_table(d, b, CHANGE_INSTRUCTION, top);
	filter_emit(f);
}
