/* dag-simulate - how long workers take to do all there is in a graph */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/build/dag.h"

/* A heap of vertices, the least key first, ties by compare. */
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

struct simulation {
	const struct dag *d;
	const bool *is_free;
	uint32_t *waits_for;	/* deps that have not ended */
	uint32_t *row, *consumer;	/* as in the dag, the other way */
	struct heap ready, running;
	uint64_t idle;		/* workers */
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

/* v's dependencies have all ended. */
static void
make_ready(struct simulation *s, uint32_t v)
{
	const struct dag *d = s->d;
	int64_t to_go = d->weight[v] + (d->tail[v] > 0 ? d->tail[v] : 0);

	if (s->is_free[v])
		heap_push(&s->running, s->now + d->weight[v], v);
	else
		heap_push(&s->ready, -to_go, v);
}

static void
start_ready(struct simulation *s)
{
	uint32_t v;

	for (; s->idle > 0 && s->ready.n > 0; s->idle--) {
		v = heap_pop(&s->ready).v;
		heap_push(&s->running, s->now + s->d->weight[v], v);
	}
}

/* Ends all that end now, and what by that becomes ready and takes no time. */
static void
end_running(struct simulation *s)
{
	struct heap_item item;

	while (s->running.n > 0 && s->running.items[0].key == s->now) {
		item = heap_pop(&s->running);
		s->idle += !s->is_free[item.v];
		for (uint32_t i = s->row[item.v]; i < s->row[item.v + 1]; i++)
			if (--s->waits_for[s->consumer[i]] == 0)
				make_ready(s, s->consumer[i]);
	}
}

int64_t
dag_simulate(const struct dag *d, uint64_t workers, const bool *is_free)
{
	struct simulation s = { .d = d, .is_free = is_free, .idle = workers,
	    .ready.d = d, .running.d = d };

	reverse_edges(&s);
	s.waits_for = mem_resize(NULL, d->n, sizeof *s.waits_for);
	for (uint32_t v = 0; v < d->n; v++)
		s.waits_for[v] = d->row[v + 1] - d->row[v];
	for (uint32_t v = 0; v < d->n; v++)
		if (s.waits_for[v] == 0)
			make_ready(&s, v);
	for (;;) {
		end_running(&s);
		start_ready(&s);
		if (s.running.n == 0)
			break;
		s.now = s.running.items[0].key;
	}
	free(s.waits_for);
	free(s.row);
	free(s.consumer);
	free(s.ready.items);
	free(s.running.items);
	return s.now;
}
