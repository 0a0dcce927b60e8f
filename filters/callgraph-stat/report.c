/* report - prints answers as text */

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/num.h"
#include "common/report/cells.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "filters/callgraph-stat/callgraph-stat.h"

enum {
	ROWS_DEFAULT = 20,	/* in a table, without --top */
	NAME_MIN = 40,		/* columns for the names of functions, if others
				   can be removed */
	COLUMNS_MAX = 16	/* choose_columns() adds fewer */
};

static const char *const measure_names[N_MEASURES] = { [CALLS] = "calls",
    [SELF_NS] = "self", [TOTAL_NS] = "total", [SAMPLES] = "samples",
    [SELF_OFF_NS] = "off CPU" };
static const char *const long_names[N_MEASURES] = { [CALLS] = "calls",
    [SELF_NS] = "self time", [TOTAL_NS] = "total time",
    [SAMPLES] = "samples", [SELF_OFF_NS] = "time off the CPU" };
static const char *const level_titles[N_LEVELS] = { "function", "file",
    "module", "call site" };

/* What is shown of a call site. */
enum { CALLER = 1, CALLEE = 2 };

static bool
is_measured(const struct answer *a, unsigned measure)
{
	int64_t n = a->profile->totals[NOW].measures[measure];

	/* A program that never waited has no column for that. */
	return n != INT_UNKNOWN && (n != 0 || measure != SELF_OFF_NS);
}

/* --- cells ---------------------------------------------------------------- */

static void
put_amount(struct buf *b, unsigned measure, int64_t n)
{
	if (n == INT_UNKNOWN)
		return;
	if (measure_is_time(measure))
		report_ns(b, n);
	else
		buf_i64(b, n);
}

/*
 * A function that was called took some time: 0 is what is left if all of it,
 * and perhaps more, was subtracted as the time of measuring.
 */
static void
put_measure_cell(struct table *t, const struct tally *tally, unsigned measure)
{
	if ((measure == SELF_NS || measure == TOTAL_NS) &&
	    tally->measures[measure] == 0 && tally->measures[CALLS] > 0)
		buf_str(table_cell(t), "~0");
	else
		put_amount(table_cell(t), measure, tally->measures[measure]);
	table_next(t);
}

static void
put_average_cell(struct table *t, const struct tally *tally, unsigned measure)
{
	int64_t n = answer_per_call(tally, measure);

	if (n == 0)
		buf_str(table_cell(t), "<1 ns");
	else
		put_amount(table_cell(t), measure, n);
	table_next(t);
}

static void
put_signed(struct buf *b, unsigned measure, int64_t n)
{
	if (n > 0)
		buf_char(b, '+');
	put_amount(b, measure, n);
}

static void
put_location(struct buf *b, struct span path, uint64_t line)
{
	buf_str(b, "  ");
	buf_add(b, path.p, path.n);
	if (line > 0)
		buf_printf(b, ":%" PRIu64, line);
}

/*
 * Adds a function's file, as much as tells it apart, or else its module if the
 * label lacks the module.
 */
static void
put_source(struct buf *b, const struct functions *t, uint32_t function)
{
	const struct function *f = &t->list[function];
	struct span file = intern_span(&t->texts, f->parts[FILE_PART]);
	const char *module = intern_str(&t->texts, f->parts[MODULE_PART]);

	if (f->file != SYM_NONE)
		put_location(b, file.n > 0 ? file : span_base_name(intern_span(
		    &t->texts, f->file)), (uint64_t)f->line);
	else if (f->name != SYM_NONE && f->module != SYM_NONE)
		put_location(b, intern_span(&t->texts, f->module), 0);
	if (f->file != SYM_NONE && *module != '\0')
		buf_printf(b, ", %s", module);
}

