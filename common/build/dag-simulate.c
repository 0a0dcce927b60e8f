/* dag-simulate - simulates how a number of workers completes a graph */

#include <stdlib.h>

#include "common/base/heap.h"
#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/build/dag-simulate.h"
#include "common/build/dag.h"

/*
 * List scheduling, as an event simulation: time jumps from the end of one
 * vertex to the next end.  Vertices that have become ready by then go into a
 * heap, from which idle workers take the one with the longest remaining path.
 *
 * The values in the heaps are vertices, or their ranks if the graph has them:
 * then no call is needed to decide a tie.
 */
struct simulation {
	const struct dag *d;
	bool in_order;
	const bool *needs_no_worker;
	uint32_t *n_unfinished;	/* by vertex: deps that have not ended */

	/* The reversed graph, in rows like the dag's: the vertices that depend
	   on v are dependent[row[v]] .. dependent[row[v+1]-1]. */
	uint32_t *row;
	uint32_t *dependent;

	struct heap ready;	/* key: the vertex, if in_order; else minus the
				   length of the longest path from it to an
				   end, including its weight; if it reaches no
				   end, minus its weight */
	struct heap running;	/* key: the time at which the vertex ends */
	/* Only if in_order: vertices that have become ready too late for this
	   pass over all of them, the first one that is not passed yet, and one
	   that waits for a worker, or INDEX_NONE. */
	struct heap passed;
	uint32_t next, held;
	uint64_t n_idle_workers;
	const struct dag_pools *pools;	/* or NULL */
	struct pool {
		uint64_t n_running;
		struct heap waiting;	/* ready, but the pool was full */
	} *by_pool;
	int64_t now;		/* since the start, in the unit of weights */
};

/*
 * A counting sort of the edges by dependency, like make_rows() in dag.c, which
 * explains the offsets.
 */
static void
reverse_edges(struct simulation *s)
{
	const struct dag *d = s->d;

	s->row = mem_zero(d->n + 2, sizeof *s->row);
	s->dependent = mem_resize(NULL, d->n_edges, sizeof *s->dependent);
	for (size_t i = 0; i < d->n_edges; i++)
		s->row[d->dep[i] + 2]++;
	for (size_t v = 2; v <= d->n + 1; v++)
		s->row[v] += s->row[v - 1];
	for (uint32_t v = 0; v < d->n; v++)
		for (uint32_t i = d->row[v]; i < d->row[v + 1]; i++)
			s->dependent[s->row[d->dep[i] + 1]++] = v;
}

static void
push(const struct simulation *s, struct heap *h, int64_t key, uint32_t v)
{
	heap_push(h, key, s->d->rank != NULL ? s->d->rank[v] : v);
}

/* Removes the first item; its value is a vertex. */
static struct heap_item
pop(const struct simulation *s, struct heap *h)
{
	struct heap_item item = heap_pop(h);

	if (s->d->rank != NULL)
		item.value = s->d->by_rank[item.value];
	return item;
}

/*
 * Starts v, or queues it for a worker.  Call it when all dependencies of v have
 * ended.
 */
static void
make_ready(struct simulation *s, uint32_t v)
{
	const struct dag *d = s->d;
	int64_t remaining = d->weight[v] + (d->tail[v] > 0 ? d->tail[v] : 0);

	if (s->needs_no_worker[v])
		push(s, &s->running, s->now + d->weight[v], v);
	else if (s->in_order)
		push(s, v < s->next ? &s->passed : &s->ready, v, v);
	else
		push(s, &s->ready, -remaining, v);
}

/* The pool of a vertex that needs a worker; NULL if it is in none. */
static struct pool *
pool_of(const struct simulation *s, uint32_t v)
{
	return s->pools == NULL || s->pools->of[v] == INDEX_NONE ? NULL :
	    &s->by_pool[s->pools->of[v]];
}

