/* answer - the paths, and what they say, as records */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/frame/filter.h"
#include "filters/critpath/answer.h"

static uint32_t
best_end(const struct network *net)
{
	uint32_t best = INDEX_NONE;

	for (uint32_t v = 0; v < net->n_vertices; v++)
		if (net->is_end[v])
			best = dag_better(&net->dag, best, v);
	return best;
}

int64_t
answer_length(const struct network *net)
{
	uint32_t end = best_end(net);

	return end == INDEX_NONE ? 0 : net->dag.finish[end];
}

/* Accounts for the wall time along a path, from the build's start on. */
static void
account(struct path *p, const struct answer *a)
{
	const struct build *b = a->net->build;
	int64_t now_us = b->start_us;
	const struct task *t;

	p->timed = !a->what_if && b->start_us != INT_UNKNOWN;
	for (size_t i = 0; i < p->n && p->timed; i++) {
		t = network_task(a->net, p->steps[i].vertex);
		if (t->start_us == INT_UNKNOWN || t->end_us == INT_UNKNOWN) {
			p->timed = false;
			return;
		}
		p->steps[i].waiting_us = t->start_us - now_us;
		if (t->start_us >= now_us)
			p->waiting_us += t->start_us - now_us;
		else
			p->overlap_us += now_us - t->start_us;
		/* A task that ends before it starts counts as 0. */
		if (t->end_us < t->start_us)
			p->overlap_us += t->start_us - t->end_us;
		now_us = t->end_us;
	}
	p->after_us = b->end_us - now_us;
}

/* From vertices to steps; those that stand in for no task are left out. */
static void
set_steps(struct path *p, const struct answer *a, const uint32_t *vertices,
    size_t n, bool with_drag)
{
	const struct dag *dag = &a->net->dag;
	int64_t *drag = mem_zero(n, sizeof *drag);

	if (with_drag)
		dag_drag(dag, vertices, n, drag);
	*p = (struct path){ .steps = mem_zero(n, sizeof *p->steps) };
	for (size_t i = 0; i < n; i++) {
		if (network_task(a->net, vertices[i]) == NULL)
			continue;
		p->steps[p->n++] = (struct step){ .vertex = vertices[i],
		    .drag_us = drag[i] };
		p->length_us += dag->weight[vertices[i]];
	}
	account(p, a);
	free(drag);
}

/* Of the tasks on no path yet, the one with the longest path through it. */
static uint32_t
longest_left(const struct network *net, const bool *covered)
{
	int64_t through, most = -1;
	uint32_t best = INDEX_NONE;

	for (uint32_t v = 0; v < net->n_vertices; v++) {
		if (covered[v] || network_task(net, v) == NULL)
			continue;
		through = dag_through(&net->dag, v);
		if (through > most || (through == most && best != INDEX_NONE &&
		    net->dag.compare(net, v, best) < 0)) {
			most = through;
			best = v;
		}
	}
	return best;
}

void
answer_find(struct answer *a, const struct network *net, size_t n,
    bool what_if)
{
	bool *covered = mem_zero(net->n_vertices, sizeof *covered);
	uint32_t v = best_end(net), *vertices;
	size_t length;

	*a = (struct answer){ .net = net, .n_wanted = n,
	    .what_if = what_if };
	a->paths = mem_zero(n, sizeof *a->paths);
	while (a->n_paths < n && v != INDEX_NONE) {
		vertices = a->n_paths == 0 ?
		    dag_path_to(&net->dag, v, &length) :
		    dag_path_through(&net->dag, v, &length);
		for (size_t i = 0; i < length; i++)
			covered[vertices[i]] = true;
		set_steps(&a->paths[a->n_paths], a, vertices, length,
		    a->n_paths == 0);
		a->n_paths++;
		free(vertices);
		v = a->n_paths < n ? longest_left(net, covered) : INDEX_NONE;
	}
	free(covered);
}

void
answer_release(struct answer *a)
{
	for (size_t i = 0; i < a->n_paths; i++)
		free(a->paths[i].steps);
	free(a->paths);
}

bool
answer_slack(const struct answer *a, uint32_t vertex, int64_t *slack_us)
{
	int64_t through = dag_through(&a->net->dag, vertex);

	if (through < 0)
		return false;
	*slack_us = a->paths[0].length_us - through;
	return true;
}

struct kind_time *
answer_by_kind(const struct answer *a, const struct path *p, size_t *n)
{
	struct kind_time *kinds = NULL;
	size_t cap = 0, k;
	sym kind;

	*n = 0;
	for (size_t i = 0; i < p->n; i++) {
		kind = network_task(a->net, p->steps[i].vertex)->kind;
		for (k = 0; k < *n && kinds[k].kind != kind; k++)
			;
		if (k == *n) {
			kinds = mem_grow(kinds, &cap, ++*n, sizeof *kinds);
			kinds[k] = (struct kind_time){ kind, 0 };
		}
		kinds[k].us += a->net->dag.weight[p->steps[i].vertex];
	}
	return kinds;
}

static void
put_name(struct buf *b, const char *key, const struct answer *a, sym s)
{
	if (s != SYM_NONE)
		json_str(b, key, intern_span(&a->net->build->names, s));
}

