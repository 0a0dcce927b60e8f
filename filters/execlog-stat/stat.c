/* stat - computes totals and lists of the tasks of a build */

#include <stdlib.h>

#include "common/base/heap.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/build-names.h"
#include "filters/execlog-stat/execlog-stat.h"

static bool
is_counted(const struct task *t)
{
	return (t->flags & TASK_SUPERSEDED) == 0;
}

/* Of tasks with the same key the last one by id and attempt comes first. */
static int
compare_backwards(const void *context, uint32_t i, uint32_t j)
{
	const struct build *b = context;

	return build_compare_tasks(b, &b->tasks[j], &b->tasks[i]);
}

/* Adds a task to the `top` ones with the largest keys. */
static void
add_candidate(struct heap *h, size_t top, int64_t key, uint32_t task)
{
	heap_push(h, key, task);
	if (h->n > top)
		heap_pop(h);
}

/* Empties the heap, and returns its tasks, that with the largest key first. */
static uint32_t *
take_tasks(struct heap *h, size_t *n)
{
	uint32_t *tasks = mem_resize(NULL, h->n, sizeof *tasks);

	*n = h->n;
	for (size_t i = h->n; i-- > 0;)
		tasks[i] = heap_pop(h).value;
	heap_release(h);
	return tasks;
}

static void
make_lists(struct build_stat *s, size_t top)
{
	const struct build *b = s->build;
	const struct task *t = b->tasks;
	struct heap longest = { compare_backwards, b, NULL, 0, 0 };
	struct heap biggest = longest;
	int64_t took_us;

	for (uint32_t i = 0; i < b->n_tasks; i++, t++) {
		took_us = activity_took_us(b, t);
		if (!is_counted(t) || took_us == INT_UNKNOWN)
			continue;
		if (took_us > 0)
			add_candidate(&longest, top, took_us, i);
		if (t->kind == b->copy && t->size_bytes != INT_UNKNOWN)
			add_candidate(&biggest, top, t->size_bytes, i);
	}
	s->longest = take_tasks(&longest, &s->n_longest);
	s->biggest = take_tasks(&biggest, &s->n_biggest);
}

static int
compare_types(const void *a, const void *b, void *context)
{
	const struct build *build = context;
	const struct type_total *x = a, *y = b;
	return cmp_i64(y->elapsed_us, x->elapsed_us) ?:
	    intern_cmp(&build->names, x->name, y->name);
}

/* The largest remainder first, then by compare_types(). */
static int
compare_remainders(const void *a, const void *b, void *context)
{
	const struct type_total *const *x = a, *const *y = b;
	return cmp_u64((uint64_t)((*y)->weight % WEIGHT_US),
	    (uint64_t)((*x)->weight % WEIGHT_US)) ?:
	    compare_types(*x, *y, context);
}

/*
 * Rounds weights to whole microseconds that sum to total_us (largest remainder
 * method): all are rounded down, and those with the largest remainders get one
 * microsecond more until the sum is right.
 */
static void
round_weights(const struct build *b, struct type_total *types, size_t n,
    int64_t total_us)
{
	struct type_total **order = mem_resize(NULL, n, sizeof *order);

	for (size_t i = 0; i < n; i++) {
		order[i] = &types[i];
		types[i].weighted_us = (int64_t)(types[i].weight / WEIGHT_US);
		total_us -= types[i].weighted_us;
	}
	sort_with(order, n, sizeof *order, compare_remainders, b);
	for (size_t i = 0; i < n && total_us > 0; i++, total_us--)
		order[i]->weighted_us++;
	free(order);
}

static void
make_types(struct build_stat *s)
{
	struct build *b = s->build;
	struct column numbers = { 0 };	/* by symbol of build_type() */
	struct type_total *type;
	const struct task *t = b->tasks;
	uint32_t number;
	int64_t took_us;
	size_t cap = 0;
	sym name;

	for (uint32_t i = 0; i < b->n_tasks; i++, t++) {
		took_us = activity_took_us(b, t);
		if (!is_counted(t) || took_us == INT_UNKNOWN || took_us == 0)
			continue;
		name = build_type(b, t);
		number = column_get(&numbers, name);
		if (number == INDEX_NONE) {
			number = (uint32_t)s->n_types++;
			column_set(&numbers, name, number);
			s->types = mem_grow(s->types, &cap, s->n_types,
			    sizeof *s->types);
			s->types[number] = (struct type_total){ .name = name };
		}
		type = &s->types[number];
		type->n_tasks++;
		type->elapsed_us += took_us;
		type->weight += s->activity.weights[i];
	}
	free(numbers.values);
	if (s->n_types == 0)
		return;
	round_weights(b, s->types, s->n_types, s->activity.end_us -
	    s->activity.start_us - s->activity.stage_us[IDLE]);
	sort_with(s->types, s->n_types, sizeof *s->types, compare_types, b);
}

