/* sweep - orders starts and ends by time */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/build/sweep.h"

void
sweep_add(struct sweep *s, int64_t start_us, int64_t end_us, unsigned tag)
{
	int64_t offset_us = SWEEP_OFFSET_US - s->base_us;

	s->events = mem_grow(s->events, &s->cap, s->n + 2, sizeof *s->events);
	s->events[s->n++] = (uint64_t)(start_us + offset_us) <<
	    SWEEP_TIME_SHIFT | SWEEP_START | tag;
	s->events[s->n++] = (uint64_t)(end_us + offset_us) <<
	    SWEEP_TIME_SHIFT | tag;
}

void
sweep_sort(struct sweep *s)
{
	sort_u64(s->events, s->n);
}

void
sweep_release(struct sweep *s)
{
	free(s->events);
}
