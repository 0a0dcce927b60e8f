/* network - the tasks of a build, tied by their dependencies */

#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "filters/critpath/network.h"

static int
compare_vertices(const void *context, uint32_t a, uint32_t b)
{
	const struct network *net = context;
	const struct task *x = network_task(net, a);
	const struct task *y = network_task(net, b);

	if (x != NULL && y != NULL)
		return build_compare(net->build, x, y);
	return intern_cmp(&net->build->names, net->id_of[a], net->id_of[b]);
}

const struct task *
network_task(const struct network *net, uint32_t vertex)
{
	uint32_t task = net->task_of[vertex];

	return task == NO_TASK ? NULL : &net->build->tasks[task];
}

void
network_put_id(const struct network *net, uint32_t vertex, struct buf *b)
{
	const struct task *t = network_task(net, vertex);
	struct span id = intern_span(&net->build->names, net->id_of[vertex]);

	buf_add(b, id.p, id.n);
	if (t != NULL && t->attempt > 1)
		buf_printf(b, "#%u", (unsigned)t->attempt);
}

static uint32_t
add_vertex(struct network *net, sym id, uint32_t task)
{
	uint32_t v = (uint32_t)net->n_vertices++;

	net->task_of = mem_grow(net->task_of, &net->cap, net->n_vertices,
	    sizeof *net->task_of);
	net->id_of = mem_grow(net->id_of, &net->ids_cap, net->n_vertices,
	    sizeof *net->id_of);
	net->task_of[v] = task;
	net->id_of[v] = id;
	return v;
}

/*
 * A sum over many moments is no task of its own, and what prepared no host
 * in particular did not hold anybody up.
 */
static bool
takes_part(const struct build *b, const struct task *t)
{
	return t->elapsed_us != TIME_UNKNOWN &&
	    (t->flags & (TASK_DEAD | TASK_TOTAL)) == 0 &&
	    (t->kind != b->prepare || t->host != SYM_NONE);
}

static void
add_tasks(struct network *net)
{
	const struct build *b = net->build;

	net->vertex_of = mem_resize(NULL, b->n_tasks, sizeof(uint32_t));
	for (uint32_t i = 0; i < b->n_tasks; i++) {
		net->vertex_of[i] = DAG_NONE;
		if (!takes_part(b, &b->tasks[i]))
			continue;
		net->vertex_of[i] = add_vertex(net, b->tasks[i].id, i);
		net->n_tasks++;
		net->n_early += (b->tasks[i].flags & TASK_EARLY) != 0;
	}
}

static bool
has_vertex(const struct network *net, sym id)
{
	for (uint32_t t = build_task(net->build, id); t != NO_TASK;
	    t = net->build->tasks[t].next)
		if (net->vertex_of[t] != DAG_NONE)
			return true;
	return false;
}

static void
add_stand_in(struct network *net, sym id)
{
	if (net->stand_in_of[id] == DAG_NONE && !has_vertex(net, id))
		net->stand_in_of[id] = add_vertex(net, id, NO_TASK);
}

static void
add_stand_ins(struct network *net)
{
	const struct build *b = net->build;

	net->n_symbols = b->names.n;
	net->stand_in_of = mem_resize(NULL, b->names.n, sizeof(uint32_t));
	memset(net->stand_in_of, 0xff, b->names.n * sizeof(uint32_t));
	for (size_t i = 0; i < b->n_nodes; i++)
		if (net->bridge || (b->nodes[i].flags & NODE_PHONY) != 0)
			add_stand_in(net, b->nodes[i].id);
	for (size_t i = 0; net->bridge && i < b->n_tasks; i++)
		if (b->tasks[i].kind != b->copy)
			add_stand_in(net, b->tasks[i].id);
}

bool
network_next(const struct network *net, sym id, uint32_t *at)
{
	const struct build *b = net->build;
	uint32_t t;

	if (*at == DAG_NONE) {
		if (net->stand_in_of[id] != DAG_NONE) {
			*at = net->stand_in_of[id];
			return true;
		}
		t = build_task(b, id);
	} else {
		t = net->task_of[*at];
		if (t != NO_TASK)
			t = b->tasks[t].next;
	}
	while (t != NO_TASK && net->vertex_of[t] == DAG_NONE)
		t = b->tasks[t].next;
	*at = t == NO_TASK ? DAG_NONE : net->vertex_of[t];
	return *at != DAG_NONE;
}

