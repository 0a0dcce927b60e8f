/* usage - how many tasks ran at once, by their recorded times */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/build-names.h"
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

static int64_t
time_of(uint64_t event)
{
	return (int64_t)(event >> EVENT_SHIFT) - EVENT_OFFSET;
}

/* From when the times of events count. */
static int64_t
base_of(const struct build *b)
{
	return b->start_us != INT_UNKNOWN ? b->start_us : 0;
}

/*
 * Returns the events of all tasks that took time or are unfinished, unsorted;
 * NULL if one of the others has no start or no end.
 */
static uint64_t *
list_events(const struct network *net, size_t *n)
{
	const struct build *b = net->build;
	uint64_t *events = mem_table(2 * b->n_tasks, sizeof *events);
	int64_t base_us = base_of(b);
	const struct task *t;
	unsigned copy;

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
	for (t = b->tasks; t < b->tasks + b->n_tasks; t++) {
		if (!task_is_unfinished(t) || t->start_us >= b->end_us)
			continue;
		copy = t->kind == b->copy ? EVENT_COPY : 0;
		events[(*n)++] = make_event(t->start_us - base_us,
		    EVENT_START | copy);
		events[(*n)++] = make_event(b->end_us - base_us, copy);
	}
	return events;
}

/*
 * Adds the part of a gap within the build, if it is among the longest; of equal
 * ones the first.
 */
static void
add_gap(struct usage *u, const struct build *b, int64_t from_us, int64_t to_us)
{
	size_t i = u->n_gaps;
	struct gap gap;

	from_us = time_later(from_us, b->start_us);
	to_us = to_us < b->end_us ? to_us : b->end_us;
	gap = (struct gap){ .from_us = from_us, .to_us = to_us };
	while (i > 0 && to_us - from_us >
	    u->gaps[i - 1].to_us - u->gaps[i - 1].from_us)
		i--;
	if (to_us <= from_us || i == GAPS_MAX)
		return;
	u->n_gaps += u->n_gaps < GAPS_MAX;
	for (size_t j = u->n_gaps - 1; j > i; j--)
		u->gaps[j] = u->gaps[j - 1];
	u->gaps[i] = gap;
}

void
usage_find_next(struct usage *u, const struct build *b)
{
	const struct task *t;
	struct gap *g;

	for (t = b->tasks; t < b->tasks + b->n_tasks; t++) {
		if (t->start_us == INT_UNKNOWN || t->elapsed_us == 0 ||
		    (t->flags & (TASK_SUPERSEDED | TASK_TOTAL)) != 0)
			continue;
		for (g = u->gaps; g < u->gaps + u->n_gaps; g++)
			if (g->to_us == t->start_us && (g->next == NULL ||
			    build_compare_tasks(b, t, g->next) < 0))
				g->next = t;
	}
}

void
usage_measure(struct usage *u, const struct network *net)
{
	const struct build *b = net->build;
	size_t n;
	uint64_t *events = list_events(net, &n);
	uint64_t n_running = 0, n_working = 0, is_work;
	int64_t base_us = base_of(b), us, idle_from_us = base_us, begun_us = 0;

	*u = (struct usage){ .is_known = events != NULL };
	if (events == NULL)
		return;
	sort_u64(events, n);
	for (size_t i = 0; i < n; i++) {
		is_work = (events[i] & EVENT_COPY) == 0;
		us = base_us + time_of(events[i]);
		if ((events[i] & EVENT_START) != 0) {
			if (n_running++ == 0) {
				add_gap(u, b, idle_from_us, us);
				begun_us = us;
			}
			n_working += is_work;
		} else {
			n_working -= is_work;
			if (--n_running == 0) {
				u->busy_us += us - begun_us;
				idle_from_us = us;
			}
		}
		if (n_working > u->most)
			u->most = n_working;
	}
	free(events);
	add_gap(u, b, idle_from_us, b->end_us);
}

static int
compare_lengths(const void *a, const void *b)
{
	const struct queue_length *x = a, *y = b;
	int order = cmp_i64(x->us, y->us);

	return order != 0 ? order : cmp_i64(x->n, y->n);
}

void
usage_measure_queue(const struct build *b, int64_t *waited_us,
    int64_t *span_us)
{
	struct queue_length *q = b->queue.lengths;

	*waited_us = *span_us = INT_UNKNOWN;
	if (b->queue.n == 0)
		return;
	sort(q, b->queue.n, sizeof *q, compare_lengths);
	*waited_us = 0;
	*span_us = q[b->queue.n - 1].us - q[0].us;
	for (size_t i = 0; i + 1 < b->queue.n; i++)
		if (q[i].n > 1)	/* one may be the task itself */
			*waited_us += q[i + 1].us - q[i].us;
}
