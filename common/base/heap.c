/* heap - a priority queue */

#include <stdbool.h>
#include <stdlib.h>

#include "common/base/heap.h"
#include "common/base/mem.h"

static bool
comes_before(const struct heap *h, struct heap_item a, struct heap_item b)
{
	if (a.key != b.key)
		return a.key < b.key;
	if (h->compare != NULL)
		return h->compare(h->context, a.value, b.value) < 0;
	return a.value < b.value;
}

void
heap_push(struct heap *h, int64_t key, uint32_t value)
{
	struct heap_item item = { key, value };
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

struct heap_item
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

void
heap_release(struct heap *h)
{
	free(h->items);
	h->items = NULL;
	h->n = h->cap = 0;
}