/* v depends on all that goes by the id dep; one without a time is cut. */
static void
depend(struct network *net, uint32_t v, sym dep)
{
	uint32_t w = DAG_NONE;
	bool found = false;

	while (network_next(net, dep, &w)) {
		dag_add(&net->dag, v, w);
		found = true;
	}
	net->n_cut += !found;
}

static void
add_named(struct network *net)
{
	const struct dependency *d = net->build->deps;
	uint32_t v;

	for (size_t i = 0; i < net->build->n_deps; i++, d++)
		for (v = DAG_NONE; network_next(net, d->id, &v);)
			depend(net, v, d->dep);
}

/*
 * A copy depends on the run that made what is copied; the run that consumes
 * it depends on the copy, if it ran where the copy went.
 */
static void
add_copies(struct network *net)
{
	const struct build *b = net->build;
	const struct task *t, *consumer;
	uint32_t v;

	for (size_t i = 0; i < b->n_tasks; i++) {
		t = &b->tasks[i];
		if (t->kind != b->copy || net->vertex_of[i] == DAG_NONE)
			continue;
		if (t->uid != SYM_NONE)
			depend(net, net->vertex_of[i], t->uid);
		if (t->consumer == SYM_NONE)
			continue;
		for (v = DAG_NONE; network_next(net, t->consumer, &v);) {
			consumer = network_task(net, v);
			if (consumer != NULL && consumer->kind == b->run &&
			    consumer->host == t->host)
				dag_add(&net->dag, v, net->vertex_of[i]);
		}
	}
}

/* By symbol of a host: its longest prepare task, or DAG_NONE. */
static uint32_t *
longest_prepares(const struct network *net)
{
	const struct build *b = net->build;
	uint32_t *best = mem_resize(NULL, b->names.n, sizeof *best);
	const struct task *t, *other;

	memset(best, 0xff, b->names.n * sizeof *best);
	for (size_t i = 0; i < b->n_tasks; i++) {
		t = &b->tasks[i];
		if (t->kind != b->prepare || net->vertex_of[i] == DAG_NONE)
			continue;
		other = best[t->host] == DAG_NONE ? NULL :
		    network_task(net, best[t->host]);
		if (other == NULL || t->elapsed_us > other->elapsed_us ||
		    (t->elapsed_us == other->elapsed_us &&
		    build_compare(b, t, other) < 0))
			best[t->host] = net->vertex_of[i];
	}
	return best;
}

/* Shorter prepare tasks of a host cannot lie on the critical path. */
static void
add_prepares(struct network *net)
{
	const struct build *b = net->build;
	uint32_t *longest = longest_prepares(net);
	const struct task *t;

	for (size_t i = 0; i < b->n_tasks; i++) {
		t = &b->tasks[i];
		if (net->vertex_of[i] != DAG_NONE && t->host != SYM_NONE &&
		    (t->kind == b->run || t->kind == b->copy) &&
		    longest[t->host] != DAG_NONE)
			dag_add(&net->dag, net->vertex_of[i],
			    longest[t->host]);
	}
	free(longest);
}

/* A path ends with a task that is no copy. */
static void
set_weights_and_ends(struct network *net)
{
	const struct task *t;

	net->is_end = mem_zero(net->n_vertices, sizeof *net->is_end);
	for (uint32_t v = 0; v < net->n_vertices; v++) {
		t = network_task(net, v);
		net->dag.weight[v] = t == NULL ? 0 : t->elapsed_us;
		net->is_end[v] = t != NULL && t->kind != net->build->copy;
	}
}

void
network_make(struct network *net, const struct build *build, bool bridge,
    void (*on_cycle)(void *to, const uint32_t *cycle, size_t n), void *to)
{
	*net = (struct network){ .build = build, .bridge = bridge };
	add_tasks(net);
	add_stand_ins(net);
	dag_init(&net->dag, net->n_vertices, compare_vertices, net);
	set_weights_and_ends(net);
	add_named(net);
	add_copies(net);
	add_prepares(net);
	dag_seal(&net->dag, on_cycle, to);
}

void
network_release(struct network *net)
{
	dag_release(&net->dag);
	free(net->task_of);
	free(net->id_of);
	free(net->vertex_of);
	free(net->stand_in_of);
	free(net->is_end);
}
