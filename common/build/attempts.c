/* attempts - pairs the starts and ends of the attempts at each task */

#include <stdlib.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/attempts.h"
#include "common/build/build.h"
#include "common/build/missing.h"
#include "common/build/wrong-input.h"

/* The limit on the sum of all elapsed times; attempts.h gives the reason. */
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
 * The paired times are stored in the same records: a record with an end keeps
 * it, and the earliest start that remains goes to a record without an end.  A
 * record that gets no time is superseded.
 *
 * A log may contain a line twice.  Records with a uid are assumed to come from
 * the lines of a log, so two equal ends of such records are one end; and if all
 * records of the id and host have a uid, equal starts are one start.
 */

/* Times in ascending order; those before us[next] have been taken. */
struct times {
	int64_t *us;
	size_t n, cap, next;
};

/* The starts among the records of one id and host, by event. */
struct starts {
	struct times started;	/* a run's `started`; both starts of a copy */
	struct times deployed;	/* of runs; used only if there is no other
				   start */
	struct times left_over;	/* those of `started` that an end did not get,
				   because it got an earlier one */
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
remove_equal(struct times *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (n == 0 || t->us[i] != t->us[n - 1])
			t->us[n++] = t->us[i];
	t->n = n;
}

static void
collect_starts(struct starts *s, const struct build *b,
    const uint32_t *records, size_t n)
{
	bool all_have_uid = true;
	const struct task *t;

	for (size_t i = 0; i < n; i++) {
		t = &b->tasks[records[i]];
		if ((t->flags & TASK_QUEUED) != 0)
			continue;
		all_have_uid &= t->uid != SYM_NONE;
		add_time((t->flags & TASK_DEPLOYED) != 0 ? &s->deployed :
		    &s->started, t->start_us);
		if ((t->flags & TASK_SPREAD) == 0)
			add_time(t->kind == b->copy ? &s->started :
			    &s->deployed, t->second_start_us);
	}
	sort(s->started.us, s->started.n, sizeof *s->started.us, compare_us);
	sort(s->deployed.us, s->deployed.n, sizeof *s->deployed.us,
	    compare_us);
	if (all_have_uid) {
		remove_equal(&s->started);
		remove_equal(&s->deployed);
	}
}

/*
 * Takes the times up to and including until_us and returns the earliest of
 * them; the later ones are added to left_over, unless it is NULL.
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

/*
 * Sets the start of a task without an end.  All records without an end are one
 * attempt, which has not ended: the first of them gets the earliest start that
 * remains, and take_until() discards the later starts.  If there is no start
 * and use_deployed is true, the attempt was only deployed, and its earliest
 * deployment is the start.  A record with an elapsed time counts without a
 * start.
 */
static void
set_open_start(struct starts *s, struct task *t, bool use_deployed)
{
	t->flags &= ~(unsigned)TASK_DEPLOYED;
	t->start_us = take_until(&s->started, INT64_MAX, NULL);
	if (t->start_us == INT_UNKNOWN && use_deployed) {
		t->start_us = take_until(&s->deployed, INT64_MAX, NULL);
		if (t->start_us != INT_UNKNOWN)
			t->flags |= TASK_DEPLOYED;
	}
	complete_times(t);
	if (t->start_us == INT_UNKNOWN && t->elapsed_us == INT_UNKNOWN)
		t->flags |= TASK_SUPERSEDED;
	else
		t->flags &= ~(unsigned)TASK_QUEUED;
}

/*
 * Whether two records of one id and host have the same end: at the same time,
 * with the same size and result.  Such records are adjacent in the order of
 * compare_records().
 */
static bool
have_same_end(const struct task *x, const struct task *y)
{
	return x->end_us == y->end_us && x->size_bytes == y->size_bytes &&
	    (x->flags & TASK_FAILED) == (y->flags & TASK_FAILED);
}

/* Pairs the n records of one id and host, in the order of compare_records(). */
static void
pair_attempts(struct build *b, const uint32_t *records, size_t n)
{
	struct starts s = { 0 };
	struct task *t, *previous;
	size_t n_ended = 0;
	bool is_same;

	collect_starts(&s, b, records, n);
	for (; n_ended < n; n_ended++) {
		t = &b->tasks[records[n_ended]];
		if (t->end_us == INT_UNKNOWN)
			break;
		previous = n_ended > 0 ? &b->tasks[records[n_ended - 1]] : NULL;
		is_same = previous != NULL && have_same_end(previous, t);
		b->attempts.n_same_ends += is_same;
		/* Without a uid, these may be two attempts with equal ends. */
		if (is_same && previous->uid != SYM_NONE && t->uid != SYM_NONE)
			t->flags |= TASK_SUPERSEDED;
		else
			pair_end(&s, t);
	}

	/* An end without a start gets the earliest that remains.  That is later
	   than all ends: the clock that gave one of them must be wrong. */
	for (size_t i = 0; i < n_ended; i++) {
		t = &b->tasks[records[i]];
		if (t->start_us != INT_UNKNOWN ||
		    (t->flags & TASK_SUPERSEDED) != 0)
			continue;
		t->start_us = take_next(&s.started);
		if (t->start_us == INT_UNKNOWN) {
			t->start_us = take_next(&s.deployed);
			if (t->start_us != INT_UNKNOWN)
				t->flags |= TASK_DEPLOYED;
		}
	}

	/* A deployment counts only if no record has an end. */
	for (size_t i = n_ended; i < n; i++)
		set_open_start(&s, &b->tasks[records[i]], i == 0);
	free(s.started.us);
	free(s.deployed.us);
	free(s.left_over.us);
}

/*
 * The order in which attempts are numbered: by end, those without an end last.
 * The other members make the result independent of the order of the input.
 */
static int
compare_attempts(const void *i, const void *j, void *context)
{
	const struct build *b = context;
	const struct task *x = &b->tasks[*(const uint32_t *)i];
	const struct task *y = &b->tasks[*(const uint32_t *)j];
	const struct columns *values = &b->labels.task_values;
	int order = (x->end_us == INT_UNKNOWN) - (y->end_us == INT_UNKNOWN);

	if (order == 0)
		order = cmp_i64(x->end_us, y->end_us);
	if (order == 0)
		order = cmp_i64(x->start_us, y->start_us);
	if (order == 0)
		order = cmp_i64(x->elapsed_us, y->elapsed_us);
	if (order == 0)
		order = intern_cmp(&b->names, x->host, y->host);
	if (order == 0)
		order = cmp_i64(x->size_bytes, y->size_bytes);
	if (order == 0)
		order = (int)x->flags - (int)y->flags;
	if (order == 0)
		order = intern_cmp(&b->names, x->rule, y->rule);
	for (unsigned k = 0; order == 0 && k < values->n; k++)
		order = intern_cmp(&b->names,
		    columns_get(values, k, (size_t)(x - b->tasks)),
		    columns_get(values, k, (size_t)(y - b->tasks)));
	return order;
}

/*
 * The order for pairing: records from the cache last, in the order of
 * compare_attempts(); the others by host, then by end (time, size and result),
 * records without an end last, so that equal ends are adjacent.
 */
static int
compare_records(const void *i, const void *j, void *context)
{
	const struct build *b = context;
	const struct task *x = &b->tasks[*(const uint32_t *)i];
	const struct task *y = &b->tasks[*(const uint32_t *)j];
	unsigned x_cached = x->flags & TASK_CACHED;
	unsigned y_cached = y->flags & TASK_CACHED;
	int order;

	if (x_cached != y_cached)
		return x_cached != 0 ? 1 : -1;
	if (x_cached != 0)
		return compare_attempts(i, j, context);
	order = intern_cmp(&b->names, x->host, y->host);
	if (order == 0)
		order = (x->end_us == INT_UNKNOWN) -
		    (y->end_us == INT_UNKNOWN);
	if (order == 0)
		order = cmp_i64(x->end_us, y->end_us);
	if (order == 0)
		order = cmp_i64(x->size_bytes, y->size_bytes);
	if (order == 0)
		order = (int)(x->flags & TASK_FAILED) -
		    (int)(y->flags & TASK_FAILED);
	return order != 0 ? order : compare_attempts(i, j, context);
}

/*
 * Gives each attempt its number, from 1, or 0 if the number does not fit into
 * 23 bits.
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
		b->tasks[records[i]].attempt = ++attempt < 1 << 23 ?
		    attempt : 0;
	b->attempts.n_retries += n_attempts > 0 ? n_attempts - 1 : 0;
}

/*
 * Resolves the records of one id.  records has their n indexes in b->tasks, and
 * is sorted: those that ran by host, then those from the cache, the earliest
 * first.
 */
static void
resolve_id(struct build *b, uint32_t *records, size_t n)
{
	bool run_has_ended = false, only_queued = true;
	size_t n_ran = 0, next;

	sort_with(records, n, sizeof *records, compare_records, b);
	while (n_ran < n &&
	    (b->tasks[records[n_ran]].flags & TASK_CACHED) == 0)
		n_ran++;
	for (size_t first = 0; first < n_ran; first = next) {
		next = first + 1;
		while (next < n_ran && b->tasks[records[next]].host ==
		    b->tasks[records[first]].host)
			next++;
		pair_attempts(b, records + first, next - first);
	}

	/* If an attempt that ran has ended, all records from the cache are
	   superseded, otherwise all but the earliest. */
	for (size_t i = 0; i < n_ran; i++)
		run_has_ended |= b->tasks[records[i]].end_us != INT_UNKNOWN;
	for (size_t i = n_ran + (run_has_ended ? 0 : 1); i < n; i++)
		b->tasks[records[i]].flags |= TASK_SUPERSEDED;
	/* If nothing is known but that the task was deployed, that counts. */
	for (size_t i = 0; i < n; i++)
		only_queued &= (b->tasks[records[i]].flags & TASK_QUEUED) != 0;
	if (n_ran == n && only_queued)
		b->tasks[records[0]].flags &= ~(unsigned)TASK_SUPERSEDED;
	number_attempts(b, records, n);
}

/* Resolves each id that has several records. */
static void
resolve_repeated(struct build *b)
{
	uint32_t *records = NULL;
	size_t n, cap = 0;

	for (uint32_t i = 0; i < b->n_tasks; i++) {
		if (b->tasks[i].next == INDEX_NONE ||
		    build_find_task(b, b->tasks[i].id) != i)
			continue;
		n = 0;
		for (uint32_t t = i; t != INDEX_NONE; t = b->tasks[t].next) {
			records = mem_grow(records, &cap, n + 1,
			    sizeof *records);
			records[n++] = t;
		}
		resolve_id(b, records, n);
	}
	free(records);
}

/*
 * Adds a record with this start, and without an end, for the same id, host and
 * kind as task i.  The caller removes the start from task i.
 */
static void
split_start(struct build *b, uint32_t i, int64_t start_us)
{
	struct task t = b->tasks[i];

	t.start_us = start_us;
	t.end_us = t.elapsed_us = t.second_start_us = t.size_bytes =
	    INT_UNKNOWN;
	t.flags &= ~(unsigned)(TASK_FAILED | TASK_DEPLOYED);
	build_add_task(b, &t);
}

/*
 * A record may have a start that is later than its end: the start of another
 * attempt.  Which record has that start depends on the order of the lines of
 * the log, so the start becomes a record of its own, as if it had come later.
 */
static void
split_late_starts(struct build *b)
{
	struct task *t;

	for (uint32_t i = 0, n = (uint32_t)b->n_tasks; i < n; i++) {
		t = &b->tasks[i];
		if (t->end_us == INT_UNKNOWN || (t->flags &
		    (TASK_CACHED | TASK_TOTAL)) != 0)
			continue;
		if (t->kind == b->copy && t->second_start_us > t->end_us) {
			split_start(b, i, t->second_start_us);
			b->tasks[i].second_start_us = INT_UNKNOWN;
		}
		t = &b->tasks[i];
		if ((t->flags & TASK_DEPLOYED) == 0 &&
		    t->start_us > t->end_us) {
			split_start(b, i, t->start_us);
			b->tasks[i].start_us = INT_UNKNOWN;
		}
	}
}

void
build_resolve_attempts(struct build *b)
{
	int64_t start_us = INT_UNKNOWN, end_us = INT_UNKNOWN, sum_us = 0;
	struct task *t;

	for (t = b->tasks; t < b->tasks + b->n_tasks; t++) {
		complete_times(t);
		b->attempts.n_ends += t->end_us != INT_UNKNOWN;
	}
	split_late_starts(b);
	resolve_repeated(b);

	for (t = b->tasks; t < b->tasks + b->n_tasks; t++) {
		if ((t->flags & TASK_SUPERSEDED) != 0)
			continue;
		b->attempts.n++;
		if (t->start_us != INT_UNKNOWN && t->end_us != INT_UNKNOWN)
			t->elapsed_us = t->end_us - t->start_us;
		if (t->elapsed_us != INT_UNKNOWN && t->elapsed_us < 0) {
			t->elapsed_us = 0;
			b->attempts.n_skewed++;
		}
		if ((t->flags & TASK_TOTAL) != 0)
			continue;
		/* If clocks are wrong, an end may be the earliest time. */
		start_us = time_earlier(time_earlier(start_us,
		    task_started_us(t)), t->end_us);
		end_us = time_later(time_later(end_us, t->end_us),
		    t->start_us);
		if (t->elapsed_us > SUM_US_MAX - sum_us)
			die("the sum of all elapsed times is too large");
		sum_us += t->elapsed_us > 0 ? t->elapsed_us : 0;
	}

	wrong_input_repeats(b);
	if (b->start_us == INT_UNKNOWN || b->end_us < b->start_us) {
		b->start_us = start_us;
		b->end_us = end_us;
	}
	if (b->start_us == INT_UNKNOWN || b->end_us == INT_UNKNOWN)
		b->start_us = b->end_us = INT_UNKNOWN;
	build_find_missing(b);
}
