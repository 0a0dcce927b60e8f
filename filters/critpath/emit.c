/* emit - writes the answer as records: paths and, with --all, tasks */

#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/build/build-names.h"
#include "common/filter/filter.h"
#include "common/filter/lacks.h"
#include "filters/critpath/critpath.h"

struct buf *
emit_begin(const struct build *build, struct filter *f, const char *type)
{
	struct buf *b = filter_begin_record(f, type);

	if (build->run_name != NULL)
		json_cstr(b, "run", build->run_name);
	return b;
}

static void
put_task(struct buf *b, const struct answer *a, uint32_t vertex)
{
	const struct task *t = network_task(a->net, vertex);

	build_emit_task(a->net->build, t, b);
	json_flag(b, "from_cache", (t->flags & TASK_CACHED) != 0);
	json_flag(b, "failed", (t->flags & TASK_FAILED) != 0);
	json_int(b, "start_us", t->start_us);
	json_int(b, "elapsed_us", a->net->dag.weight[vertex]);
}

static void
emit_step(const struct answer *a, struct filter *f, size_t path, size_t i)
{
	const struct path *p = &a->paths[path];
	const struct step *s = &p->steps[i];
	struct buf *b = emit_begin(a->net->build, f, "critical");

	if (a->n_requested > 1)
		json_uint(b, "path", path + 1);
	json_uint(b, "step", i + 1);
	put_task(b, a, s->vertex);
	if (p->is_timed && s->waiting_us >= 0)
		json_int(b, "waiting_us", s->waiting_us);
	if (p->is_timed && s->waiting_us < 0)
		json_int(b, "overlap_us", -s->waiting_us);
	if (p->length_us > 0)
		json_ratio(b, "share", (double)a->net->dag.weight[s->vertex] /
		    (double)p->length_us);
	if (path == 0 && a->knows_savings) {
		json_int(b, "potential_us", s->drag_us);
		json_int(b, "saved_us", s->saved_us);
	}
	remote_emit(a, s, b);
	filter_end_record(f);
}

static void
put_by_kind(struct buf *b, const struct answer *a, const struct path *p)
{
	size_t n;
	struct kind_time *kinds = answer_by_kind(a, p, &n);

	json_open(b, "by_kind", '{');
	for (size_t i = 0; i < n; i++)
		json_int_member(b, intern_span(&a->net->build->names,
		    kinds[i].kind), kinds[i].us);
	json_close(b, '}');
	free(kinds);
}

static void
emit_summary(const struct answer *a, struct filter *f, size_t path)
{
	const struct path *p = &a->paths[path];
	const struct build *build = a->net->build;
	struct buf *b = emit_begin(a->net->build, f, "critpath");

	if (a->n_requested > 1) {
		json_uint(b, "path", path + 1);
		json_int(b, "slack_us", a->paths[0].length_us - p->length_us);
	}
	json_int(b, "length_us", p->length_us);
	if (build->start_us != INT_UNKNOWN)
		json_int(b, "wall_us", build->end_us - build->start_us);
	if (p->is_timed) {
		json_int(b, "waiting_us", p->waiting_us);
		json_int(b, "overlap_us", p->overlap_us);
		json_int(b, "after_us", p->after_us);
	}
	json_uint(b, "steps", p->n);
	put_by_kind(b, a, p);

	if (path == 0 && a->what_if) {
		json_int(b, "recorded_us", a->recorded_us);
		if (a->knows_savings)
			json_int(b, "saved_us", a->recorded_us - p->length_us);
	}
	if (path == 0 && a->workers > 0) {
		json_uint(b, "workers", a->workers);
		json_int(b, "simulated_us", a->simulated_us);
		if (a->what_if && a->knows_savings)
			json_int(b, "simulated_saved_us",
			    a->recorded_simulated_us - a->simulated_us);
	}
	if (path == 0) {
		json_uint(b, "tasks", a->net->n_tasks);
		json_uint(b, "edges", a->net->dag.n_edges);
		json_uint(b, "cut", a->net->n_cut);
		json_int(b, "unknown_deps", build->n_unknown_deps);
		json_uint(b, "without_node", build->missing.n_without_node);
		json_uint(b, "skewed", build->attempts.n_skewed);
		json_uint(b, "retries", build->attempts.n_retries);
		json_uint(b, "deployed", a->net->n_deployed);
		json_int(b, "earlier_runs", build->n_earlier_runs);
		lacks_put(b, build->lacks);
	}
	filter_end_record(f);
}

/* Orders dependencies by the ids that they are of and on. */
static int
compare_deps(const void *x, const void *y, void *context)
{
	const struct dependency *a = x, *b = y;
	const struct build *build = context;

	return cmp_u64(a->id, b->id) ?:
	    intern_cmp(&build->names, a->dep, b->dep);
}

/* The recorded dependencies, sorted; the caller frees them. */
static struct dependency *
sort_deps(const struct build *b)
{
	struct dependency *deps = mem_resize(NULL, b->n_deps, sizeof *deps);

	if (b->n_deps > 0)
		memcpy(deps, b->deps, b->n_deps * sizeof *deps);
	sort_with(deps, b->n_deps, sizeof *deps, compare_deps, b);
	return deps;
}