static void
put_entry(struct buf *b, const struct flat *p, uint32_t i, unsigned of_site)
{
	const struct intern *texts = &p->functions.texts;
	const struct entry *e = &flat_entries(p)->list[i];
	sym text;

	if (p->level == BY_FUNCTION) {
		functions_label(&p->functions, i, false, b);
		put_source(b, &p->functions, i);
	} else if (p->level == BY_CALLSITE) {
		if (of_site != CALLEE && e->site.caller == INDEX_NONE)
			buf_str(b, "(the first of its thread)");
		else if (of_site != CALLEE)
			functions_label(&p->functions, e->site.caller, true, b);
		if (of_site == (CALLER | CALLEE))
			buf_str(b, CALLS_SIGN);
		if (of_site != CALLER)
			functions_label(&p->functions, e->site.callee, true, b);
		if (e->site.file != SYM_NONE) {
			put_location(b, span_base_name(intern_span(texts,
			    e->site.file)), e->site.line_or_offset);
		} else if (e->site.module != SYM_NONE) {
			buf_printf(b, "  %s+", e->module != SYM_NONE ?
			    intern_str(texts, e->module) : "");
			buf_address(b, e->site.line_or_offset);
		}
	} else {
		text = p->level == BY_FILE ? p->places.list[i].file :
		    p->places.list[i].module;
		buf_str(b, text != SYM_NONE ?
		    intern_str(&p->places.texts, text) : "??");
	}
}

/*
 * Shortens the names in a cell: of a function, or of a caller and a function
 * that it calls, which get half of the columns, or more if the other one leaves
 * more.
 */
static void
put_short(struct buf *b, struct span s, size_t columns)
{
	struct span caller = shorten_caller(s), name;
	size_t room, n = strlen(CALLS_SIGN);

	if (caller.n == s.n) {
		shorten(b, s, columns);
		return;
	}
	name = span_of(s.p + caller.n + n, s.n - caller.n - n);
	columns -= n;
	room = columns / 2;
	if (cells_width(caller) < room)
		room = cells_width(caller);
	if (cells_width(name) < columns - columns / 2)
		room = columns - cells_width(name);
	shorten(b, caller, room);
	buf_str(b, CALLS_SIGN);
	shorten(b, name, columns - room);
}

static void
init_table(struct table *t, const char *align, const char *const *heads)
{
	table_init(t, align, heads);
	t->last_min = NAME_MIN;
	t->shorten = put_short;
}

/* --- the profile ---------------------------------------------------------- */

/*
 * The columns: the main measure with its share and a bar; the other measures;
 * averages per call; the entry.  Call sites have long names, so a table of them
 * has fewer columns.
 */
struct columns {
	const char *heads[COLUMNS_MAX];
	char align[COLUMNS_MAX];
	size_t n;
};

static void
add_column(struct columns *c, const char *head, char align)
{
	c->heads[c->n] = head;
	c->align[c->n++] = align;
	c->align[c->n] = '\0';
}

static const unsigned column_order[] = { SELF_NS, TOTAL_NS, SELF_OFF_NS,
    SAMPLES, CALLS };
enum { N_COLUMNS = sizeof column_order / sizeof *column_order };

/* Whether a measure has a column of its own, after the main measure. */
static bool
is_column(const struct answer *a, unsigned measure)
{
	return measure != a->measure && is_measured(a, measure) &&
	    (a->profile->level != BY_CALLSITE ||
	    (measure != SAMPLES && measure != SELF_OFF_NS));
}

static bool
has_average(const struct answer *a, unsigned measure)
{
	return is_measured(a, measure) &&
	    (measure == TOTAL_NS || a->profile->level != BY_CALLSITE);
}

/*
 * Prints the first entries of a list, which has some.  base: the amount that
 * counts as 100 %.
 */
