/* activity - computes stages, parallelism and weighted times in one sweep */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "filters/execlog-stat/execlog-stat.h"

const char *const stage_names[] = { "tests_only", "tests_with_other",
    "build_only", "build_with_other", "download_only",
    "download_with_other", "service_only", "idle" };

/* A start or an end of a task. */
struct event {
	int64_t us;
	uint32_t task;
	int change;			/* 1: start; -1: end */
};

struct sweep {
	struct activity *t;
	const struct build *b;
	/* By task: whether it is open, and how many tasks that it contains
	   are.  It runs if it is and they are not.  NULL: none contains
	   others. */
	struct open {
		uint32_t self, inner;
	} *open;
	uint64_t n_running;		/* tasks running at this moment */
	uint64_t n_by_work[N_WORK];	/* of them, by kind of work */
	weight integral;		/* of 1/n_running up to this moment */
};

static int64_t
end_us_of(const struct build *b, const struct task *t)
{
	return task_is_unfinished(t) ? time_later(b->end_us, t->start_us) :
	    t->end_us;
}

int64_t
activity_took_us(const struct build *b, const struct task *t)
{
	return task_is_unfinished(t) ? build_so_far_us(b, t) : t->elapsed_us;
}

/* These are the rules of ya. */
enum work
activity_work_of(const struct build *b, const struct task *t)
{
	uint32_t node = build_find_node(b, t->id);
	uint8_t flags = node == INDEX_NONE ? 0 : b->nodes[node].flags;

	if (t->kind == b->prepare && t->rule != SYM_NONE && strstr(
	    intern_str(&b->names, t->rule), "from dist cache") != NULL)
		return WORK_DOWNLOAD;
	if (t->kind == b->copy || t->kind == b->prepare)
		return WORK_SERVICE;
	return (flags & NODE_TEST) != 0 ? WORK_TEST :
	    (flags & NODE_DOWNLOAD) != 0 ? WORK_DOWNLOAD : WORK_BUILD;
}

/*
 * The first kind of work, in the order of enum work, that has running tasks
 * determines the stage: two for each kind, without and with other tasks.
 */
static enum stage
stage_of(const uint64_t n_by_work[N_WORK], uint64_t n_running)
{
	for (unsigned i = 0; i < N_WORK; i++)
		if (n_by_work[i] > 0)
			return 2 * i + (n_by_work[i] < n_running);
	return IDLE;
}

static int
compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return cmp_i64(x->us, y->us);
}

/*
 * Adds an interval with n_running tasks to the bins that it overlaps.  from, to
 * and edge are in widths of a bin, from the start of the build.
 */
static void
fill_bins(struct activity *t, int64_t from_us, int64_t to_us, double n_running)
{
	double width = (double)(t->end_us - t->start_us) / (double)t->n_bins;
	double from = (double)(from_us - t->start_us) / width;
	double to = (double)(to_us - t->start_us) / width, edge;
	size_t bin = (size_t)from;

	for (; bin < t->n_bins && from < to; from = edge, bin++) {
		edge = (double)(bin + 1) < to ? (double)(bin + 1) : to;
		if (edge > from)
			t->bins[bin] += n_running * (edge - from);
	}
}

/* Accounts for the time between two events. */
static void
add_interval(struct sweep *s, int64_t from_us, int64_t to_us)
{
	struct activity *t = s->t;

	/* Tasks may exceed the extent that the build record gives. */
	from_us = from_us < t->start_us ? t->start_us : from_us;
	to_us = to_us > t->end_us ? t->end_us : to_us;
	if (from_us >= to_us)
		return;
	t->stage_us[stage_of(s->n_by_work, s->n_running)] += to_us - from_us;
	t->running_us += (int64_t)s->n_running * (to_us - from_us);
	if (s->n_running > t->max_running)
		t->max_running = s->n_running;
	if (s->n_running > 0)
		s->integral += (to_us - from_us) * WEIGHT_US / s->n_running;
	if (t->n_bins > 0)
		fill_bins(t, from_us, to_us, (double)s->n_running);
}

/* Starts a task, or ends it, or what it contains takes turns with it. */
static void
switch_task(struct sweep *s, uint32_t task, int change)
{
	enum work work = activity_work_of(s->b, &s->b->tasks[task]);

	/* All of its time may be that of what it contains. */
	if (s->b->tasks[task].elapsed_us == 0)
		return;
	s->n_running += (uint64_t)change;
	s->n_by_work[work] += (uint64_t)change;
	/* A weight is how much the integral grows while the task runs. */
	s->t->weights[task] -= change * s->integral;
}

static void
apply_event(struct sweep *s, const struct event *e)
{
	struct open *open;
	uint32_t parent;

	if (s->open == NULL) {
		switch_task(s, e->task, e->change);
		return;
	}
	open = &s->open[e->task];
	open->self += (uint32_t)e->change;
	if (open->inner == 0)
		switch_task(s, e->task, e->change);
	parent = build_find_parent(s->b, &s->b->tasks[e->task]);
	if (parent == INDEX_NONE)
		return;
	open = &s->open[parent];
	open->inner += (uint32_t)e->change;
	if (open->self > 0 && open->inner == (e->change > 0 ? 1 : 0))
		switch_task(s, parent, -e->change);
}

void
activity_make(struct activity *t, const struct build *b, size_t n_bins)
{
	struct sweep s = { .t = t, .b = b };
	const struct task *task = b->tasks;
	int64_t now_us = b->start_us, start_us, end_us;
	struct event *events;
	size_t n = 0;

	*t = (struct activity){ .start_us = b->start_us,
	    .end_us = b->end_us, .n_bins = n_bins };
	t->weights = mem_zero(b->n_tasks, sizeof *t->weights);
	t->bins = mem_zero(n_bins, sizeof *t->bins);
	if (b->parents.n > 0)
		s.open = mem_zero(b->n_tasks, sizeof *s.open);

	events = mem_resize(NULL, b->n_tasks * 2, sizeof *events);
	for (uint32_t i = 0; i < b->n_tasks; i++, task++) {
		start_us = task_started_us(task);
		end_us = end_us_of(b, task);
		if ((task->flags & (TASK_SUPERSEDED | TASK_TOTAL)) != 0 ||
		    start_us == INT_UNKNOWN || start_us >= end_us)
			continue;
		events[n++] = (struct event){ start_us, i, 1 };
		events[n++] = (struct event){ end_us, i, -1 };
	}
	sort(events, n, sizeof *events, compare_events);

	for (size_t i = 0; i < n; i++) {
		add_interval(&s, now_us, events[i].us);
		now_us = events[i].us;
		apply_event(&s, &events[i]);
	}
	add_interval(&s, now_us, t->end_us);
	free(events);
	free(s.open);
}

int64_t
activity_weighted_us(const struct activity *t, uint32_t task)
{
	return (int64_t)((t->weights[task] + WEIGHT_US / 2) / WEIGHT_US);
}

void
activity_release(struct activity *t)
{
	free(t->weights);
	free(t->bins);
}