static void
put_deps(struct buf *b, const struct build *build,
    const struct dependency *deps, sym id)
{
	size_t i = SEARCH_FIRST(k, build->n_deps, deps[k].id >= id);
	sym last = SYM_NONE;

	json_open(b, "deps", '[');
	for (; i < build->n_deps && deps[i].id == id; i++) {
		if (deps[i].dep != last)
			json_item(b, intern_span(&build->names, deps[i].dep));
		last = deps[i].dep;
	}
	json_close(b, ']');
}

/* By start, unknown ones first, then by id and attempt. */
static int
compare_starts(const void *x, const void *y, void *context)
{
	const struct network *net = context;
	uint32_t v = *(const uint32_t *)x, w = *(const uint32_t *)y;

	return cmp_i64(network_task(net, v)->start_us, network_task(net,
	    w)->start_us) ?: net->dag.compare(net, v, w);
}

static int
compare_nodes(const void *x, const void *y, void *context)
{
	const struct node *const *a = x, *const *b = y;
	const struct build *build = context;

	return intern_cmp(&build->names, (*a)->id, (*b)->id);
}

/* Emits the nodes that have no task, but dependencies of their own. */
static void
emit_nodes(const struct network *net, const struct dependency *deps,
    struct filter *f)
{
	const struct build *build = net->build;
	const struct node **nodes = mem_resize(NULL, build->n_nodes,
	    sizeof *nodes);
	bool *has_task = mem_zero(build->names.n, sizeof *has_task);
	size_t n = 0;
	struct buf *b;

	for (uint32_t v = 0; v < net->n_tasks; v++)
		has_task[network_id(net, v)] = true;
	for (size_t i = 0; i < build->n_nodes; i++)
		if (!has_task[build->nodes[i].id])
			nodes[n++] = &build->nodes[i];
	sort_with(nodes, n, sizeof *nodes, compare_nodes, build);
	for (size_t i = 0; i < n; i++) {
		b = emit_begin(build, f, "node");
		json_str(b, "id", intern_span(&build->names, nodes[i]->id));
		json_sym(b, "rule", &build->names, nodes[i]->rule);
		put_deps(b, build, deps, nodes[i]->id);
		filter_end_record(f);
	}
	free(has_task);
	free(nodes);
}

/* Emits the extent of the build, which ends the run. */
static void
emit_build(const struct build *build, struct filter *f)
{
	struct buf *b = emit_begin(build, f, "build");

	if (build->start_us != INT_UNKNOWN && !build->is_mixed) {
		json_int(b, "start_us", build->start_us);
		json_int(b, "end_us", build->end_us);
		json_int(b, "wall_us", build->end_us - build->start_us);
	}
	json_count(b, "earlier_runs", (uint64_t)build->n_earlier_runs);
	json_count(b, "unknown_deps", (uint64_t)build->n_unknown_deps);
	json_int(b, "limit", build->limit);
	json_flag(b, "load_limit", build->has_load_limit);
	lacks_put(b, build->lacks);
	filter_end_record(f);
}

/* Writes which workers a task needs, if not those of the build. */
static void
put_pool(struct buf *b, const struct build *build, const struct task *t)
{
	uint64_t limit;

	json_sym(b, "pool", &build->names, keys_symbol(build, t, KEY_POOL));
	if (text_u64(keys_value(build, t, KEY_LIMIT), &limit))
		json_uint(b, "limit", limit);
	json_sym(b, "worker_of", &build->names, keys_symbol(build, t,
	    KEY_WORKER_OF));
}

static void
emit_all(const struct answer *a, struct filter *f)
{
	size_t n = a->net->n_tasks;
	uint32_t *vertices = mem_resize(NULL, n, sizeof *vertices);
	/* By vertex: 0 off the critical path. */
	int64_t *drag = mem_zero(a->net->n_vertices, sizeof *drag), slack_us;
	struct dependency *deps = sort_deps(a->net->build);
	const struct step *s;
	struct buf *b;

	for (size_t i = 0; a->n_paths > 0 && i < a->paths[0].n; i++) {
		s = &a->paths[0].steps[i];
		drag[s->vertex] = s->drag_us;
	}

	for (uint32_t v = 0; v < n; v++)
		vertices[v] = v;
	sort_with(vertices, n, sizeof *vertices, compare_starts, a->net);
	for (size_t i = 0; i < n; i++) {
		b = emit_begin(a->net->build, f, "task");
		put_task(b, a, vertices[i]);
		if (answer_slack(a, vertices[i], &slack_us))
			json_int(b, "slack_us", slack_us);
		if (a->knows_savings)
			json_int(b, "drag_us", drag[vertices[i]]);
		put_pool(b, a->net->build, network_task(a->net, vertices[i]));
		put_deps(b, a->net->build, deps, network_id(a->net,
		    vertices[i]));
		filter_end_record(f);
	}
	emit_nodes(a->net, deps, f);
	if (n > 0 && (a->net->build->start_us != INT_UNKNOWN ||
	    a->net->build->lacks != 0))
		emit_build(a->net->build, f);
	free(deps);
	free(vertices);
	free(drag);
}

void
answer_emit_steps(const struct answer *a, struct filter *f, bool all)
{
	if (all)
		emit_all(a, f);
	for (size_t path = 0; path < a->n_paths; path++)
		for (size_t i = 0; i < a->paths[path].n; i++)
			emit_step(a, f, path, i);
}

void
answer_emit_summaries(const struct answer *a, struct filter *f)
{
	for (size_t path = a->n_paths; path-- > 0;)
		emit_summary(a, f, path);
}