static void
put_table(const struct answer *a, struct buf *out, const struct order *order,
    int64_t base, const char *last_head, unsigned of_site)
{
	size_t n_rows = answer_n_rows(a, order->n, ROWS_DEFAULT);
	struct columns c = { .n = 0 };
	struct buf text = { 0 };
	const struct tally *tally;
	struct table t;
	int64_t n;

	add_column(&c, measure_names[a->measure], 'R');
	add_column(&c, "share", 'r');
	add_column(&c, "", 'l');
	for (size_t i = 0; i < N_COLUMNS; i++)
		if (is_column(a, column_order[i]))
			add_column(&c, measure_names[column_order[i]], 'R');
	if (has_average(a, SELF_NS))
		add_column(&c, "self/call", 'r');
	if (has_average(a, TOTAL_NS))
		add_column(&c, "total/call", 'r');
	add_column(&c, last_head, 'l');

	init_table(&t, c.align, c.heads);
	for (size_t i = 0; i < n_rows; i++) {
		tally = &flat_entries(a->profile)->list[order->list[i]].
		    tallies[NOW];
		n = tally->measures[a->measure];
		put_measure_cell(&t, tally, a->measure);
		if (n != INT_UNKNOWN && base > 0)
			report_percent(table_cell(&t), answer_share(n, base));
		table_next(&t);
		if (n != INT_UNKNOWN)
			table_bar(&t, answer_share(n, base));
		else
			table_next(&t);
		for (size_t k = 0; k < N_COLUMNS; k++)
			if (is_column(a, column_order[k]))
				put_measure_cell(&t, tally, column_order[k]);
		if (has_average(a, SELF_NS))
			put_average_cell(&t, tally, SELF_NS);
		if (has_average(a, TOTAL_NS))
			put_average_cell(&t, tally, TOTAL_NS);
		text.len = 0;
		put_entry(&text, a->profile, order->list[i], of_site);
		table_text(&t, buf_span(&text));
	}
	table_print(&t, out);
	report_more(out, order->n - n_rows, " (--top)");
	buf_release(&text);
}

static void
put_roughness(const struct totals *totals, struct buf *out)
{
	size_t from;

	if (out->len > 0)
		report_blank(out);
	from = out->len;
	buf_str(out, "The times are rough: ");
	report_ns(out, totals->probe_ns);
	buf_str(out, " more, the time of measuring, is subtracted.  Better: "
	    "perf, without the instrument");
	report_sentence(out, from);
}

void
report_roughness(const struct answer *a, struct buf *out)
{
	const struct totals *totals = &a->profile->totals[NOW];

	if (is_measured(a, SELF_NS) && answer_is_rough(totals))
		put_roughness(totals, out);
}

static void
put_title(const struct answer *a, struct buf *out, size_t n)
{
	const struct totals *totals = &a->profile->totals[NOW];
	unsigned measure = a->measure == TOTAL_NS && is_measured(a, SELF_NS) ?
	    SELF_NS : a->measure;
	struct buf text = { 0 };

	if (totals->measures[measure] != INT_UNKNOWN)
		put_amount(&text, measure, totals->measures[measure]);
	else
		buf_str(&text, "no");
	if (measure != SELF_NS)
		buf_printf(&text, " %s", long_names[measure]);
	else if (a->profile->has_cpu_time)
		buf_str(&text, " on the CPU");
	if (measure == SELF_NS && a->profile->has_cpu_time &&
	    totals->measures[SELF_OFF_NS] != 0) {
		buf_str(&text, " and ");
		report_ns(&text, totals->measures[SELF_OFF_NS]);
		buf_str(&text, " off it,");
	}
	buf_printf(&text, " in %zu %s%s", n, level_titles[a->profile->level],
	    plural(n, "", "s"));
	if (measure != CALLS && totals->measures[CALLS] != INT_UNKNOWN) {
		buf_str(&text, ", ");
		report_count(&text, (uint64_t)totals->measures[CALLS], "call",
		    "calls");
		if (answer_lacks_times(totals))
			buf_printf(&text, " of which %" PRId64 " were timed",
			    totals->measures[TIMED_CALLS]);
		buf_printf(&text, ", %" PRId64 " deep", totals->depth);
	}
	report_heading(out, "Program: %.*s", (int)text.len, text.data);
	buf_release(&text);
	n = out->len;
	report_roughness(a, out);
	if (out->len > n)
		report_blank(out);
}

/*
 * Says for which records times are elapsed time, of both sides; reports calls
 * that the instrument counted at an ancestor's node, and the time of its
 * probes.
 */
