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

	if (t != NULL)
		build_put_id(net->build, t, b);
	else
		buf_str(b, intern_str(&net->build->names, net->id_of[vertex]));
}

static void
add_vertex(struct network *net, sym id, uint32_t task)
{
	uint32_t v = (uint32_t)net->n_vertices++;

	net->task_of[v] = task;
	net->id_of[v] = id;
	net->next_of[v] = net->first_of[id];
	net->first_of[id] = v;
}

/*
 * A sum over many moments is no task of its own, and what prepared no host
 * in particular did not hold anybody up.  All attempts at a task depend on all
 * at another: a log that repeats itself for ever must not make that many.
 */
enum { ATTEMPTS_MOST = 8 };

static bool
takes_part(const struct build *b, const struct task *t)
{
	return t->elapsed_us != TIME_UNKNOWN &&
	    (t->flags & (TASK_DEAD | TASK_TOTAL)) == 0 &&
	    t->attempt <= ATTEMPTS_MOST &&
	    (t->kind != b->prepare || t->host != SYM_NONE);
}

static void
add_tasks(struct network *net)
{
	const struct task *t = net->build->tasks;

	for (uint32_t i = 0; i < net->build->n_tasks; i++, t++) {
		if (!takes_part(net->build, t))
			continue;
		add_vertex(net, t->id, i);
		net->n_tasks++;
		net->n_early += (t->flags & TASK_EARLY) != 0;
	}
}

static void
add_stand_in(struct network *net, sym id)
{
	if (net->first_of[id] == DAG_NONE)
		add_vertex(net, id, NO_TASK);
}

static void
add_stand_ins(struct network *net)
{
	const struct build *b = net->build;

	for (size_t i = 0; i < b->n_nodes; i++)
		if (net->bridge || (b->nodes[i].flags & NODE_PHONY) != 0)
			add_stand_in(net, b->nodes[i].id);
	for (size_t i = 0; net->bridge && i < b->n_tasks; i++)
		if (b->tasks[i].kind != b->copy)
			add_stand_in(net, b->tasks[i].id);
}

static uint32_t *
none(size_t n)
{
	uint32_t *array = mem_resize(NULL, n, sizeof *array);

	memset(array, 0xff, n * sizeof *array);
	return array;
}

static void
add_vertices(struct network *net)
{
	size_t most = net->build->n_tasks + net->build->n_nodes;

	net->task_of = mem_resize(NULL, most, sizeof *net->task_of);
	net->id_of = mem_resize(NULL, most, sizeof *net->id_of);
	net->next_of = mem_resize(NULL, most, sizeof *net->next_of);
	net->first_of = none(net->build->names.n);
	add_tasks(net);
	add_stand_ins(net);
}

bool
network_next(const struct network *net, sym id, uint32_t *at)
{
	*at = *at == DAG_NONE ? net->first_of[id] : net->next_of[*at];
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
	if (found)
		return;
	net->cuts = mem_grow(net->cuts, &net->cuts_cap, net->n_cuts + 1,
	    sizeof *net->cuts);
	net->cuts[net->n_cuts++] = (uint64_t)v << 32 | dep;
}

static int
compare_cuts(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void
count_cuts(struct network *net)
{
	if (net->n_cuts > 0)
		qsort(net->cuts, net->n_cuts, sizeof *net->cuts,
		    compare_cuts);
	for (size_t i = 0; i < net->n_cuts; i++)
		net->n_cut += i == 0 || net->cuts[i] != net->cuts[i - 1];
	free(net->cuts);
	net->cuts = NULL;
}

/*
 * Asks for where an id's vertices begin, some steps before it is needed: what
 * tasks name lies all over memory, and waiting for it took a twentieth of the
 * time of a million.
 */
enum { AHEAD = 12 };

static void
expect(const struct network *net, sym id)
{
	if (id != SYM_NONE)
		__builtin_prefetch(&net->first_of[id]);
}

static void
add_named(struct network *net)
{
	const struct dependency *d = net->build->deps;
	size_t n = net->build->n_deps;
	uint32_t v;

	for (size_t i = 0; i < n; i++, d++) {
		if (i + AHEAD < n) {
			expect(net, d[AHEAD].id);
			expect(net, d[AHEAD].dep);
		}
		for (v = DAG_NONE; network_next(net, d->id, &v);)
			depend(net, v, d->dep);
	}
}

/*
 * A copy depends on the run that made what is copied; the run that consumes
 * it depends on the copy, if it ran where the copy went.
 */
static void
add_copy(struct network *net, uint32_t v, const struct task *copy)
{
	const struct task *consumer;
	uint32_t w = DAG_NONE;

	if (copy->uid != SYM_NONE)
		depend(net, v, copy->uid);
	if (copy->consumer == SYM_NONE)
		return;
	while (network_next(net, copy->consumer, &w)) {
		consumer = network_task(net, w);
		if (consumer != NULL && consumer->kind == net->build->run &&
		    consumer->host == copy->host)
			dag_add(&net->dag, w, v);
	}
}

/* By symbol of a host: its longest prepare task, or DAG_NONE. */
static uint32_t *
longest_prepares(const struct network *net)
{
	uint32_t *best = none(net->build->names.n);
	const struct task *t, *other;

	for (uint32_t v = 0; v < net->n_vertices; v++) {
		t = network_task(net, v);
		if (t == NULL || t->kind != net->build->prepare)
			continue;
		other = best[t->host] == DAG_NONE ? NULL :
		    network_task(net, best[t->host]);
		if (other == NULL || t->elapsed_us > other->elapsed_us ||
		    (t->elapsed_us == other->elapsed_us &&
		    build_compare(net->build, t, other) < 0))
			best[t->host] = v;
	}
	return best;
}

/*
 * The rules that go by kind.  Shorter prepare tasks of a host cannot lie on
 * the critical path.
 */
static void
add_by_kind(struct network *net)
{
	const struct build *b = net->build;
	uint32_t *longest = longest_prepares(net);
	const struct task *t, *ahead;

	for (uint32_t v = 0; v < net->n_vertices; v++) {
		t = network_task(net, v);
		if (t == NULL || (t->kind != b->run && t->kind != b->copy))
			continue;
		if (v + AHEAD < net->n_vertices &&
		    (ahead = network_task(net, v + AHEAD)) != NULL) {
			expect(net, ahead->uid);
			expect(net, ahead->consumer);
		}
		if (t->kind == b->copy)
			add_copy(net, v, t);
		if (t->host != SYM_NONE && longest[t->host] != DAG_NONE)
			dag_add(&net->dag, v, longest[t->host]);
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
	add_vertices(net);
	dag_init(&net->dag, net->n_vertices, compare_vertices, net);
	set_weights_and_ends(net);
	add_named(net);
	add_by_kind(net);
	count_cuts(net);
	dag_seal(&net->dag, on_cycle, to);
}

void
network_release(struct network *net)
{
	dag_release(&net->dag);
	free(net->task_of);
	free(net->id_of);
	free(net->next_of);
	free(net->first_of);
	free(net->is_end);
}
