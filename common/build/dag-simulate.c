/* dag-simulate - how long a number of workers takes for all of a graph */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/build/dag.h"

/* A binary heap of vertices, the smallest key first, ties by compare. */
struct heap {
	const struct dag *d;
	struct heap_item {
		int64_t key;
		uint32_t v;
	} *items;
	size_t n, cap;
};

static bool
comes_before(const struct heap *h, struct heap_item a, struct heap_item b)
{
	if (a.key != b.key)
		return a.key < b.key;
	return h->d->compare(h->d->context, a.v, b.v) < 0;
}

static void
heap_push(struct heap *h, int64_t key, uint32_t v)
{
	struct heap_item item = { key, v };
	size_t i, parent;

	h->items = mem_grow(h->items, &h->cap, h->n + 1, sizeof *h->items);
	for (i = h->n++; i > 0; i = parent) {
		parent = (i - 1) / 2;
		if (!comes_before(h, item, h->items[parent]))
			break;
		h->items[i] = h->items[parent];
	}
	h->items[i] = item;
}

static struct heap_item
heap_pop(struct heap *h)
{
	struct heap_item top = h->items[0], item = h->items[--h->n];
	size_t i = 0, child;

	for (; (child = i * 2 + 1) < h->n; i = child) {
		if (child + 1 < h->n && comes_before(h, h->items[child + 1],
		    h->items[child]))
			child++;
		if (!comes_before(h, h->items[child], item))
			break;
		h->items[i] = h->items[child];
	}
	h->items[i] = item;
	return top;
}

/*
 * List scheduling.  Time jumps from the end of one vertex to the next end.
 * What has become ready by then goes into a heap, the vertex with the longest
 * path still to go on top, and idle workers take from there.
 */
struct simulation {
	const struct dag *d;
	const bool *needs_no_worker;
	uint32_t *n_waiting;	/* by vertex: deps that have not ended */
	uint32_t *row;		/* as in the dag, but from a vertex to those */
	uint32_t *consumer;	/* that depend on it */
	struct heap ready;	/* key: the length of the path to go, negated */
	struct heap running;	/* key: the time it ends */
	uint64_t n_idle;	/* workers */
	int64_t now;
};

static void
reverse_edges(struct simulation *s)
{
	const struct dag *d = s->d;

	s->row = mem_zero(d->n + 2, sizeof *s->row);
	s->consumer = mem_resize(NULL, d->n_edges, sizeof *s->consumer);
	for (size_t i = 0; i < d->n_edges; i++)
		s->row[d->dep[i] + 2]++;
	for (size_t v = 2; v <= d->n + 1; v++)
		s->row[v] += s->row[v - 1];
	for (uint32_t v = 0; v < d->n; v++)
		for (uint32_t i = d->row[v]; i < d->row[v + 1]; i++)
			s->consumer[s->row[d->dep[i] + 1]++] = v;
}

/* All dependencies of v have ended. */
static void
make_ready(struct simulation *s, uint32_t v)
{
	const struct dag *d = s->d;
	int64_t to_go = d->weight[v] + (d->tail[v] > 0 ? d->tail[v] : 0);

	if (s->needs_no_worker[v])
		heap_push(&s->running, s->now + d->weight[v], v);
	else
		heap_push(&s->ready, -to_go, v);
}

static void
start_ready(struct simulation *s)
{
	uint32_t v;

	for (; s->n_idle > 0 && s->ready.n > 0; s->n_idle--) {
		v = heap_pop(&s->ready).v;
		heap_push(&s->running, s->now + s->d->weight[v], v);
	}
}

/* Ends what ends now, which may include tasks that become ready by it. */
static void
end_running(struct simulation *s)
{
	struct heap_item item;

	while (s->running.n > 0 && s->running.items[0].key == s->now) {
		item = heap_pop(&s->running);
		s->n_idle += !s->needs_no_worker[item.v];
		for (uint32_t i = s->row[item.v]; i < s->row[item.v + 1]; i++)
			if (--s->n_waiting[s->consumer[i]] == 0)
				make_ready(s, s->consumer[i]);
	}
}

int64_t
dag_simulate(const struct dag *d, uint64_t workers,
    const bool *needs_no_worker)
{
	struct simulation s = { .d = d, .needs_no_worker = needs_no_worker,
	    .n_idle = workers, .ready.d = d, .running.d = d };

	reverse_edges(&s);
	s.n_waiting = mem_resize(NULL, d->n, sizeof *s.n_waiting);
	for (uint32_t v = 0; v < d->n; v++)
		s.n_waiting[v] = d->row[v + 1] - d->row[v];
	for (uint32_t v = 0; v < d->n; v++)
		if (s.n_waiting[v] == 0)
			make_ready(&s, v);
	for (;;) {
		end_running(&s);
		start_ready(&s);
		if (s.running.n == 0)
			break;
		s.now = s.running.items[0].key;
	}
	free(s.n_waiting);
	free(s.row);
	free(s.consumer);
	free(s.ready.items);
	free(s.running.items);
	return s.now;
}