/* Counts the attempts in a list, which begins with `first`, as one run. */
static void
count_run(struct build_stat *s, uint32_t first)
{
	const struct build *b = s->build;
	bool executed = false, started = false;
	const struct task *t;
	unsigned flags = 0;

	for (uint32_t i = first; i != INDEX_NONE; i = t->next) {
		t = &b->tasks[i];
		if (!is_counted(t))
			continue;
		flags |= t->flags;
		executed |= (t->flags & (TASK_CACHED | TASK_DYNAMIC)) == 0 &&
		    (t->elapsed_us != INT_UNKNOWN ||
		    t->end_us != INT_UNKNOWN);
		started |= t->start_us != INT_UNKNOWN;
	}
	s->n_run++;
	s->n_failed += (flags & TASK_FAILED) != 0;
	*(executed ? &s->n_executed :
	    flags & (TASK_CACHED | TASK_DYNAMIC) ? &s->n_cached :
	    started ? &s->n_unfinished :
	    flags & TASK_SKIPPED ? &s->n_skipped :
	    flags & TASK_QUEUED ? &s->n_queued : &s->n_untimed) += 1;
	s->n_tests += executed &&
	    activity_work_of(b, &b->tasks[first]) == WORK_TEST;
}

/*
 * The last deploy before a run came from the cache, in any record of its id;
 * deploys are by task.  INT_UNKNOWN if there is none.
 */
static int64_t
last_deploy_us(const struct build *b, const int64_t *deploys_us,
    const struct task *cached)
{
	int64_t last_us = INT_UNKNOWN;

	for (uint32_t i = build_find_task(b, cached->id); i != INDEX_NONE;
	    i = b->tasks[i].next)
		if (deploys_us[i] <= cached->end_us)
			last_us = time_later(last_us, deploys_us[i]);
	return last_us;
}

static void
make_counts(struct build_stat *s)
{
	const struct build *b = s->build;
	const struct task *t = b->tasks;
	const struct queue_length *q = b->queue.lengths;
	int64_t *deploys_us = mem_table(b->n_tasks, sizeof *deploys_us);
	int64_t deploy_us;

	for (size_t i = 0; i < b->n_tasks; i++)
		deploys_us[i] = INT_UNKNOWN;
	for (; q < b->queue.lengths + b->queue.n; q++)
		deploys_us[q->task] = q->us;
	for (uint32_t i = 0; i < b->n_tasks; i++, t++) {
		if (t->kind == b->run && build_find_task(b, t->id) == i)
			count_run(s, i);
		if (!is_counted(t))
			continue;
		s->n_tasks += (t->flags & TASK_QUEUED) == 0;
		deploy_us = (t->flags & TASK_CACHED) != 0 ?
		    last_deploy_us(b, deploys_us, t) : INT_UNKNOWN;
		if (deploy_us != INT_UNKNOWN) {
			s->n_lookups++;
			s->lookup_us += t->end_us - deploy_us;
		}
		if (t->kind != b->run || t->elapsed_us == INT_UNKNOWN)
			continue;
		s->run_us += t->elapsed_us;
		if ((t->flags & TASK_FAILED) != 0)
			s->failed_us += t->elapsed_us;
		if (activity_work_of(b, t) == WORK_TEST)
			s->test_us += t->elapsed_us;
	}
	free(deploys_us);
	for (size_t i = 0; i < b->n_nodes; i++)
		s->n_unseen_nodes += (b->nodes[i].flags & NODE_PHONY) == 0 &&
		    build_find_task(b, b->nodes[i].id) == INDEX_NONE;
}

void
stat_make(struct build_stat *s, struct build *b, size_t top, size_t n_bins)
{
	*s = (struct build_stat){ .build = b };
	activity_make(&s->activity, b, n_bins);
	make_lists(s, top);
	make_types(s);
	make_counts(s);
}

void
stat_release(struct build_stat *s)
{
	activity_release(&s->activity);
	free(s->longest);
	free(s->biggest);
	free(s->types);
}
