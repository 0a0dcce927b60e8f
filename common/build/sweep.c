/* sweep - orders starts and ends by time */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/build/sweep.h"

/* An event is a number: the time, whether it is a start, and the tag. */
enum { TAG_MASK = SWEEP_TAGS - 1, IS_START = SWEEP_TAGS, TIME_SHIFT = 4 };
#define TIME_OFFSET ((int64_t)1 << 58)

void
sweep_add(struct sweep *s, int64_t start_us, int64_t end_us, unsigned tag)
{
	int64_t offset_us = TIME_OFFSET - s->base_us;

	s->events = mem_grow(s->events, &s->cap, s->n + 2, sizeof *s->events);
	s->events[s->n++] = (uint64_t)(start_us + offset_us) << TIME_SHIFT |
	    IS_START | tag;
	s->events[s->n++] = (uint64_t)(end_us + offset_us) << TIME_SHIFT | tag;
}

void
sweep_sort(struct sweep *s)
{
	sort_u64(s->events, s->n);
}

bool
sweep_next(struct sweep *s, struct sweep_event *e)
{
	uint64_t event;

	if (s->next == s->n)
		return false;
	event = s->events[s->next++];
	*e = (struct sweep_event){
	    .us = (int64_t)(event >> TIME_SHIFT) - TIME_OFFSET + s->base_us,
	    .tag = event & TAG_MASK,
	    .change = (event & IS_START) != 0 ? 1 : -1 };
	return true;
}

void
sweep_release(struct sweep *s)
{
	free(s->events);
}
