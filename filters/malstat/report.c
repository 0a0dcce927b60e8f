/* report - writes the answers as text */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/filter/filter.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "filters/malstat/malstat.h"

enum { PLANS_MAX = 5, OPERATION_BYTES_MAX = 20, OPERATIONS_MAX = 15,
    BLOCKS_MAX = 10 };

/* Writes two cells: the ratio in percent, and as a bar. */
static void
put_ratio(struct table *t, double ratio)
{
	table_percent(t, ratio);
	table_bar(t, ratio);
}

/* The cell stays empty if the number is unknown. */
static void
put_number(struct table *t, int64_t number)
{
	if (number != INT_UNKNOWN)
		buf_i64(table_cell(t), number);
	table_next(t);
}

static struct span
session_name(const struct costs *a, const struct cores *c)
{
	struct span name = executions_session_name(a->trace, c->session);

	return name.n > 0 ? name : span_str("unknown");
}

/* --- queries and plans ---------------------------------------------------- */

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
		table_us(&t, q->wall_us);
		table_percent(&t, ratio_of(q->wall_us,
		    a->cores[i].use.wall_us));
		put_threads(&t, q->busy_us, q->wall_us, q->n_threads);
		put_ratio(&t, utilisation(q, (int64_t)q->n_threads));
		table_percent(&t, ratio_of(q->serial_us, q->wall_us));
		table_percent(&t, ratio_of(q->idle_us, q->wall_us));
		table_text(&t, session_name(a, &a->cores[i]));
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

/* --- an answer ------------------------------------------------------------ */

static void
report_costliest(const struct costs *a, struct buf *b)
{
	const struct operation *o = a->operations;
	size_t from = b->len;

	if (a->n_operations == 0) {
		buf_str(b, "No instruction took any time.");
	} else {
		buf_str(b, "The costliest operation is ");
		report_text(b, name_of(a, o->name));
		buf_str(b, ": ");
		report_us(b, o->self_us);
		buf_str(b, " in ");
		report_count(b, o->n, "instance, ", "instances, ");
		report_percent(b, ratio_of(o->self_us, a->busy_us));
		buf_str(b, " of all work.");
	}
	report_sentence(b, from);
}

static void
report_utilisation(const struct costs *a, struct buf *b, const struct cores *c)
{
	const struct use *u = &c->use;
	int64_t workers = a->trace->sessions[c->session].workers;
	int64_t cores = a->trace->sessions[c->session].cores;
	size_t from = b->len;

	if (a->n_sessions > 1) {
		buf_str(b, "Session ");
		report_text(b, session_name(a, c));
		buf_str(b, ": on");
	} else
		buf_str(b, "On");
	buf_printf(b, " average %.1f of %zu thread%s worked, for ",
	    ratio_of(u->busy_us, u->wall_us), u->n_threads,
	    plural(u->n_threads, "", "s"));
	report_us(b, u->wall_us);
	buf_str(b, ": ");
	report_percent(b, utilisation(u, (int64_t)u->n_threads));
	buf_str(b, " of what they could do");
	if (workers > 0) {
		buf_str(b, ", ");
		report_percent(b, utilisation(u, workers));
		buf_printf(b, " of the server's %lld", (long long)workers);
	}
	if (cores > 0) {
		buf_str(b, ", ");
		report_percent(b, utilisation(u, cores));
		buf_printf(b, " of its %lld core%s", (long long)cores,
		    plural(cores, "", "s"));
	}
	buf_char(b, '.');
	if (workers <= 0 && cores == 0)
		buf_str(b, "  How many cores the server has, the trace does "
		    "not say.");
	report_sentence(b, from);
}

