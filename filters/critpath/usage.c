/* usage - how many tasks ran at once, by their recorded times */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "filters/critpath/usage.h"

/*
 * An event, the start or the end of a task, is a number that sorts by time, and
 * ends before starts at the same time.  Times in records are between -2^53 and
 * 2^53, and an end that was computed is below 2^54.
 */
enum { EVENT_COPY = 1, EVENT_START = 2, EVENT_SHIFT = 2 };
#define EVENT_OFFSET ((int64_t)1 << 60)

/*
 * us counts from the start of the build: numbers that differ only in their low
 * bits are sorted faster.
 */
static uint64_t
make_event(int64_t us, unsigned flags)
{
	return (uint64_t)(us + EVENT_OFFSET) << EVENT_SHIFT | flags;
}

/*
 * Returns the events of all tasks that took time, unsorted; NULL if one of
 * these tasks has no start or no end.
 */
static uint64_t *
list_events(const struct network *net, size_t *n)
{
	uint64_t *events = mem_table(2 * net->n_tasks, sizeof *events);
	int64_t base_us = net->build->start_us;
	const struct task *t;
	unsigned copy;

	if (base_us == INT_UNKNOWN)
		base_us = 0;
	*n = 0;
	for (uint32_t v = 0; v < net->n_tasks; v++) {
		t = network_task(net, v);
		if (t->elapsed_us == 0)
			continue;
		if (t->start_us == INT_UNKNOWN || t->end_us == INT_UNKNOWN) {
			free(events);
			return NULL;
		}
		copy = t->kind == net->build->copy ? EVENT_COPY : 0;
		events[(*n)++] = make_event(t->start_us - base_us,
		    EVENT_START | copy);
		events[(*n)++] = make_event(t->end_us - base_us, copy);
	}
	return events;
}

void
usage_measure(struct usage *u, const struct network *net)
{
	size_t n;
	uint64_t *events = list_events(net, &n);
	uint64_t n_running = 0, n_working = 0, begun = 0, is_work;

	*u = (struct usage){ .is_known = events != NULL };
	if (events == NULL)
		return;
	sort_u64(events, n);
	for (size_t i = 0; i < n; i++) {
		is_work = (events[i] & EVENT_COPY) == 0;
		if ((events[i] & EVENT_START) != 0) {
			if (n_running++ == 0)
				begun = events[i] >> EVENT_SHIFT;
			n_working += is_work;
		} else {
			n_working -= is_work;
			if (--n_running == 0)
				u->busy_us += (int64_t)((events[i] >>
				    EVENT_SHIFT) - begun);
		}
		if (n_working > u->most)
			u->most = n_working;
	}
	free(events);
}
