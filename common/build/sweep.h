#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The starts and ends of intervals in the order of time, for questions such as
 * how many tasks ran at once.  Of the events at one time the ends come first: a
 * task that ends when another begins does not overlap it.
 *
 *	struct sweep s = { .base_us = build->start_us };
 *	sweep_add(&s, start_us, end_us, tag);	for each interval
 *	sweep_sort(&s);
 *	while (sweep_next(&s, &event)) ...
 *	sweep_release(&s);
 */
struct sweep {
	int64_t base_us;	/* near most times, so that sorting is fast */
	uint64_t *events;	/* the time, whether it is a start, the tag */
	size_t n, cap, next;
};

struct sweep_event {
	int64_t us;
	unsigned tag;		/* the caller's, below SWEEP_TAGS */
	int change;		/* 1: start; -1: end */
};

enum { SWEEP_TAGS = 8, SWEEP_START = SWEEP_TAGS, SWEEP_TIME_SHIFT = 4 };
#define SWEEP_OFFSET_US ((int64_t)1 << 58)

/* Times are between -2^54 and 2^54, as those of records are. */
void sweep_add(struct sweep *, int64_t start_us, int64_t end_us, unsigned tag);
void sweep_sort(struct sweep *);
void sweep_release(struct sweep *);

static inline bool
sweep_next(struct sweep *s, struct sweep_event *e)
{
	uint64_t event;

	if (s->next == s->n)
		return false;
	event = s->events[s->next++];
	e->us = (int64_t)(event >> SWEEP_TIME_SHIFT) - SWEEP_OFFSET_US +
	    s->base_us;
	e->tag = event & (SWEEP_TAGS - 1);
	e->change = (event & SWEEP_START) != 0 ? 1 : -1;
	return true;
}
