/* build-settle - puts the attempts at each task together, and their times */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/build/build.h"

#define SUM_MOST (INT64_MAX / 4)

static int
compare_times(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Times in ascending order, of which those before at have been passed. */
struct times {
	int64_t *us;
	size_t n, cap, at;
};

/*
 * What the records of one id on one host tell: when something began, surely
 * (started, dep_start, dep_wait) or for want of that (deployed).
 */
struct evidence {
	struct times starts, early;
	struct times left;	/* starts that a round had one too many of */
};

static void
add_time(struct times *t, int64_t us)
{
	if (us == INT_UNKNOWN)
		return;
	t->us = mem_grow(t->us, &t->cap, t->n + 1, sizeof *t->us);
	t->us[t->n++] = us;
}

static int
compare_us(const void *a, const void *b)
{
	return compare_times(*(const int64_t *)a, *(const int64_t *)b);
}

static void
sort_times(struct times *t)
{
	if (t->n > 0)
		qsort(t->us, t->n, sizeof *t->us, compare_us);
}

static void
gather(struct evidence *e, const struct build *b, const uint32_t *at, size_t n)
{
	const struct task *t;

	for (size_t i = 0; i < n; i++) {
		t = &b->tasks[at[i]];
		add_time((t->flags & TASK_EARLY) != 0 ? &e->early : &e->starts,
		    t->start_us);
		add_time(t->kind == b->copy ? &e->starts : &e->early,
		    t->other_us);
	}
	sort_times(&e->starts);
	sort_times(&e->early);
}

/* The first time not passed and not after until; passes all such. */
static int64_t
take_first(struct times *t, int64_t until, struct times *left)
{
	int64_t first = INT_UNKNOWN;

	for (; t->at < t->n && t->us[t->at] <= until; t->at++) {
		if (first == INT_UNKNOWN)
			first = t->us[t->at];
		else if (left != NULL)
			add_time(left, t->us[t->at]);
	}
	return first;
}

static int64_t
take_next(struct times *t)
{
	return t->at < t->n ? t->us[t->at++] : INT_UNKNOWN;
}

/* A start for an end: since the end before it, or left over before that. */
static void
pair_end(struct evidence *e, struct task *t)
{
	int64_t start_us = take_first(&e->starts, t->end_us, &e->left);
	int64_t early_us = take_first(&e->early, t->end_us, NULL);

	t->elapsed_us = INT_UNKNOWN;
	t->flags &= ~(unsigned)TASK_EARLY;
	if (start_us == INT_UNKNOWN && early_us != INT_UNKNOWN) {
		start_us = early_us;
		t->flags |= TASK_EARLY;
	}
	t->start_us = start_us != INT_UNKNOWN ? start_us :
	    take_next(&e->left);
}

/* Pairs the n records of one id and host; those with an end come first. */
static void
pair_attempts(struct build *b, const uint32_t *at, size_t n)
{
	struct evidence e = { 0 };
	size_t n_ended = 0;
	struct task *t;

	gather(&e, b, at, n);
	for (; n_ended < n; n_ended++) {
		t = &b->tasks[at[n_ended]];
		if (t->end_us == INT_UNKNOWN)
			break;
		pair_end(&e, t);
	}
	/* A start after every end is of an end whose clock is off, ... */
	for (size_t i = 0; i < n_ended; i++) {
		t = &b->tasks[at[i]];
		if (t->start_us == INT_UNKNOWN)
			t->start_us = take_next(&e.starts);
	}
	/* ... or of one attempt that has not ended. */
	for (size_t i = n_ended; i < n; i++) {
		t = &b->tasks[at[i]];
		t->start_us = take_first(&e.starts, INT64_MAX, NULL);
		if (t->start_us == INT_UNKNOWN &&
		    t->elapsed_us == INT_UNKNOWN)
			t->flags |= TASK_DEAD;
	}
	free(e.starts.us);
	free(e.early.us);
	free(e.left.us);
}

static const struct build *sorted;	/* qsort has no context */

/* From the cache last; by host; those with an end first, by end. */
static int
compare_records(const void *a, const void *b)
{
	const struct task *x = &sorted->tasks[*(const uint32_t *)a];
	const struct task *y = &sorted->tasks[*(const uint32_t *)b];
	int order = (int)(x->flags & TASK_CACHED) -
	    (int)(y->flags & TASK_CACHED);

	if (order == 0)
		order = intern_cmp(&sorted->names, x->host, y->host);
	if (order == 0)
		order = (x->end_us == INT_UNKNOWN) -
		    (y->end_us == INT_UNKNOWN);
	if (order == 0)
		order = compare_times(x->end_us, y->end_us);
	if (order == 0)
		order = compare_times(x->size_bytes, y->size_bytes);
	return order != 0 ? order : compare_times(x->start_us, y->start_us);
}

/* The order in which attempts are numbered. */
static int
compare_attempts(const void *a, const void *b)
{
	const struct task *x = &sorted->tasks[*(const uint32_t *)a];
	const struct task *y = &sorted->tasks[*(const uint32_t *)b];
	int order = (x->end_us == INT_UNKNOWN) - (y->end_us == INT_UNKNOWN);

	if (order == 0)
		order = compare_times(x->end_us, y->end_us);
	if (order == 0)
		order = compare_times(x->start_us, y->start_us);
	if (order == 0)
		order = compare_times(x->elapsed_us, y->elapsed_us);
	if (order == 0)
		order = intern_cmp(&sorted->names, x->host, y->host);
	return order != 0 ? order : intern_cmp(&sorted->names, x->rule, y->rule);
}

/* Of the records from the cache one stays, if there is no run that ended. */
static void
settle_cached(struct build *b, const uint32_t *at, size_t n, size_t first)
{
	bool ran = false;

	for (size_t i = 0; i < first; i++)
		ran |= b->tasks[at[i]].end_us != INT_UNKNOWN;
	for (size_t i = first + !ran; i < n; i++)
		b->tasks[at[i]].flags |= TASK_DEAD;
}

static void
number_attempts(struct build *b, uint32_t *at, size_t n)
{
	uint32_t attempt = 0;
	size_t alive = 0;

	for (size_t i = 0; i < n; i++)
		if ((b->tasks[at[i]].flags & TASK_DEAD) == 0)
			at[alive++] = at[i];
	qsort(at, alive, sizeof *at, compare_attempts);
	for (size_t i = 0; i < alive; i++)
		b->tasks[at[i]].attempt = ++attempt < 1 << 24 ? attempt : 0;
	b->n_retries += alive > 0 ? alive - 1 : 0;
}

/* The records of one id, which are the n tasks at. */
static void
settle_id(struct build *b, uint32_t *at, size_t n)
{
	size_t first, last;

	qsort(at, n, sizeof *at, compare_records);
	for (first = 0; first < n; first = last) {
		if ((b->tasks[at[first]].flags & TASK_CACHED) != 0)
			break;
		for (last = first + 1; last < n; last++)
			if ((b->tasks[at[last]].flags & TASK_CACHED) != 0 ||
			    b->tasks[at[last]].host != b->tasks[at[first]].host)
				break;
		pair_attempts(b, at + first, last - first);
	}
	settle_cached(b, at, n, first);
	number_attempts(b, at, n);
}

/* The task's id for a name that is one of its outputs. */
static sym
task_id(const struct build *b, const sym *made_by, sym name)
{
	return build_task(b, name) == INDEX_NONE && made_by[name] != SYM_NONE ?
	    made_by[name] : name;
}

/*
 * A node may be named by another of its command's outputs than the task is,
 * since neither ninja's graph nor its log has all of them always.
 */
static void
use_outputs(struct build *b)
{
	sym *made_by, id;

	if (b->n_outputs == 0)
		return;
	made_by = mem_ones(b->names.n, sizeof *made_by);
	for (size_t i = 0; i < b->n_outputs; i++)
		made_by[b->outputs[i].id] = b->outputs[i].dep;
	for (size_t i = 0; i < b->n_deps; i++) {
		b->deps[i].id = task_id(b, made_by, b->deps[i].id);
		b->deps[i].dep = task_id(b, made_by, b->deps[i].dep);
	}
	for (size_t i = 0; i < b->n_nodes; i++) {
		id = task_id(b, made_by, b->nodes[i].id);
		build_name_node(b, (uint32_t)i, id);
	}
	free(made_by);
}

static int
compare_places(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void
settle_repeated(struct build *b)
{
	uint32_t *at = NULL;
	size_t n, cap = 0;

	sorted = b;
	if (b->n_repeated > 0)
		qsort(b->repeated, b->n_repeated, sizeof *b->repeated,
		    compare_places);
	for (size_t i = 0; i < b->n_repeated; i++) {
		if (i > 0 && b->repeated[i] == b->repeated[i - 1])
			continue;
		n = 0;
		for (uint32_t t = b->repeated[i]; t != INDEX_NONE;
		    t = b->tasks[t].next) {
			at = mem_grow(at, &cap, n + 1, sizeof *at);
			at[n++] = t;
		}
		settle_id(b, at, n);
	}
	free(at);
}

/* Of a start or an end, and the elapsed time, the third follows. */
static void
complete(struct task *t)
{
	if (t->start_us != INT_UNKNOWN && t->end_us != INT_UNKNOWN)
		return;
	if (t->start_us != INT_UNKNOWN && t->elapsed_us != INT_UNKNOWN)
		t->end_us = t->start_us + t->elapsed_us;
	else if (t->end_us != INT_UNKNOWN && t->elapsed_us != INT_UNKNOWN)
		t->start_us = t->end_us - t->elapsed_us;
}

static void
measure(struct build *b, struct task *t)
{
	if (t->start_us != INT_UNKNOWN && t->end_us != INT_UNKNOWN)
		t->elapsed_us = t->end_us - t->start_us;
	if (t->elapsed_us != INT_UNKNOWN && t->elapsed_us < 0) {
		t->elapsed_us = 0;
		b->n_skewed++;
	}
}

void
build_settle(struct build *b)
{
	int64_t start_us = INT_UNKNOWN, end_us = INT_UNKNOWN, sum_us = 0;
	struct task *t;

	build_index(b);
	use_outputs(b);
	for (t = b->tasks; t < b->tasks + b->n_tasks; t++)
		complete(t);
	settle_repeated(b);
	for (t = b->tasks; t < b->tasks + b->n_tasks; t++) {
		measure(b, t);
		if ((t->flags & (TASK_DEAD | TASK_TOTAL)) != 0)
			continue;
		/* Ends and starts alike: clocks may be off. */
		start_us = time_earlier(time_earlier(start_us, t->start_us), t->end_us);
		end_us = time_later(time_later(end_us, t->end_us), t->start_us);
		/* Whoever adds times up need not look for overflow. */
		if (t->elapsed_us > SUM_MOST - sum_us)
			die("the times of all tasks add up to too much");
		sum_us += t->elapsed_us > 0 ? t->elapsed_us : 0;
	}
	if (b->start_us == INT_UNKNOWN || b->end_us < b->start_us) {
		b->start_us = start_us;
		b->end_us = end_us;
	}
	if (b->start_us == INT_UNKNOWN || b->end_us == INT_UNKNOWN)
		b->start_us = b->end_us = INT_UNKNOWN;
}