static void
report_operations(const struct costs *a, struct buf *b)
{
	static const char *const heads[] = { "self", "share", "", "calls",
	    "longest", "operation", NULL };
	const struct operation *o = a->operations;
	struct table t;

	report_blank(b);
	table_init(&t, "rrlrrl", heads);
	for (size_t i = 0; i < a->n_operations && i < OPERATIONS_MAX;
	    i++, o++) {
		table_us(&t, o->self_us);
		put_ratio(&t, ratio_of(o->self_us, a->busy_us));
		table_count(&t, o->n);
		table_us(&t, o->longest_us);
		table_text(&t, name_of(a, o->name));
	}
	table_print(&t, b);
	report_more(b, a->n_operations > OPERATIONS_MAX ? a->n_operations -
	    OPERATIONS_MAX : 0, "");
}

static void
report_instances(const struct costs *a, struct buf *b, uint64_t top)
{
	static const char *const heads[] = { "self", "share", "tag", "pc",
	    "thread", "statement", NULL };
	const struct instance *i;
	size_t n_without = 0, from;
	struct table t;

	report_blank(b);
	report_heading(b, "The costliest instructions");
	table_init(&t, "rrrrrl", heads);
	for (size_t k = 0; k < a->n_work && k < top; k++) {
		i = &a->trace->instances[a->costliest[k]];
		table_us(&t, i->self_us);
		table_percent(&t, ratio_of(i->self_us, a->busy_us));
		put_number(&t, a->trace->executions[i->execution].tag);
		put_number(&t, i->pc);
		put_number(&t, i->thread);
		table_text(&t, name_of(a, i->statement != SYM_NONE ?
		    i->statement : i->operation));
		n_without += i->statement == SYM_NONE;
	}
	table_print(&t, b);
	if (n_without > 0) {
		from = b->len;
		buf_str(b, "malparse -s rebuilds the statements that are not "
		    "shown.");
		report_sentence(b, from);
	}
}

static void
report_containers(const struct costs *a, struct buf *b)
{
	static const char *const heads[] = { "elapsed", "calls", "", NULL };
	/* By enum instance_kind. */
	static const char *const prefix[] = { "", "call of ", "", "plan " };
	const struct operation *o = a->containers;
	struct table t;

	if (a->n_containers == 0)
		return;
	report_blank(b);
	report_heading(b, "What only contains others");
	table_init(&t, "rrl", heads);
	for (size_t i = 0; i < a->n_containers && i < OPERATIONS_MAX;
	    i++, o++) {
		table_us(&t, o->total_us);
		table_count(&t, o->n);
		buf_str(table_cell(&t), prefix[o->kind]);
		report_text(table_cell(&t), name_of(a, o->name));
		table_next(&t);
	}
	table_print(&t, b);
}

/* Writes how long 0, 1, 2, ... threads worked at once, in a session. */
static void
report_histogram(const struct costs *a, struct buf *b, const struct cores *c)
{
	static const char *const heads[] = { "threads", "time", "share", "",
	    NULL };
	const struct use *u = &c->use;
	struct table t;
	size_t from;

	report_blank(b);
	report_heading(b, "Threads that worked at once");
	from = b->len;
	if (a->n_sessions > 1) {
		buf_str(b, "Session ");
		report_text(b, session_name(a, c));
		buf_char(b, ':');
		report_sentence(b, from);
	}
	table_init(&t, "rrrl", heads);
	for (size_t i = 0; i < u->n_levels; i++) {
		if (u->histogram_us[i] == 0)
			continue;
		table_count(&t, i);
		table_us(&t, u->histogram_us[i]);
		put_ratio(&t, ratio_of(u->histogram_us[i], u->wall_us));
	}
	table_print(&t, b);
}

/* The longest block first; equally long ones as in costs.cores. */
static int
compare_blocks(const void *a, const void *b)
{
	const struct cores *x = *(const struct cores *const *)a;
	const struct cores *y = *(const struct cores *const *)b;

	return cmp_i64(y->use.wall_us, x->use.wall_us) ?: (x > y) - (x < y);
}