/* Gives a ready vertex to an idle worker, or makes it wait for its pool. */
static void
start(struct simulation *s, struct heap_item item)
{
	struct pool *pool = pool_of(s, item.value);

	if (pool != NULL && pool->n_running ==
	    s->pools->limits[pool - s->by_pool]) {
		push(s, &pool->waiting, item.key, item.value);
		return;
	}
	if (pool != NULL)
		pool->n_running++;
	s->n_idle_workers--;
	push(s, &s->running, s->now + s->d->weight[item.value], item.value);
}

static void
start_longest(struct simulation *s)
{
	while (s->n_idle_workers > 0 && s->ready.n > 0)
		start(s, pop(s, &s->ready));
}

/*
 * GNU make passes over all targets in their order.  If it meets a ready one and
 * no worker is idle, it waits for a worker, and goes on from there: what has
 * become ready meanwhile, and is before it, waits for the next pass.  After a
 * pass it waits until something ends.
 */
static void
start_in_order(struct simulation *s)
{
	struct heap empty;

	for (;;) {
		if (s->held == INDEX_NONE && s->ready.n == 0) {
			empty = s->ready;
			s->ready = s->passed;
			s->passed = empty;
			s->next = 0;
			if (s->running.n > 0 || s->ready.n == 0)
				return;
		}
		if (s->held == INDEX_NONE) {
			s->held = pop(s, &s->ready).value;
			s->next = s->held + 1;
		}
		if (s->n_idle_workers == 0)
			return;
		start(s, (struct heap_item){ s->held, s->held });
		s->held = INDEX_NONE;
	}
}

/* The pool of a vertex that has ended has room for another. */
static void
leave_pool(struct simulation *s, uint32_t v)
{
	struct pool *pool = pool_of(s, v);
	struct heap_item item;

	if (pool == NULL)
		return;
	pool->n_running--;
	if (pool->waiting.n == 0)
		return;
	item = pop(s, &pool->waiting);
	push(s, s->in_order && item.value < s->next ? &s->passed : &s->ready,
	    item.key, item.value);
}

/*
 * Ends all vertices that are due now.  Vertices that become ready as a result
 * end in the same call if they take no time and need no worker.
 */
static void
end_due(struct simulation *s)
{
	uint32_t v;

	while (s->running.n > 0 && s->running.items[0].key == s->now) {
		v = pop(s, &s->running).value;
		if (!s->needs_no_worker[v]) {
			s->n_idle_workers++;
			leave_pool(s, v);
		}
		for (uint32_t i = s->row[v]; i < s->row[v + 1]; i++)
			if (--s->n_unfinished[s->dependent[i]] == 0)
				make_ready(s, s->dependent[i]);
	}
}

int64_t
dag_simulate(const struct dag *d, uint64_t workers, bool in_order,
    const bool *needs_no_worker, const struct dag_pools *pools)
{
	struct simulation s = { .d = d, .in_order = in_order,
	    .needs_no_worker = needs_no_worker,
	    .n_idle_workers = workers, .pools = pools,
	    .held = INDEX_NONE,
	    .ready = { .compare = d->rank != NULL ? NULL : d->compare,
	    .context = d->context } };

	s.running = s.ready;
	s.by_pool = mem_zero(pools == NULL ? 0 : pools->n, sizeof *s.by_pool);
	for (size_t i = 0; pools != NULL && i < pools->n; i++)
		s.by_pool[i].waiting = s.ready;
	reverse_edges(&s);
	s.n_unfinished = mem_resize(NULL, d->n, sizeof *s.n_unfinished);
	for (uint32_t v = 0; v < d->n; v++)
		s.n_unfinished[v] = d->row[v + 1] - d->row[v];
	for (uint32_t v = 0; v < d->n; v++)
		if (s.n_unfinished[v] == 0)
			make_ready(&s, v);
	for (;;) {
		end_due(&s);
		(in_order ? start_in_order : start_longest)(&s);
		if (s.running.n == 0)
			break;
		s.now = s.running.items[0].key;
	}
	free(s.n_unfinished);
	free(s.row);
	free(s.dependent);
	heap_release(&s.ready);
	heap_release(&s.passed);
	heap_release(&s.running);
	for (size_t i = 0; pools != NULL && i < pools->n; i++)
		heap_release(&s.by_pool[i].waiting);
	free(s.by_pool);
	return s.now;
}
