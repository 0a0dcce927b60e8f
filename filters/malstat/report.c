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

enum { OPERATIONS_MAX = 15, BLOCKS_MAX = 10 };

/* Writes two cells: the ratio in percent, and as a bar. */
static void
put_ratio(struct table *t, double ratio)
{
	report_percent(table_cell(t), ratio);
	table_next(t);
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

static void
put_session(const struct costs *a, struct buf *b, const struct cores *c)
{
	struct span name = executions_session_name(a->trace, c->session);

	report_text(b, name.n > 0 ? name : span_str("unknown"));
}

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
		put_session(a, b, c);
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
report_unknown_use(struct buf *b, uint64_t n)
{
	size_t from = b->len;

	buf_str(b, "How well the cores were used is unknown: of ");
	report_count(b, n, "instance", "instances");
	buf_str(b, " the trace says how long they took, but neither when nor "
	    "on which thread they ran.");
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
		put_session(a, b, c);
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

	report_head(a, b);
	report_costliest(a, b);
	for (size_t i = 0; i < a->n_cores; i++)
		if (a->cores[i].block == INDEX_NONE)
			report_utilisation(a, b, &a->cores[i]);
	if (a->n_untimed > 0)
		report_unknown_use(b, a->n_untimed);
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
