/* missing - finds and reports what a build lacks */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/build-names.h"
#include "common/build/missing.h"
#include "common/filter/filter.h"
#include "common/filter/lacks.h"
#include "common/report/report-values.h"
#include "common/report/report.h"

/* The smaller id; SYM_NONE is none. */
static sym
first_id(const struct build *b, sym x, sym y)
{
	return x == SYM_NONE || intern_cmp(&b->names, y, x) < 0 ? y : x;
}

/* Adds the tasks that did not end. */
static void
add_tasks(struct build *b)
{
	struct missing *m = &b->missing;
	const struct task *t, *open = NULL;

	for (t = b->tasks; t < b->tasks + b->n_tasks; t++) {
		if (!build_is_open(b, t))
			continue;
		m->n_open++;
		if (open == NULL || t->start_us < open->start_us ||
		    (t->start_us == open->start_us &&
		    build_compare_tasks(b, t, open) < 0))
			open = t;
	}
	if (open != NULL)
		m->open = (size_t)(open - b->tasks);
}

/*
 * Marks, by symbol, what an id depends on, directly or not.  The caller frees
 * the result.
 */
static bool *
mark_deps(const struct build *b, sym id)
{
	size_t n = b->names.n;
	size_t *rows = mem_zero(n + 2, sizeof *rows), n_list = 0;
	sym *deps = mem_table(b->n_deps, sizeof *deps);
	sym *list = mem_table(n, sizeof *list);
	bool *marks = mem_zero(n, sizeof *marks);
	const struct dependency *d, *end = b->deps + b->n_deps;

	/* The deps of s become deps[rows[s]] to deps[rows[s + 1] - 1]. */
	for (d = b->deps; d < end; d++)
		rows[d->id + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		rows[i] += rows[i - 1];
	for (d = b->deps; d < end; d++)
		deps[rows[d->id + 1]++] = d->dep;

	list[n_list++] = id;
	marks[id] = true;
	for (size_t i = 0; i < n_list; i++)
		for (size_t j = rows[list[i]]; j < rows[list[i] + 1]; j++)
			if (!marks[deps[j]]) {
				marks[deps[j]] = true;
				list[n_list++] = deps[j];
			}
	free(rows);
	free(deps);
	free(list);
	return marks;
}

/*
 * What was to be made, by symbol.  A graph may have more than that: CMake's has
 * `install`, which only someone who names it builds.  If its node `all` needs
 * all that was made, it is what `all` needs.  NULL: all nodes.
 */
static bool *
mark_wanted(const struct build *b)
{
	sym all = intern_find(&b->names, span_str("all"));
	uint32_t node = build_find_node(b, all);
	bool *marks, covers = true;

	if (node == INDEX_NONE || (b->nodes[node].flags & NODE_PHONY) == 0)
		return NULL;
	marks = mark_deps(b, all);
	for (size_t i = 0; i < b->n_tasks; i++)
		covers &= marks[b->tasks[i].id];
	if (covers)
		return marks;
	free(marks);
	return NULL;
}

/*
 * Adds the nodes with a command that the log should name, but does not.  Of the
 * logs that come with a graph, only ninja's leaves out commands that failed or
 * were interrupted (weir-records(5), "What a format cannot say").
 */
static void
add_nodes(struct build *b)
{
	struct missing *m = &b->missing;
	const struct node *n = b->nodes;
	bool is_marked = false, *wanted = NULL;

	for (; n < b->nodes + b->n_nodes; n++) {
		if ((n->flags & NODE_PHONY) != 0 ||
		    build_find_task(b, n->id) != INDEX_NONE)
			continue;
		/* Usually all nodes have tasks, and this is not needed. */
		if (!is_marked)
			wanted = mark_wanted(b);
		is_marked = true;
		if (wanted != NULL && !wanted[n->id])
			continue;
		m->n_without_task++;
		m->without_task = first_id(b, m->without_task, n->id);
	}
	free(wanted);
}

void
build_find_missing(struct build *b)
{
	struct missing *m = &b->missing;

	m->without_task = SYM_NONE;
	add_tasks(b);
	if (b->is_ninja && !b->is_incremental)
		add_nodes(b);
	b->lacks |= m->n_open > 0 ? LACKS_UNFINISHED : 0u;
	b->lacks |= m->n_without_task > 0 ? LACKS_FAILED : 0u;
}

void
build_need_graph(struct build *b)
{
	const struct task *t = b->tasks;
	bool has_nodes = false, are_several = false;

	if (b->has_deps)
		return;
	for (size_t i = 0; i < b->n_nodes && !has_nodes; i++)
		has_nodes = (b->nodes[i].flags & NODE_PHONY) == 0;
	/* One task may have several records. */
	for (size_t i = 1; i < b->n_tasks; i++)
		are_several |= t[i].id != t->id;
	for (; has_nodes && t < b->tasks + b->n_tasks; t++)
		b->missing.n_without_node += t->kind == b->run &&
		    t->elapsed_us != INT_UNKNOWN &&
		    (t->flags & (TASK_SUPERSEDED | TASK_TOTAL)) == 0 &&
		    build_find_node(b, t->id) == INDEX_NONE;
	if (b->missing.n_without_node > 0 ||
	    (!has_nodes && are_several && b->has_graph))
		b->lacks |= LACKS_GRAPH;
}

/* "b, which started 1.70 s before the end of the log, did not end" */
static void
put_open(const struct build *b, struct buf *to)
{
	const struct missing *m = &b->missing;
	const struct task *t = &b->tasks[m->open];

	buf_str(to, t->kind == b->copy ? "a copy of " : "");
	build_put_name(b, t, to);
	buf_str(to, ", which started ");
	report_us(to, build_so_far_us(b, t));
	buf_str(to, " before the end of the log,");
	if (m->n_open > 1) {
		buf_str(to, " and ");
		report_count(to, m->n_open - 1, "other task", "other tasks");
	}
	buf_str(to, " did not end");
}

/* "x is in the graph, but not in the log, which ..." */
static void
put_without_task(const struct build *b, struct buf *to)
{
	const struct missing *m = &b->missing;
	struct span name = build_name_of_id(b, m->without_task);

	buf_add(to, name.p, name.n);
	if (m->n_without_task > 1) {
		buf_str(to, " and ");
		report_count(to, m->n_without_task - 1, "other command",
		    "other commands");
	}
	buf_printf(to, " of the graph %s not in the log, which does not name "
	    "commands that failed", plural(m->n_without_task, "is", "are"));
}

static void
put_without_node(const struct build *b, struct buf *to)
{
	const struct missing *m = &b->missing;

	report_count(to, m->n_without_node, "task", "tasks");
	buf_printf(to, " %s not in the graph", plural(m->n_without_node,
	    "is", "are"));
	if (b->is_ninja)
		buf_str(to, " ('ninja -t graph TARGET...' prints what other "
		    "targets need)");
}

void
build_put_missing(const struct build *b, struct buf *to)
{
	size_t from = to->len;
	unsigned others = b->lacks;

	if (b->missing.n_open > 0) {
		put_open(b, to);
		others &= ~(unsigned)LACKS_UNFINISHED;
	}
	if (b->missing.n_without_task > 0) {
		buf_str(to, to->len > from ? "; " : "");
		put_without_task(b, to);
		others &= ~(unsigned)LACKS_FAILED;
	}
	if (b->missing.n_without_node > 0) {
		buf_str(to, to->len > from ? "; " : "");
		put_without_node(b, to);
		others &= ~(unsigned)LACKS_GRAPH;
	}
	if (b->n_unknown_deps > 0) {
		buf_str(to, to->len > from ? "; " : "");
		report_count(to, (uint64_t)b->n_unknown_deps, "dependency",
		    "dependencies");
		buf_printf(to, " %s not in the log",
		    plural((uint64_t)b->n_unknown_deps, "is", "are"));
	}
	if (others != 0) {
		buf_str(to, to->len > from ? "; " : "");
		lacks_put_clauses(to, others);
	}
}

static int
compare_starts(const void *x, const void *y, void *context)
{
	const struct task *const *a = x, *const *b = y;

	return cmp_i64((*a)->start_us, (*b)->start_us) ?:
	    build_compare_tasks(context, *a, *b);
}

/* Returns an array of n tasks, which the caller frees. */
static const struct task **
find_unfinished(const struct build *b, size_t *n)
{
	const struct task **list = NULL, *t;
	size_t cap = 0;

	*n = 0;
	for (t = b->tasks; t < b->tasks + b->n_tasks; t++) {
		if (!task_is_unfinished(t))
			continue;
		list = mem_grow(list, &cap, *n + 1, sizeof *list);
		list[(*n)++] = t;
	}
	sort_with(list, *n, sizeof *list, compare_starts, b);
	return list;
}

void
build_emit_unfinished(const struct build *b, struct filter *f)
{
	size_t n;
	const struct task **list = find_unfinished(b, &n);
	struct buf *out;

	for (size_t i = 0; i < n; i++) {
		out = filter_begin_record(f, "unfinished");
		if (b->run_name != NULL)
			json_cstr(out, "run", b->run_name);
		build_emit_id(b, list[i], out);
		build_emit_name(b, list[i], out);
		json_str(out, "kind", intern_span(&b->names, list[i]->kind));
		if (list[i]->host != SYM_NONE)
			json_str(out, "host", intern_span(&b->names,
			    list[i]->host));
		json_int(out, "start_us", list[i]->start_us);
		json_int(out, "so_far_us", build_so_far_us(b, list[i]));
		filter_end_record(f);
	}
	free(list);
}
