/* stat - sums and lists over the tasks of a build */

#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/num.h"
#include "filters/execlog-stat/stat.h"

static const struct build *sorted;	/* qsort has no context */

static int
by_id(uint32_t a, uint32_t b)
{
	return build_compare(sorted, &sorted->tasks[a], &sorted->tasks[b]);
}

static int
compare_elapsed(const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	int64_t x = sorted->tasks[i].elapsed_us;
	int64_t y = sorted->tasks[j].elapsed_us;

	return x != y ? (x < y) - (x > y) : by_id(i, j);
}

static int
compare_sizes(const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	int64_t x = sorted->tasks[i].size_bytes;
	int64_t y = sorted->tasks[j].size_bytes;

	return x != y ? (x < y) - (x > y) : by_id(i, j);
}

static bool
is_alive(const struct task *t)
{
	return (t->flags & TASK_DEAD) == 0;
}

/*
 * The first top of all by compare, without sorting them all: the list is
 * sorted whenever it has grown to twice its length.
 */
static void
consider(uint32_t *list, size_t *n, size_t top, uint32_t task,
    int (*compare)(const void *, const void *))
{
	list[(*n)++] = task;
	if (*n == top * 2) {
		qsort(list, *n, sizeof *list, compare);
		*n = top;
	}
}

static void
finish_list(uint32_t *list, size_t *n, size_t top,
    int (*compare)(const void *, const void *))
{
	qsort(list, *n, sizeof *list, compare);
	if (*n > top)
		*n = top;
}

static void
make_lists(struct stat *s, size_t top)
{
	const struct build *b = s->build;
	const struct task *t = b->tasks;

	sorted = b;
	s->longest = mem_resize(NULL, top * 2, sizeof *s->longest);
	s->biggest = mem_resize(NULL, top * 2, sizeof *s->biggest);
	for (uint32_t i = 0; i < b->n_tasks; i++, t++) {
		if (!is_alive(t) || t->elapsed_us == INT_UNKNOWN)
			continue;
		if (t->elapsed_us > 0)
			consider(s->longest, &s->n_longest, top, i,
			    compare_elapsed);
		if (t->kind == b->copy && t->size_bytes != INT_UNKNOWN)
			consider(s->biggest, &s->n_biggest, top, i,
			    compare_sizes);
	}
	finish_list(s->longest, &s->n_longest, top, compare_elapsed);
	finish_list(s->biggest, &s->n_biggest, top, compare_sizes);
}

/* ninja's log knows no rules: without a graph, types are file endings. */
static sym
ending(struct build *b, const struct task *t)
{
	struct span id = intern_span(&b->names, t->id);
	size_t i = id.n;

	while (i > 0 && id.p[i - 1] != '.' && id.p[i - 1] != '/')
		i--;
	if (i < 2 || id.p[i - 1] == '/' || i == id.n)
		return t->kind;
	return intern_add(&b->names, span_of(id.p + i - 1, id.n - i + 1));
}

static sym
type_of(struct build *b, const struct task *t)
{
	sym rule;

	if (t->kind == b->copy || t->kind == b->prepare)
		return t->kind;
	rule = build_rule(b, t);
	return rule != SYM_NONE ? rule : ending(b, t);
}

static int
compare_types(const void *a, const void *b)
{
	const struct type_total *x = a, *y = b;

	if (x->elapsed_us != y->elapsed_us)
		return x->elapsed_us < y->elapsed_us ? 1 : -1;
	return intern_cmp(&sorted->names, x->name, y->name);
}

static int
compare_remainders(const void *a, const void *b)
{
	const struct type_total *const *x = a, *const *y = b;
	uint64_t p = (uint64_t)((*x)->weight % WEIGHT_US);
	uint64_t q = (uint64_t)((*y)->weight % WEIGHT_US);

	return p != q ? (p < q) - (p > q) : compare_types(*x, *y);
}

