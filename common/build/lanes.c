/*
 * lanes - divides tasks into lanes without overlap
 *
 * Greedy interval colouring: the lowest free lane, in order of start, needs no
 * more lanes than the most tasks that overlap.
 */

#include "common/base/heap.h"
#include "common/build/lanes.h"

uint32_t
lanes_assign(struct lane_task *tasks, size_t n)
{
	struct heap busy = { 0 };	/* lanes by the end of their task */
	struct heap idle = { 0 };	/* lanes by number */
	struct heap_item lane;
	uint32_t n_lanes = 0;

	for (size_t i = 0; i < n; i++) {
		while (busy.n > 0 && busy.items[0].key <= tasks[i].start) {
			lane = heap_pop(&busy);
			heap_push(&idle, lane.value, lane.value);
		}
		tasks[i].lane = idle.n > 0 ? heap_pop(&idle).value : n_lanes++;
		heap_push(&busy, tasks[i].end, tasks[i].lane);
	}
	heap_release(&busy);
	heap_release(&idle);
	return n_lanes;
}