static void
put_task(struct buf *b, const struct answer *a, uint32_t vertex)
{
	const struct task *t = network_task(a->net, vertex);
	struct buf id = { 0 };

	network_put_id(a->net, vertex, &id);
	json_str(b, "id", span_of(id.data, id.len));
	buf_release(&id);
	put_name(b, "kind", a, t->kind);
	put_name(b, "rule", a, build_rule(a->net->build, t));
	if (t->kind == a->net->build->copy) {
		put_name(b, "uid", a, t->uid);
		put_name(b, "consumer", a, t->consumer);
	}
	put_name(b, "host", a, t->host);
	if ((t->flags & TASK_CACHED) != 0)
		json_true(b, "from_cache");
	if (t->start_us != INT_UNKNOWN)
		json_int(b, "start_us", t->start_us);
	json_int(b, "elapsed_us", a->net->dag.weight[vertex]);
}

static void
emit_step(const struct answer *a, struct filter *f, size_t path, size_t i)
{
	const struct path *p = &a->paths[path];
	const struct step *s = &p->steps[i];
	struct buf *b = filter_out(f);

	json_begin(b, "critical");
	if (a->n_wanted > 1)
		json_uint(b, "path", path + 1);
	json_uint(b, "step", i + 1);
	put_task(b, a, s->vertex);
	if (p->timed && s->waiting_us >= 0)
		json_int(b, "waiting_us", s->waiting_us);
	if (p->timed && s->waiting_us < 0)
		json_int(b, "overlap_us", -s->waiting_us);
	if (p->length_us > 0)
		json_ratio(b, "share", (double)a->net->dag.weight[s->vertex] /
		    (double)p->length_us);
	if (path == 0)
		json_int(b, "potential_us", s->drag_us);
	json_end(b);
	filter_emit(f);
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
put_account(struct buf *b, const struct answer *a, const struct path *p)
{
	const struct build *build = a->net->build;

	if (build->start_us != INT_UNKNOWN)
		json_int(b, "wall_us", build->end_us - build->start_us);
	if (!p->timed)
		return;
	json_int(b, "waiting_us", p->waiting_us);
	json_int(b, "overlap_us", p->overlap_us);
	json_int(b, "after_us", p->after_us);
}

static void
put_what_if(struct buf *b, const struct answer *a)
{
	if (a->what_if) {
		json_int(b, "recorded_us", a->recorded_us);
		json_int(b, "saved_us", a->recorded_us -
		    a->paths[0].length_us);
	}
	if (a->workers > 0) {
		json_uint(b, "workers", a->workers);
		json_int(b, "simulated_us", a->simulated_us);
	}
}

static void
emit_summary(const struct answer *a, struct filter *f, size_t path)
{
	const struct path *p = &a->paths[path];
	struct buf *b = filter_out(f);

	json_begin(b, "critpath");
	if (a->n_wanted > 1) {
		json_uint(b, "path", path + 1);
		json_int(b, "slack_us", a->paths[0].length_us - p->length_us);
	}
	json_int(b, "length_us", p->length_us);
	put_account(b, a, p);
	json_uint(b, "steps", p->n);
	put_by_kind(b, a, p);
	if (path == 0) {
		put_what_if(b, a);
		json_uint(b, "tasks", a->net->n_tasks);
		json_uint(b, "edges", a->net->dag.n_edges);
		json_uint(b, "cut", a->net->n_cut);
		json_uint(b, "skewed", a->net->build->n_skewed);
		json_uint(b, "retries", a->net->build->n_retries);
	}
	json_end(b);
	filter_emit(f);
}

static const struct network *sorted;	/* qsort has no context */

/* By start, and then by id. */
static int
compare_starts(const void *x, const void *y)
{
	uint32_t v = *(const uint32_t *)x, w = *(const uint32_t *)y;
	int64_t a = network_task(sorted, v)->start_us;
	int64_t b = network_task(sorted, w)->start_us;

	return a != b ? (a > b) - (a < b) :
	    sorted->dag.compare(sorted, v, w);
}

/* The drag of every vertex: 0 off the critical path. */
static int64_t *
drags(const struct answer *a)
{
	int64_t *drag = mem_zero(a->net->n_vertices, sizeof *drag);

	for (size_t i = 0; i < a->paths[0].n; i++)
		drag[a->paths[0].steps[i].vertex] =
		    a->paths[0].steps[i].drag_us;
	return drag;
}

static void
emit_all(const struct answer *a, struct filter *f)
{
	uint32_t *vertices = mem_resize(NULL, a->net->n_tasks,
	    sizeof *vertices);
	int64_t *drag = drags(a), slack_us;
	struct buf *b = filter_out(f);
	size_t n = 0;

	for (uint32_t v = 0; v < a->net->n_vertices; v++)
		if (network_task(a->net, v) != NULL)
			vertices[n++] = v;
	sorted = a->net;
	qsort(vertices, n, sizeof *vertices, compare_starts);
	for (size_t i = 0; i < n; i++) {
		json_begin(b, "task");
		put_task(b, a, vertices[i]);
		if (answer_slack(a, vertices[i], &slack_us))
			json_int(b, "slack_us", slack_us);
		json_int(b, "drag_us", drag[vertices[i]]);
		json_end(b);
		filter_emit(f);
	}
	free(vertices);
	free(drag);
}

void
answer_emit(const struct answer *a, struct filter *f, bool all)
{
	if (a->n_paths == 0)
		return;
	if (all)
		emit_all(a, f);
	for (size_t path = 0; path < a->n_paths; path++)
		for (size_t i = 0; i < a->paths[path].n; i++)
			emit_step(a, f, path, i);
	for (size_t path = a->n_paths; path-- > 0;)
		emit_summary(a, f, path);
}
