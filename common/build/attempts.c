/* attempts - pairs the attempts of each task and resolves their times */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/attempts.h"
#include "common/build/build.h"
#include "common/build/times.h"

#define SUM_MOST (INT64_MAX / 4)

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
	return cmp_i64(*(const int64_t *)a, *(const int64_t *)b);
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
	sort(e->starts.us, e->starts.n, sizeof *e->starts.us, compare_us);
	sort(e->early.us, e->early.n, sizeof *e->early.us, compare_us);
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

/* From the cache last; by host; those with an end first, by end. */
static int
compare_records(const void *i, const void *j, void *context)
{
	const struct build *b = context;
	const struct task *x = &b->tasks[*(const uint32_t *)i];
	const struct task *y = &b->tasks[*(const uint32_t *)j];
	int order = (int)(x->flags & TASK_CACHED) -
	    (int)(y->flags & TASK_CACHED);

	if (order == 0)
		order = intern_cmp(&b->names, x->host, y->host);
	if (order == 0)
		order = (x->end_us == INT_UNKNOWN) -
		    (y->end_us == INT_UNKNOWN);
	if (order == 0)
		order = cmp_i64(x->end_us, y->end_us);
	if (order == 0)
		order = cmp_i64(x->size_bytes, y->size_bytes);
	return order != 0 ? order : cmp_i64(x->start_us, y->start_us);
}

/* The order in which attempts are numbered. */
static int
compare_attempts(const void *i, const void *j, void *context)
{
	const struct build *b = context;
	const struct task *x = &b->tasks[*(const uint32_t *)i];
	const struct task *y = &b->tasks[*(const uint32_t *)j];
	int order = (x->end_us == INT_UNKNOWN) - (y->end_us == INT_UNKNOWN);

	if (order == 0)
		order = cmp_i64(x->end_us, y->end_us);
	if (order == 0)
		order = cmp_i64(x->start_us, y->start_us);
	if (order == 0)
		order = cmp_i64(x->elapsed_us, y->elapsed_us);
	if (order == 0)
		order = intern_cmp(&b->names, x->host, y->host);
	return order != 0 ? order : intern_cmp(&b->names, x->rule, y->rule);
}

/* Of the records from the cache one stays, if there is no run that ended. */
static void
resolve_cached(struct build *b, const uint32_t *at, size_t n, size_t first)
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
	sort_with(at, alive, sizeof *at, compare_attempts, b);
	for (size_t i = 0; i < alive; i++)
		b->tasks[at[i]].attempt = ++attempt < 1 << 24 ? attempt : 0;
	b->n_retries += alive > 0 ? alive - 1 : 0;
}

/* The records of one id, which are the n tasks at. */
static void
resolve_id(struct build *b, uint32_t *at, size_t n)
{
	size_t first, last;

	sort_with(at, n, sizeof *at, compare_records, b);
	for (first = 0; first < n; first = last) {
		if ((b->tasks[at[first]].flags & TASK_CACHED) != 0)
			break;
		for (last = first + 1; last < n; last++)
			if ((b->tasks[at[last]].flags & TASK_CACHED) != 0 ||
			    b->tasks[at[last]].host != b->tasks[at[first]].host)
				break;
		pair_attempts(b, at + first, last - first);
	}
	resolve_cached(b, at, n, first);
	number_attempts(b, at, n);
}

static int
compare_indexes(const void *a, const void *b)
{
	return cmp_u64(*(const uint32_t *)a, *(const uint32_t *)b);
}

static void
resolve_repeated(struct build *b)
{
	uint32_t *at = NULL;
	size_t n, cap = 0;

	sort(b->repeated, b->n_repeated, sizeof *b->repeated,
	    compare_indexes);
	for (size_t i = 0; i < b->n_repeated; i++) {
		if (i > 0 && b->repeated[i] == b->repeated[i - 1])
			continue;
		n = 0;
		for (uint32_t t = b->repeated[i]; t != INDEX_NONE;
		    t = b->tasks[t].next) {
			at = mem_grow(at, &cap, n + 1, sizeof *at);
			at[n++] = t;
		}
		resolve_id(b, at, n);
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
build_resolve_attempts(struct build *b)
{
	int64_t start_us = INT_UNKNOWN, end_us = INT_UNKNOWN, sum_us = 0;
	struct task *t;

	for (t = b->tasks; t < b->tasks + b->n_tasks; t++)
		complete(t);
	resolve_repeated(b);
	for (t = b->tasks; t < b->tasks + b->n_tasks; t++) {
		measure(b, t);
		if ((t->flags & (TASK_DEAD | TASK_TOTAL)) != 0)
			continue;
		/* Ends and starts alike: clocks may be off. */
		start_us = time_earlier(time_earlier(start_us, t->start_us),
		    t->end_us);
		end_us = time_later(time_later(end_us, t->end_us),
		    t->start_us);
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