static void
put_notes(const struct answer *a, struct buf *out)
{
	const struct totals *now = &a->profile->totals[NOW];
	const struct totals *before = &a->profile->totals[BEFORE];
	int64_t elapsed = now->elapsed_records + before->elapsed_records;
	int64_t limited = now->nodes_limited + before->nodes_limited;
	size_t from;

	if (elapsed > 0) {
		report_blank(out);
		from = out->len;
		buf_printf(out, "The times are elapsed time, on and off the "
		    "CPU: %" PRId64 " of %" PRId64 " records %s not have the "
		    "time off it", elapsed, now->records + before->records,
		    plural(elapsed, "does", "do"));
		report_sentence(out, from);
	}
	if (is_measured(a, SAMPLES))
		report_note(out, "The samples of a function are also those of "
		    "counting the calls that it makes, some 10 ns each");

	if (limited > 0) {
		report_blank(out);
		from = out->len;
		report_count(out, (uint64_t)limited, "call counts",
		    "calls count");
		buf_str(out, " at a caller: there were too many nodes");
		report_sentence(out, from);
	}
	if (now->probe_ns <= 0 || answer_is_rough(now))
		return;
	report_blank(out);
	from = out->len;
	report_ns(out, now->probe_ns);
	buf_str(out, " are subtracted: the estimated time of measuring");
	report_sentence(out, from);
}

void
report_profile(const struct answer *a, struct filter *f)
{
	const struct flat *p = a->profile;
	const int64_t *totals = p->totals[NOW].measures;
	struct buf *out = filter_out(f);
	struct order order;

	flat_sort(p, &order, flat_entries(p), a->sort_by, false);
	if (order.n == 0) {
		buf_str(out, "Nothing was called");
		report_sentence(out, 0);
		free(order.list);
		return;
	}

	put_title(a, out, order.n);
	/* The sum of self time is the program's time. */
	put_table(a, out, &order, totals[a->measure == TOTAL_NS &&
	    totals[SELF_NS] > 0 ? SELF_NS : a->measure],
	    p->level == BY_CALLSITE ? "caller > function, at" :
	    level_titles[p->level], CALLER | CALLEE);
	put_notes(a, out);
	filter_emit(f);
	free(order.list);
}

/* --- callers and callees -------------------------------------------------- */

static void
put_sites(const struct answer *a, struct buf *out, uint32_t function,
    bool callers)
{
	const struct tally *subject =
	    &a->profile->by_function.list[function].tallies[NOW];
	struct order order;

	flat_sort_sites(a->profile, &order, a->sort_by, function, callers);
	if (order.n == 0) {
		report_note(out, callers ? "Nobody calls it" :
		    "It calls nothing that was counted");
	} else {
		report_blank(out);
		put_table(a, out, &order, subject->measures[a->measure],
		    callers ? "called by, at" : "calls, at",
		    callers ? CALLER : CALLEE);
	}
	free(order.list);
}

void
report_calls(const struct answer *a, struct filter *f, uint32_t function)
{
	static const unsigned order[N_COLUMNS] = { TOTAL_NS, SELF_NS,
	    SELF_OFF_NS, SAMPLES, CALLS };
	const struct entry *e = &a->profile->by_function.list[function];
	const struct tally *tally = &e->tallies[NOW];
	struct buf *out = filter_out(f), text = { 0 }, title = { 0 };
	const char *sep = "";
	size_t from;

	if (out->len > 0)
		report_blank(out);
	functions_label(&a->profile->functions, function, false, &text);
	put_source(&text, &a->profile->functions, function);
	report_text(&title, buf_span(&text));
	report_heading(out, "%.*s", (int)title.len, title.data);

	from = out->len;
	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (tally->measures[order[i]] == INT_UNKNOWN ||
		    !is_measured(a, order[i]))
			continue;
		buf_str(out, sep);
		put_amount(out, order[i], tally->measures[order[i]]);
		buf_printf(out, " %s", order[i] == CALLS &&
		    tally->measures[CALLS] == 1 ? "call" :
		    measure_names[order[i]]);
		sep = ", ";
	}
	if (tally->measures[CALLS] > tally->outer_calls)
		buf_printf(out, ", %" PRId64 " of them from within itself",
		    tally->measures[CALLS] - tally->outer_calls);
	report_item(out, from, 1);

	put_sites(a, out, function, true);
	put_sites(a, out, function, false);
	filter_emit(f);
	buf_release(&text);
	buf_release(&title);
}

