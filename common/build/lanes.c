/*
 * lanes - divides tasks into lanes without overlap
 *
 * Greedy interval colouring: the lowest free lane, in order of start, needs no
 * more lanes than the most tasks that overlap.
 */

#include "common/build/lanes.h"

uint32_t
lanes_add(struct lanes *l, int64_t start, int64_t end)
{
	uint32_t lane;

	while (l->busy.n > 0 && l->busy.items[0].key <= start) {
		lane = heap_pop(&l->busy).value;
		heap_push(&l->idle, lane, lane);
	}
	lane = l->idle.n > 0 ? heap_pop(&l->idle).value : l->n++;
	heap_push(&l->busy, end, lane);
	return lane;
}

void
lanes_release(struct lanes *l)
{
	heap_release(&l->busy);
	heap_release(&l->idle);
}