static void
report_blocks(const struct costs *a, struct buf *b)
{
	static const char *const heads[] = { "took", "workers", "used", "",
	    "serial", "idle", "execution", "pc", NULL };
	const struct cores **blocks;
	const struct instance *i;
	const struct use *u;
	struct table t;
	size_t n = 0;

	if (a->n_cores == a->n_sessions)	/* there are no blocks */
		return;
	blocks = mem_resize(NULL, a->n_cores, sizeof *blocks);
	for (size_t k = 0; k < a->n_cores; k++)
		if (a->cores[k].block != INDEX_NONE)
			blocks[n++] = &a->cores[k];
	sort(blocks, n, sizeof *blocks, compare_blocks);

	report_blank(b);
	report_heading(b, "Dataflow blocks");
	table_init(&t, "rrrlrrrr", heads);
	for (size_t k = 0; k < n && k < BLOCKS_MAX; k++) {
		u = &blocks[k]->use;
		i = &a->trace->instances[blocks[k]->block];
		table_us(&t, u->wall_us);
		table_count(&t, u->n_threads);
		put_ratio(&t, utilisation(u, (int64_t)u->n_threads));
		table_percent(&t, ratio_of(u->serial_us, u->wall_us));
		table_percent(&t, ratio_of(u->idle_us, u->wall_us));
		put_number(&t, a->trace->executions[i->execution].key.id);
		put_number(&t, i->pc);
	}
	table_print(&t, b);
	report_more(b, n > BLOCKS_MAX ? n - BLOCKS_MAX : 0, "");
	free(blocks);
}

static void
report_head(const struct costs *a, struct buf *b)
{
	const struct execution *x;
	size_t from;

	if (a->root == INDEX_NONE) {
		report_heading(b, "All of the trace");
		return;
	}
	x = &a->trace->executions[a->root];
	report_blank(b);
	report_heading(b, "%s of execution %lld", x->is_query ? "Query" :
	    "Plan", (long long)x->key.id);
	from = b->len;
	if (x->query != SYM_NONE) {
		report_text(b, name_of(a, x->query));
		report_sentence(b, from);
	}
}

void
costs_report(const struct costs *a, struct filter *f, uint64_t top)
{
	struct buf *b = filter_out(f);
	size_t from;

	report_head(a, b);
	report_costliest(a, b);
	for (size_t i = 0; i < a->n_cores; i++)
		if (a->cores[i].block == INDEX_NONE)
			report_utilisation(a, b, &a->cores[i]);
	if (a->n_untimed > 0) {
		from = b->len;
		buf_str(b, "How well the cores were used is unknown: of ");
		report_count(b, a->n_untimed, "instance", "instances");
		buf_str(b, " the trace says how long they took, but neither "
		    "when nor on which thread they ran.");
		report_sentence(b, from);
	}
	if (a->n_instances > 0) {
		report_operations(a, b);
		report_instances(a, b, top);
		report_containers(a, b);
	}
	for (size_t i = 0; i < a->n_cores; i++)
		if (a->cores[i].block == INDEX_NONE)
			report_histogram(a, b, &a->cores[i]);
	report_blocks(a, b);
	filter_emit(f);
}

/* Writes, for example, ", 3 ends without a start"; nothing if n is 0. */
static void
put_count(struct buf *b, uint64_t n, const char *noun, const char *rest)
{
	if (n > 0)
		buf_printf(b, ", %llu %s%s%s", (unsigned long long)n, noun,
		    plural(n, "", "s"), rest);
}

void
summary_report(const struct trace *t, struct filter *f)
{
	struct buf *b = filter_out(f);
	size_t from;

	report_blank(b);
	from = b->len;
	report_count(b, t->n, "instance", "instances");
	buf_str(b, " of ");
	report_count(b, t->n_events, "event", "events");
	put_count(b, t->n_no_start, "end", " without a start");
	put_count(b, t->n_unfinished + t->n_restarted, "start",
	    " without an end");
	if (t->n_no_clock > 0)
		buf_printf(b, ", %llu without a clock",
		    (unsigned long long)t->n_no_clock);
	report_sentence(b, from);
	filter_emit(f);
}