void
report_callers(const struct answer *a, struct filter *f, uint32_t function)
{
	struct buf *out = filter_out(f), label = { 0 }, title = { 0 };

	functions_label(&a->profile->functions, function, false, &label);
	report_text(&title, buf_span(&label));
	report_blank(out);
	report_heading(out, "Callers of %.*s", (int)title.len, title.data);
	put_sites(a, out, function, true);
	filter_emit(f);
	buf_release(&label);
	buf_release(&title);
}

/* --- the difference ------------------------------------------------------- */

static void
put_growth(struct buf *b, int64_t change, int64_t before)
{
	if (before > 0)
		buf_printf(b, "%+.1f %%", (double)change / (double)before *
		    100);
}

/* Adds "123 ms", or "123 ms, it was 111 ms". */
static void
put_now_and_before(struct buf *b, const struct flat *p, unsigned measure)
{
	int64_t now = p->totals[NOW].measures[measure];
	int64_t before = p->totals[BEFORE].measures[measure];

	put_amount(b, measure, now);
	if (now == before)
		return;
	buf_str(b, ", it was ");
	put_amount(b, measure, before);
}

/* Says that only some calls were timed, so that times cannot be compared. */
static void
put_untimed(const struct totals *totals, const char *when, struct buf *out)
{
	size_t from;

	if (!answer_lacks_times(totals))
		return;
	report_blank(out);
	from = out->len;
	buf_printf(out, "The times are not comparable: %sonly %" PRId64
	    " of %" PRId64 " calls were timed", when,
	    totals->measures[TIMED_CALLS], totals->measures[CALLS]);
	report_sentence(out, from);
}

/*
 * For example, "Slower by 12.0 ms (+10.8 %) on the CPU: 123 ms, it was 111 ms;
 * 3.00 ms off it, it was 2.00 ms".
 */
static void
put_change_title(const struct answer *a, struct buf *out)
{
	static const char *const verdicts[N_MEASURES][3] = {
		[CALLS] = { "Fewer calls", "As many calls", "More calls" },
		[SELF_NS] = { "Faster", "As fast", "Slower" },
		[TOTAL_NS] = { "Faster", "As fast", "Slower" },
		[SAMPLES] = { "Fewer samples", "As many samples",
		    "More samples" },
		[SELF_OFF_NS] = { "Less time off the CPU",
		    "As much time off the CPU", "More time off the CPU" } };
	unsigned m = a->measure;
	int64_t now = a->profile->totals[NOW].measures[m];
	int64_t before = a->profile->totals[BEFORE].measures[m];
	struct buf text = { 0 };
	int64_t change;
	bool has_cpu_time;

	if (now == INT_UNKNOWN || before == INT_UNKNOWN) {
		report_heading(out, a->profile->totals[NOW].nodes == 0 ?
		    "Nothing was called" :
		    a->profile->totals[BEFORE].nodes == 0 ?
		    "Nothing was called before" :
		    "The two have nothing to compare");
		return;
	}

	change = now - before;
	buf_str(&text, verdicts[m][change < 0 ? 0 : change > 0 ? 2 : 1]);
	if (change != 0) {
		buf_str(&text, " by ");
		put_amount(&text, m, change < 0 ? -change : change);
		if (before > 0) {
			buf_str(&text, " (");
			put_growth(&text, change, before);
			buf_char(&text, ')');
		}
	}
	has_cpu_time = a->profile->has_cpu_time && (m == SELF_NS ||
	    m == TOTAL_NS);
	buf_str(&text, has_cpu_time ? " on the CPU: " : ": ");
	put_now_and_before(&text, a->profile, m);
	if (has_cpu_time) {
		buf_str(&text, "; off it ");
		put_now_and_before(&text, a->profile, SELF_OFF_NS);
	}
	report_heading(out, "%.*s", (int)text.len, text.data);
	buf_release(&text);
	for (int side = 0; side < N_SIDES; side++)
		if (answer_is_rough(&a->profile->totals[side])) {
			put_roughness(&a->profile->totals[side], out);
			break;
		}
	for (int side = 0; side < N_SIDES; side++)
		put_untimed(&a->profile->totals[side], side == NOW ? "" :
		    "before, ", out);
}

/*
 * Adds all cells but the last.  change: or INT_UNKNOWN; greatest: the change
 * that fills the bar.
 */
