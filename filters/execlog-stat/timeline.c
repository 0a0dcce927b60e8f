/* timeline - what ran when */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "filters/execlog-stat/timeline.h"

const char *const stage_names[] = { "tests_only", "tests_with_other",
    "build_only", "build_with_other", "download_only",
    "download_with_other", "service_only", "idle" };

/* A task's start or end. */
struct moment {
	int64_t us;
	uint32_t task;
	bool is_end;
};

struct sweep {
	struct timeline *t;
	const struct build *build;
	struct moment *moments;
	size_t n;
	uint64_t running, sorts[N_SORTS];
	weight weight;		/* the integral of 1/running up to now */
};

bool
has_interval(const struct task *t)
{
	return (t->flags & (TASK_SUPERSEDED | TASK_TOTAL)) == 0 &&
	    t->start_us != INT_UNKNOWN && t->end_us != INT_UNKNOWN &&
	    t->start_us < t->end_us;
}

/* As ya: a task of a test node, of a download node, of another, of none. */
enum sort
sort_of(const struct build *b, const struct task *t)
{
	uint32_t node = build_find_node(b, t->id);
	uint8_t flags = node == INDEX_NONE ? 0 : b->nodes[node].flags;

	if (t->kind == b->prepare && t->rule != SYM_NONE && strstr(
	    intern_str(&b->names, t->rule), "from dist cache") != NULL)
		return SORT_DOWNLOAD;
	if (t->kind == b->copy || t->kind == b->prepare)
		return SORT_SERVICE;
	return (flags & NODE_TEST) != 0 ? SORT_TEST :
	    (flags & NODE_DOWNLOAD) != 0 ? SORT_DOWNLOAD : SORT_BUILD;
}

static enum stage
stage_of(const uint64_t sorts[N_SORTS], uint64_t running)
{
	static const enum stage only[] = { TESTS_ONLY, BUILD_ONLY,
	    DOWNLOAD_ONLY, SERVICE_ONLY };
	static const enum stage with_other[] = { TESTS_WITH_OTHER,
	    BUILD_WITH_OTHER, DOWNLOAD_WITH_OTHER, SERVICE_ONLY };

	for (size_t i = 0; i < N_SORTS; i++)
		if (sorts[i] > 0)
			return sorts[i] == running ? only[i] : with_other[i];
	return IDLE;
}

static int
compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return cmp_i64(x->us, y->us);
}

static void
collect(struct sweep *s)
{
	const struct task *t = s->build->tasks;

	s->moments = mem_resize(NULL, s->build->n_tasks * 2 + 1,
	    sizeof *s->moments);
	for (uint32_t i = 0; i < s->build->n_tasks; i++, t++) {
		if (!has_interval(t))
			continue;
		s->moments[s->n++] = (struct moment){ t->start_us, i, false };
		s->moments[s->n++] = (struct moment){ t->end_us, i, true };
	}
	sort(s->moments, s->n, sizeof *s->moments, compare_moments);
}

/* Adds the running tasks' time of a stretch to the bins it covers. */
static void
fill_bins(struct timeline *t, int64_t from_us, int64_t to_us, double running)
{
	double width = (double)(t->end_us - t->start_us) / (double)t->n_bins;
	double from = (double)(from_us - t->start_us) / width;
	double to = (double)(to_us - t->start_us) / width, edge;
	size_t bin = (size_t)from;

	for (; bin < t->n_bins && from < to; from = edge, bin++) {
		edge = (double)(bin + 1) < to ? (double)(bin + 1) : to;
		if (edge > from)
			t->bins[bin] += running * (edge - from);
	}
}

/* What is running has been since from_us. */
static void
pass(struct sweep *s, int64_t from_us, int64_t to_us)
{
	struct timeline *t = s->t;

	/* The build may be said to begin later, or end earlier, than tasks. */
	from_us = from_us < t->start_us ? t->start_us : from_us;
	to_us = to_us > t->end_us ? t->end_us : to_us;
	if (from_us >= to_us)
		return;
	t->stage_us[stage_of(s->sorts, s->running)] += to_us - from_us;
	t->running_us += (int64_t)s->running * (to_us - from_us);
	if (s->running > t->most_running)
		t->most_running = s->running;
	if (s->running > 0)
		s->weight += (to_us - from_us) * WEIGHT_US / s->running;
	if (t->n_bins > 0)
		fill_bins(t, from_us, to_us, (double)s->running);
}

/* A task's weighted time is how far the integral came between its ends. */
static void
step(struct sweep *s, const struct moment *m)
{
	enum sort sort = sort_of(s->build, &s->build->tasks[m->task]);
	weight *task_weight = &s->t->weights[m->task];

	if (m->is_end) {
		s->running--;
		s->sorts[sort]--;
		*task_weight += s->weight;
	} else {
		s->running++;
		s->sorts[sort]++;
		*task_weight -= s->weight;
	}
}

void
timeline_make(struct timeline *t, const struct build *b, size_t n_bins)
{
	struct sweep s = { .t = t, .build = b };
	int64_t now_us = b->start_us;

	*t = (struct timeline){ .start_us = b->start_us,
	    .end_us = b->end_us, .n_bins = n_bins };
	t->weights = mem_zero(b->n_tasks, sizeof *t->weights);
	t->bins = mem_zero(n_bins, sizeof *t->bins);
	collect(&s);
	for (size_t i = 0; i < s.n; i++) {
		pass(&s, now_us, s.moments[i].us);
		now_us = s.moments[i].us;
		step(&s, &s.moments[i]);
	}
	pass(&s, now_us, t->end_us);
	free(s.moments);
}

int64_t
timeline_weighted_us(const struct timeline *t, uint32_t task)
{
	return (int64_t)((t->weights[task] + WEIGHT_US / 2) / WEIGHT_US);
}

void
timeline_release(struct timeline *t)
{
	free(t->weights);
	free(t->bins);
}
