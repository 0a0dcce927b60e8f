/* attempts - pairs the attempts of each task and resolves their times */

#include <stdlib.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/attempts.h"
#include "common/build/build.h"
#include "common/build/times.h"

/* For the sum of all elapsed times; see attempts.h. */
#define SUM_US_MAX (INT64_MAX / 4)

/*
 * Pairing: which start goes with which end.
 *
 * execlog-parse writes a task when it has a start and an end, but a log may be
 * in any order: an event that comes late is a record of its own, and a record
 * may have the wrong start.  So the starts of all records of one id and host
 * are collected, sorted and assigned anew.  Ends are visited in the order of
 * time, and each gets the earliest start since the previous end:
 *
 *	starts		10    25 30       60
 *	ends		   20       40 50
 *
 *	10..20		the first end gets the only start before it
 *	25..40		25 is the earliest since 20; 30 is left over
 *	30..50		no start since 40, so it gets the one left over
 *	60..		no end since 60: the attempt has not ended
 *
 * The times are stored in the same records: those with an end keep it, and the
 * earliest start that remains goes to a record without an end.  A record that
 * gets no time is superseded.
 */

/* Times in ascending order; those before us[next] have been used. */
struct times {
	int64_t *us;
	size_t n, cap, next;
};

/* The starts among the records of one id and host. */
struct starts {
	struct times started;	/* started, dep_start, dep_wait */
	struct times deployed;	/* used only if there is no other start */
	struct times left_over;	/* from started: not paired with an end */
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
collect_starts(struct starts *s, const struct build *b,
    const uint32_t *records, size_t n)
{
	const struct task *t;

	for (size_t i = 0; i < n; i++) {
		t = &b->tasks[records[i]];
		add_time((t->flags & TASK_DEPLOYED) != 0 ? &s->deployed :
		    &s->started, t->start_us);
		add_time(t->kind == b->copy ? &s->started : &s->deployed,
		    t->second_start_us);
	}
	sort(s->started.us, s->started.n, sizeof *s->started.us, compare_us);
	sort(s->deployed.us, s->deployed.n, sizeof *s->deployed.us,
	    compare_us);
}

/*
 * Removes the times up to and including until_us and returns the earliest; the
 * others are added to left_over, unless it is NULL.
 */
static int64_t
take_until(struct times *t, int64_t until_us, struct times *left_over)
{
	int64_t first_us = INT_UNKNOWN;

	for (; t->next < t->n && t->us[t->next] <= until_us; t->next++) {
		if (first_us == INT_UNKNOWN)
			first_us = t->us[t->next];
		else if (left_over != NULL)
			add_time(left_over, t->us[t->next]);
	}
	return first_us;
}

static int64_t
take_next(struct times *t)
{
	return t->next < t->n ? t->us[t->next++] : INT_UNKNOWN;
}

/* Sets the start of a task that has an end.  Call it in the order of ends. */
static void
pair_end(struct starts *s, struct task *t)
{
	int64_t start_us = take_until(&s->started, t->end_us, &s->left_over);
	int64_t deployed_us = take_until(&s->deployed, t->end_us, NULL);

	t->elapsed_us = INT_UNKNOWN;
	t->flags &= ~(unsigned)TASK_DEPLOYED;
	if (start_us == INT_UNKNOWN && deployed_us != INT_UNKNOWN) {
		start_us = deployed_us;
		t->flags |= TASK_DEPLOYED;
	}
	t->start_us = start_us != INT_UNKNOWN ? start_us :
	    take_next(&s->left_over);
}

/* Pairs the n records of one id and host, in the order of compare_records(). */
static void
pair_attempts(struct build *b, const uint32_t *records, size_t n)
{
	struct starts s = { 0 };
	size_t n_ended = 0;
	struct task *t;

	collect_starts(&s, b, records, n);
	for (; n_ended < n; n_ended++) {
		t = &b->tasks[records[n_ended]];
		if (t->end_us == INT_UNKNOWN)
			break;
		pair_end(&s, t);
	}
	/*
	 * The starts that remain are later than all ends.  They go to ends that
	 * have no start: one of the two clocks must be wrong.
	 */
	for (size_t i = 0; i < n_ended; i++) {
		t = &b->tasks[records[i]];
		if (t->start_us == INT_UNKNOWN)
			t->start_us = take_next(&s.started);
	}
	/*
	 * All records without an end are one attempt, which has not ended.  The
	 * first of them gets the earliest start that remains.
	 */
	for (size_t i = n_ended; i < n; i++) {
		t = &b->tasks[records[i]];
		t->start_us = take_until(&s.started, INT64_MAX, NULL);
		if (t->start_us == INT_UNKNOWN &&
		    t->elapsed_us == INT_UNKNOWN)
			t->flags |= TASK_SUPERSEDED;
	}
	free(s.started.us);
	free(s.deployed.us);
	free(s.left_over.us);
}

/*
 * The order for pairing: records from the cache last; by host; by end, records
 * without one last; and by size and start, so that the order of the input does
 * not matter.
 */
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

/* The order in which attempts are numbered: by end, those without one last. */
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

/*
 * The records from first_cached on came from the cache.  One of them counts if
 * no attempt that ran has ended, and none otherwise.
 */
static void
resolve_cached(struct build *b, const uint32_t *records, size_t n,
    size_t first_cached)
{
	bool run_has_ended = false;

	for (size_t i = 0; i < first_cached; i++)
		run_has_ended |= b->tasks[records[i]].end_us != INT_UNKNOWN;
	for (size_t i = first_cached + !run_has_ended; i < n; i++)
		b->tasks[records[i]].flags |= TASK_SUPERSEDED;
}

/*
 * Gives each attempt its number, from 1, or 0 if the number does not fit into
 * 24 bits.
 */
static void
number_attempts(struct build *b, uint32_t *records, size_t n)
{
	uint32_t attempt = 0;
	size_t n_attempts = 0;

	for (size_t i = 0; i < n; i++)
		if ((b->tasks[records[i]].flags & TASK_SUPERSEDED) == 0)
			records[n_attempts++] = records[i];
	sort_with(records, n_attempts, sizeof *records, compare_attempts, b);
	for (size_t i = 0; i < n_attempts; i++)
		b->tasks[records[i]].attempt = ++attempt < 1 << 24 ?
		    attempt : 0;
	b->n_retries += n_attempts > 0 ? n_attempts - 1 : 0;
}

/* Resolves the records of one id: n indexes of tasks, which it reorders. */
static void
resolve_id(struct build *b, uint32_t *records, size_t n)
{
	const struct task *t, *other;
	size_t first, next;

	sort_with(records, n, sizeof *records, compare_records, b);
	for (first = 0; first < n; first = next) {
		t = &b->tasks[records[first]];
		if ((t->flags & TASK_CACHED) != 0)
			break;
		for (next = first + 1; next < n; next++) {
			other = &b->tasks[records[next]];
			if ((other->flags & TASK_CACHED) != 0 ||
			    other->host != t->host)
				break;
		}
		pair_attempts(b, records + first, next - first);
	}
	resolve_cached(b, records, n, first);
	number_attempts(b, records, n);
}

static int
compare_indexes(const void *a, const void *b)
{
	return cmp_u64(*(const uint32_t *)a, *(const uint32_t *)b);
}

static void
resolve_repeated(struct build *b)
{
	uint32_t *records = NULL;
	size_t n, cap = 0;

	sort(b->repeated, b->n_repeated, sizeof *b->repeated,
	    compare_indexes);
	for (size_t i = 0; i < b->n_repeated; i++) {
		if (i > 0 && b->repeated[i] == b->repeated[i - 1])
			continue;
		n = 0;
		for (uint32_t t = b->repeated[i]; t != INDEX_NONE;
		    t = b->tasks[t].next) {
			records = mem_grow(records, &cap, n + 1,
			    sizeof *records);
			records[n++] = t;
		}
		resolve_id(b, records, n);
	}
	free(records);
}

/* Computes a missing start or end from the elapsed time and the other one. */
static void
complete_times(struct task *t)
{
	if (t->start_us != INT_UNKNOWN && t->end_us != INT_UNKNOWN)
		return;
	if (t->start_us != INT_UNKNOWN && t->elapsed_us != INT_UNKNOWN)
		t->end_us = t->start_us + t->elapsed_us;
	else if (t->end_us != INT_UNKNOWN && t->elapsed_us != INT_UNKNOWN)
		t->start_us = t->end_us - t->elapsed_us;
}

static void
set_elapsed(struct build *b, struct task *t)
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
		complete_times(t);
	resolve_repeated(b);
	for (t = b->tasks; t < b->tasks + b->n_tasks; t++) {
		set_elapsed(b, t);
		if ((t->flags & (TASK_SUPERSEDED | TASK_TOTAL)) != 0)
			continue;
		/* If clocks are wrong, an end may be the earliest time. */
		start_us = time_earlier(time_earlier(start_us, t->start_us),
		    t->end_us);
		end_us = time_later(time_later(end_us, t->end_us),
		    t->start_us);
		if (t->elapsed_us > SUM_US_MAX - sum_us)
			die("the sum of all elapsed times is too large");
		sum_us += t->elapsed_us > 0 ? t->elapsed_us : 0;
	}
	if (b->start_us == INT_UNKNOWN || b->end_us < b->start_us) {
		b->start_us = start_us;
		b->end_us = end_us;
	}
	if (b->start_us == INT_UNKNOWN || b->end_us == INT_UNKNOWN)
		b->start_us = b->end_us = INT_UNKNOWN;
}