static void
put_change(const struct answer *a, struct table *t, const struct entry *e,
    int64_t change, int64_t greatest)
{
	const struct tally *now = &e->tallies[NOW];
	const struct tally *before = &e->tallies[BEFORE];
	int64_t calls;

	put_signed(table_cell(t), a->measure, change);
	table_next(t);
	if (change != INT_UNKNOWN)
		put_growth(table_cell(t), change,
		    before->measures[a->measure]);
	table_next(t);
	if (change != INT_UNKNOWN)
		table_bar(t, answer_share(change < 0 ? -change : change,
		    greatest));
	else
		table_next(t);
	put_amount(table_cell(t), a->measure, now->measures[a->measure]);
	table_next(t);
	put_amount(table_cell(t), a->measure, before->measures[a->measure]);
	table_next(t);
	if (a->measure != CALLS) {
		if (flat_change(a->profile, e, CALLS, &calls) && calls != 0)
			put_signed(table_cell(t), CALLS, calls);
		table_next(t);
	}
}

/* Prints the entries with this kind of change.  Returns their number. */
static size_t
put_changes(const struct answer *a, struct buf *out, const struct order *o,
    enum change kind, int64_t greatest)
{
	static const char *const heads_with_calls[] = { "change", "", "", "now",
	    "before", "calls", "" };
	static const char *const heads[] = { "change", "", "", "now", "before",
	    "" };
	const char *const titles[] = { [GREW] = "More ",
	    [MORE_CALLS] = "More calls",
	    [SHRANK] = measure_is_time(a->measure) ? "Less " : "Fewer ",
	    [NEW] = "New", [GONE] = "Gone" };
	struct buf text = { 0 };
	struct table t;
	size_t n = 0, max = answer_n_rows(a, SIZE_MAX, ROWS_DEFAULT);
	int64_t change;

	init_table(&t, a->measure != CALLS ? "RRlRRrL" : "RRlRRL",
	    a->measure != CALLS ? heads_with_calls : heads);
	for (size_t i = 0; i < o->n; i++) {
		const struct entry *e =
		    &flat_entries(a->profile)->list[o->list[i]];

		change = INT_UNKNOWN;
		if (flat_change_of(a->profile, e, a->measure) != kind ||
		    (!flat_change(a->profile, e, a->measure, &change) &&
		    kind != NEW && kind != GONE))
			continue;
		n++;
		if (n > max)
			continue;
		put_change(a, &t, e, change, greatest);
		text.len = 0;
		put_entry(&text, a->profile, o->list[i], CALLER | CALLEE);
		table_text(&t, buf_span(&text));
	}
	if (n > 0)
		report_heading(out, "\n%s%s", titles[kind], kind == GREW ||
		    kind == SHRANK ? long_names[a->measure] : "");
	/* table_print() frees the table, so it is called for an empty one too;
	   `text` is discarded. */
	table_print(&t, n > 0 ? out : &text);
	report_more(out, n > max ? n - max : 0, " (--top)");
	buf_release(&text);
	return n;
}

void
report_changes(const struct answer *a, struct filter *f)
{
	static const enum change kinds[] = { GREW, MORE_CALLS, SHRANK, NEW,
	    GONE };
	const struct entries *entries = flat_entries(a->profile);
	struct buf *out = filter_out(f), text = { 0 };
	int64_t greatest = 0, change;	/* greatest: what fills a bar */
	struct order order;
	size_t n = 0;

	flat_sort(a->profile, &order, entries, a->sort_by, true);
	put_change_title(a, out);
	for (size_t i = 0; i < order.n; i++) {
		if (!flat_change(a->profile, &entries->list[order.list[i]],
		    a->measure, &change))
			continue;
		change = change < 0 ? -change : change;
		greatest = change > greatest ? change : greatest;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		n += put_changes(a, out, &order, kinds[i], greatest);

	if (order.n == 0 && flat_is_measured(a->profile, a->measure))
		buf_str(&text, "Nothing has changed");
	else if (order.n > n)
		buf_printf(&text, "%zu more changed, but not in %s",
		    order.n - n, long_names[a->measure]);
	if (text.len > 0)
		report_note(out, buf_cstr(&text));
	put_notes(a, out);
	filter_emit(f);
	buf_release(&text);
	free(order.list);
}