/* Whole microseconds that sum to total: the largest remainders round up. */
static void
round_weights(struct type_total *types, size_t n, int64_t total_us)
{
	struct type_total **order = mem_resize(NULL, n, sizeof *order);

	for (size_t i = 0; i < n; i++) {
		order[i] = &types[i];
		types[i].weighted_us = (int64_t)(types[i].weight / WEIGHT_US);
		total_us -= types[i].weighted_us;
	}
	qsort(order, n, sizeof *order, compare_remainders);
	for (size_t i = 0; i < n && total_us > 0; i++, total_us--)
		order[i]->weighted_us++;
	free(order);
}

static void
make_types(struct stat *s)
{
	struct build *b = s->build;
	size_t *place = NULL, places = 0, cap = 0;
	struct type_total *type;
	struct task *t;
	sym name;

	for (uint32_t i = 0; i < b->n_tasks; i++) {
		t = &b->tasks[i];
		if (!is_alive(t) || t->elapsed_us == INT_UNKNOWN ||
		    t->elapsed_us == 0)
			continue;
		name = type_of(b, t);
		if (name >= places) {
			place = mem_resize(place, b->names.n, sizeof *place);
			memset(place + places, 0, (b->names.n - places) *
			    sizeof *place);
			places = b->names.n;
		}
		if (place[name] == 0) {
			s->types = mem_grow(s->types, &cap, s->n_types + 1,
			    sizeof *s->types);
			s->types[s->n_types++] = (struct type_total){
			    .name = name };
			place[name] = s->n_types;
		}
		type = &s->types[place[name] - 1];
		type->n_tasks++;
		type->elapsed_us += t->elapsed_us;
		type->weight += s->timeline.weights[i];
	}
	free(place);
	if (s->n_types == 0)
		return;
	round_weights(s->types, s->n_types, s->timeline.end_us -
	    s->timeline.start_us - s->timeline.stage_us[IDLE]);
	qsort(s->types, s->n_types, sizeof *s->types, compare_types);
}

/* All attempts at one run task count as one: what came of it. */
static void
count_run(struct stat *s, uint32_t first)
{
	const struct build *b = s->build;
	bool executed = false, cached = false, failed = false;
	const struct task *t;

	for (uint32_t i = first; i != INDEX_NONE; i = t->next) {
		t = &b->tasks[i];
		if (!is_alive(t))
			continue;
		cached |= (t->flags & (TASK_CACHED | TASK_DYNAMIC)) != 0;
		executed |= (t->flags & (TASK_CACHED | TASK_DYNAMIC)) == 0 &&
		    (t->elapsed_us != INT_UNKNOWN ||
		    t->end_us != INT_UNKNOWN);
		failed |= (t->flags & TASK_FAILED) != 0;
	}
	s->n_run++;
	s->n_failed += failed;
	if (executed)
		s->n_executed++;
	else if (cached)
		s->n_cached++;
	else
		s->n_avoided++;
	s->n_tests += executed && sort_of(b, &b->tasks[first]) == SORT_TEST;
}

static void
make_counts(struct stat *s)
{
	const struct build *b = s->build;
	const struct task *t = b->tasks;

	for (uint32_t i = 0; i < b->n_tasks; i++, t++) {
		if (t->kind == b->run && build_task(b, t->id) == i)
			count_run(s, i);
		s->n_tasks += is_alive(t);
		if (t->kind != b->run || !is_alive(t) ||
		    t->elapsed_us == INT_UNKNOWN)
			continue;
		s->run_us += t->elapsed_us;
		if ((t->flags & TASK_FAILED) != 0)
			s->failed_us += t->elapsed_us;
		if (sort_of(b, t) == SORT_TEST)
			s->test_us += t->elapsed_us;
	}
	for (size_t i = 0; i < b->n_nodes; i++)
		s->n_idle_nodes += (b->nodes[i].flags & NODE_PHONY) == 0 &&
		    build_task(b, b->nodes[i].id) == INDEX_NONE;
}

void
stat_make(struct stat *s, struct build *b, size_t top, size_t n_bins)
{
	*s = (struct stat){ .build = b };
	timeline_make(&s->timeline, b, n_bins);
	make_lists(s, top);
	make_types(s);
	make_counts(s);
}

void
stat_release(struct stat *s)
{
	timeline_release(&s->timeline);
	free(s->longest);
	free(s->biggest);
	free(s->types);
}
