/* usage - how many tasks ran at once, by their recorded times */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/build-names.h"
#include "common/build/sweep.h"
#include "filters/critpath/critpath.h"

/*
 * How a task counts for the most that ran at once.  One that contains others,
 * or waited, may not have run while another one did; what others contain does
 * not run beside them.
 */
enum { WHOLE = 1,	/* it ran from its start to its end */
    OUTER = 2 };	/* no other task contains it */

static unsigned
count_as(const struct build *b, const struct task *t)
{
	if (t->kind == b->copy)
		return 0;
	return ((t->flags & TASK_SPREAD) == 0 ? WHOLE : 0) |
	    (b->parents.n == 0 || build_find_parent(b, t) == INDEX_NONE ?
	    OUTER : 0);
}

/*
 * Adds all tasks that took time, and attempts without an end at tasks that
 * ended; false if one of the others has no start or no end.
 */
static bool
add_tasks(struct sweep *s, const struct network *net)
{
	const struct build *b = net->build;
	const struct task *t;
	int64_t end_us;

	for (uint32_t v = 0; v < net->n_tasks; v++) {
		t = network_task(net, v);
		end_us = network_end_us(net, v);
		if (t->elapsed_us == 0)
			continue;
		if (t->start_us == INT_UNKNOWN || end_us == INT_UNKNOWN)
			return false;
		if (end_us > t->start_us)
			sweep_add(s, task_started_us(t), end_us,
			    count_as(b, t));
	}
	for (t = b->tasks; t < b->tasks + b->n_tasks; t++)
		if (task_is_unfinished(t) && !build_is_open(b, t) &&
		    t->start_us < b->end_us)
			sweep_add(s, t->start_us, b->end_us, count_as(b, t));
	return true;
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
			if (g->to_us == task_started_us(t) &&
			    (g->next == NULL || build_compare_tasks(b, t,
			    g->next) < 0))
				g->next = t;
	}
}

void
usage_measure(struct usage *u, const struct network *net)
{
	const struct build *b = net->build;
	struct sweep s = { .base_us = b->start_us != INT_UNKNOWN ?
	    b->start_us : 0 };
	struct sweep_event e;
	uint64_t n_running = 0, n_whole = 0, n_outer = 0, most_outer = 0;
	int64_t idle_from_us = s.base_us, begun_us = 0;

	*u = (struct usage){ .is_known = add_tasks(&s, net) };
	if (!u->is_known) {
		sweep_release(&s);
		return;
	}
	sweep_sort(&s);
	while (sweep_next(&s, &e)) {
		if (n_running == 0) {
			add_gap(u, b, idle_from_us, e.us);
			begun_us = e.us;
		}
		n_running += (uint64_t)e.change;
		if ((e.tag & WHOLE) != 0)
			n_whole += (uint64_t)e.change;
		if ((e.tag & OUTER) != 0)
			n_outer += (uint64_t)e.change;
		if (n_running == 0) {
			u->busy_us += e.us - begun_us;
			idle_from_us = e.us;
		}
		if (n_whole > u->most)
			u->most = n_whole;
		if (n_outer > most_outer)
			most_outer = n_outer;
	}
	if (most_outer > u->most && (u->most == 0 || b->limit == INT_UNKNOWN))
		u->most = most_outer;
	sweep_release(&s);
	add_gap(u, b, idle_from_us, b->end_us);
}

void
usage_measure_queue(const struct build *b, int64_t *waited_us,
    int64_t *span_us)
{
	const struct queue_length *q = b->queue.lengths;
	size_t n = b->queue.n;
	uint64_t *lengths;	/* the time << 1 | whether tasks waited */
	int64_t first_us;

	*waited_us = *span_us = INT_UNKNOWN;
	if (n == 0)
		return;
	first_us = q[0].us;
	for (size_t i = 1; i < n; i++)
		first_us = time_earlier(first_us, q[i].us);
	lengths = mem_table(n, sizeof *lengths);
	for (size_t i = 0; i < n; i++)	/* one may be the task itself */
		lengths[i] = (uint64_t)(q[i].us - first_us) << 1 |
		    (q[i].n > 1);
	sort_u64(lengths, n);
	*waited_us = 0;
	*span_us = (int64_t)(lengths[n - 1] >> 1);
	for (size_t i = 0; i + 1 < n; i++)
		if ((lengths[i] & 1) != 0)
			*waited_us += (int64_t)((lengths[i + 1] >> 1) -
			    (lengths[i] >> 1));
	free(lengths);
}
