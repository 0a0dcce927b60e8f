/* tables - writes the tables with which the report begins: queries and plans */

#include "common/base/num.h"
#include "common/filter/filter.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "filters/malstat/malstat.h"

enum { PLANS_MAX = 5, OPERATION_BYTES_MAX = 20 };

/* Writes a cell, for example "1.6 of 5": threads at work, and threads used. */
static void
put_threads(struct table *t, int64_t busy_us, int64_t wall_us, size_t n)
{
	buf_printf(table_cell(t), "%.1f of %zu", ratio_of(busy_us, wall_us),
	    n);
	table_next(t);
}

/* Only the last column is shortened by the table, so this one is here. */
static void
put_operation(struct table *t, const struct costs *a, sym operation)
{
	struct span name = name_of(a, operation);
	bool is_long = name.n > OPERATION_BYTES_MAX;

	if (is_long)
		name = text_prefix(name, OPERATION_BYTES_MAX - 2);
	report_text(table_cell(t), name);
	buf_str(table_cell(t), is_long ? ".." : "");
	table_next(t);
}

/* Writes the text of a query with one space for each run of white space. */
static void
put_text(struct table *t, struct span text)
{
	struct buf line = { 0 };

	for (size_t i = 0; i < text.n; i++)
		if (!json_is_space(text.p[i]))
			buf_char(&line, text.p[i]);
		else if (line.len > 0 && line.data[line.len - 1] != ' ')
			buf_char(&line, ' ');
	table_text(t, buf_span(&line));
	buf_release(&line);
}

/* Cells of what is not known stay empty. */
static void
put_root(struct table *t, const struct costs *a, const struct root_use *u)
{
	const struct execution *x = &a->trace->executions[u->root];

	if (u->elapsed_us != INT_UNKNOWN)
		table_us(t, u->elapsed_us);
	else
		table_next(t);
	table_us(t, u->busy_us);
	if (u->elapsed_us != INT_UNKNOWN)
		put_threads(t, u->busy_us, u->elapsed_us, u->n_threads);
	else
		table_next(t);
	table_percent(t, ratio_of(u->costliest_us, u->busy_us));
	put_operation(t, a, u->costliest);
	buf_i64(table_cell(t), x->key.id);
	table_next(t);
	put_text(t, name_of(a, x->is_query ? x->query : x->function));
}

/*
 * Writes a table of those of n roots that are listed.  Either all of the roots
 * are queries, or none is.  A single root needs no title, because the answer
 * about it follows.
 */
static void
report_roots(struct buf *b, const struct costs *a, const struct root_use *list,
    size_t n, uint64_t top, const char *title, const char *name)
{
	const char *heads[] = { "elapsed", "busy", "threads", "share",
	    "costliest", "id", name, NULL };
	uint64_t n_listed = 0;
	struct table t;

	for (size_t i = 0; i < n; i++)
		n_listed += is_listed(a, &list[i]);
	if (n_listed == 0)
		return;
	if (a->root == INDEX_NONE)
		report_heading(b, "%s", title);
	table_init(&t, "RrrrlRL", heads);
	for (size_t i = 0, k = 0; i < n && k < top; i++)
		if (is_listed(a, &list[i])) {
			put_root(&t, a, &list[i]);
			k++;
		}
	table_print(&t, b);
	report_more(b, n_listed > top ? n_listed - top : 0, "");
	if (a->root == INDEX_NONE)
		report_blank(b);
}

/* Writes what the cores of each session did while queries ran. */
static void
report_query_times(const struct costs *a, struct buf *b, uint64_t top)
{
	static const char *const heads[] = { "took", "of trace", "threads",
	    "used", "", "serial", "idle", "session", NULL };
	const struct use *q;
	struct span session;
	double used;
	uint64_t n = 0;
	struct table t;

	for (size_t i = 0; i < a->n_cores; i++) {
		q = &a->cores[i].queries;
		if (!a->cores[i].ran_queries)
			continue;
		if (n++ == 0) {
			report_heading(b, "While queries ran");
			table_init(&t, "RrrRlrrL", heads);
		}
		if (n > top)
			continue;

		session = executions_session_name(a->trace,
		    a->cores[i].session);
		used = utilisation(q, (int64_t)q->n_threads);
		table_us(&t, q->wall_us);
		table_percent(&t, ratio_of(q->wall_us,
		    a->cores[i].use.wall_us));
		put_threads(&t, q->busy_us, q->wall_us, q->n_threads);
		table_percent(&t, used);
		table_bar(&t, used);
		table_percent(&t, ratio_of(q->serial_us, q->wall_us));
		table_percent(&t, ratio_of(q->idle_us, q->wall_us));
		table_text(&t, session.n > 0 ? session : span_str("unknown"));
	}

	if (n == 0)
		return;
	table_print(&t, b);
	report_more(b, n > top ? n - top : 0, " sessions");
	report_blank(b);
}

void
queries_report(const struct queries *q, const struct costs *a,
    struct filter *f, uint64_t top)
{
	struct buf *b = filter_out(f);

	report_roots(b, a, q->list, q->n_queries, top,
	    "Queries, slowest first", "query");
	report_query_times(a, b, top);
	report_roots(b, a, q->list + q->n_queries, q->n - q->n_queries,
	    PLANS_MAX, "Plans that are linked to no query", "function");
	filter_emit(f);
}
