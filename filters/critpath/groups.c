/* groups - what groups of tasks, such as those of a target, cost a build */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/dag-joint.h"
#include "common/filter/filter.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "filters/critpath/critpath.h"

enum { ROWS_MAX = 20 };	/* of a report */

/* Sets path_us and potential_us of each group. */
static void
find_potentials(struct groups *g, const struct answer *a,
    const uint32_t *group_of)
{
	const struct network *net = a->net;
	const struct path *p = a->paths;
	uint32_t *path = mem_zero(p->n, sizeof *path), v;
	int64_t *path_drag = mem_zero(p->n, sizeof *path_drag);
	int64_t *drag = mem_zero(g->n, sizeof *drag);
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		v = p->steps[i].vertex;
		if (group_of[v] == INDEX_NONE)
			continue;
		path[n] = v;
		path_drag[n++] = p->steps[i].drag_us;
		g->list[group_of[v]].path_us += net->dag.weight[v];
	}
	dag_joint_drag(&net->dag, net->is_end, p->length_us, path, path_drag,
	    n, group_of, g->n, drag);
	for (size_t i = 0; i < g->n; i++)
		g->list[i].potential_us = drag[i];
	free(path);
	free(path_drag);
	free(drag);
}

static int
compare_work(const void *a, const void *b, void *context)
{
	const struct group *x = a, *y = b;
	const struct groups *g = context;

	return cmp_i64(y->work_us, x->work_us) ?:
	    intern_cmp(&g->values, x->value, y->value);
}

static int
compare_groups(const void *a, const void *b, void *context)
{
	const struct group *x = a, *y = b;

	return cmp_i64(y->saved_us, x->saved_us) ?:
	    cmp_i64(y->potential_us, x->potential_us) ?:
	    cmp_i64(y->path_us, x->path_us) ?: compare_work(a, b, context);
}

/*
 * Groups the tasks, and sums their work.  Returns the group of each vertex, an
 * index in the list or INDEX_NONE; the caller frees it.
 */
static uint32_t *
make_groups(struct groups *g, const struct network *net, const char *by)
{
	unsigned key = keys_add(span_str(by));
	uint32_t *group_of = mem_ones(net->n_vertices, sizeof *group_of);
	struct group *group;
	struct span value;
	size_t cap = 0;

	*g = (struct groups){ .by = by };
	intern_init(&g->values);
	for (uint32_t v = 0; v < net->n_tasks; v++) {
		value = keys_value(net->build, network_task(net, v), key);
		if (value.n == 0)
			continue;
		group_of[v] = intern_add(&g->values, value);
		if (group_of[v] == g->n) {	/* a new symbol */
			g->list = mem_grow(g->list, &cap, g->n + 1,
			    sizeof *g->list);
			g->list[g->n++] = (struct group){
			    .value = group_of[v], .saved_us = INT_UNKNOWN };
		}
		group = &g->list[group_of[v]];
		group->n_tasks++;
		group->work_us += net->dag.weight[v];
	}
	return group_of;
}

void
groups_sum_work(struct groups *g, const struct network *net, const char *by)
{
	free(make_groups(g, net, by));
}

void
groups_find(struct groups *g, const struct answer *a, const char *by)
{
	uint32_t *group_of = make_groups(g, a->net, by);

	find_potentials(g, a, group_of);
	if (savings_are_simulated(a->savings, g->n)) {
		for (size_t i = 0; i < g->n; i++)
			g->list[i].saved_us = savings_of(a->savings, group_of,
			    g->list[i].value);
		savings_end(a->savings);
	}
	sort_with(g->list, g->n, sizeof *g->list, compare_groups, g);
	free(group_of);
}

void
groups_release(struct groups *g)
{
	intern_release(&g->values);
	free(g->list);
}

void
groups_emit(const struct groups *g, const struct answer *a, struct filter *f)
{
	const struct group *group = g->list;
	struct buf *b;

	for (; group < g->list + g->n; group++) {
		b = emit_begin(a->net->build, f, "group");
		json_cstr(b, "by", g->by);
		json_str(b, "value", intern_span(&g->values, group->value));
		json_uint(b, "tasks", group->n_tasks);
		json_int(b, "work_us", group->work_us);
		json_int(b, "path_us", group->path_us);
		if (a->knows_savings) {
			json_int(b, "potential_us", group->potential_us);
			json_int(b, "saved_us", group->saved_us);
		}
		filter_end_record(f);
	}
}

void
groups_report(const struct groups *g, const struct answer *a, struct buf *out)
{
	char could_save[SAVINGS_HEAD_MAX];
	const char *const heads[] = {
	    a->knows_savings ? savings_head(a->savings, g->n, could_save) : "",
	    "on the path", "work", "tasks", "" };
	struct buf by = { 0 };
	struct table t;
	struct span value;
	size_t from;

	report_text(&by, span_str(g->by));
	report_heading(out, "\nGroups by %s", buf_cstr(&by));
	buf_release(&by);
	from = out->len;
	if (g->n == 0) {
		buf_str(out, "no task has this key");
		report_item(out, from, 1);
		return;
	}
	table_init(&t, "RRrrl", heads);
	for (size_t i = 0; i < g->n && i < ROWS_MAX; i++) {
		if (a->knows_savings)
			report_us(table_cell(&t), g->list[i].saved_us !=
			    INT_UNKNOWN ? g->list[i].saved_us :
			    g->list[i].potential_us);
		table_next(&t);
		table_us(&t, g->list[i].path_us);
		table_us(&t, g->list[i].work_us);
		table_count(&t, g->list[i].n_tasks);
		value = intern_span(&g->values, g->list[i].value);
		table_name(&t, value, 0, value.n);
	}
	table_print(&t, out);
	report_more(out, g->n > ROWS_MAX ? g->n - ROWS_MAX : 0, "");
}
