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
	uint64_t *events;	/* see sweep.c */
	size_t n, cap, next;
};

struct sweep_event {
	int64_t us;
	unsigned tag;		/* the caller's, below SWEEP_TAGS */
	int change;		/* 1: start; -1: end */
};

enum { SWEEP_TAGS = 8 };

/* Times are between -2^54 and 2^54, as those of records are. */
void sweep_add(struct sweep *, int64_t start_us, int64_t end_us, unsigned tag);
void sweep_sort(struct sweep *);
bool sweep_next(struct sweep *, struct sweep_event *);
void sweep_release(struct sweep *);
