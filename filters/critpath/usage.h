#pragma once

#include "common/build/network.h"

enum { GAPS_MAX = 3 };

/* A time in which no task, not even a copy, ran. */
struct gap {
	int64_t from_us, to_us;
	const struct task *next;	/* usage_find_next(): it started at
					   to_us; NULL at the end of the
					   build */
};

/*
 * How the recorded times of the tasks overlap.  A task without an end runs
 * until the build ends.
 */
struct usage {
	bool is_known;		/* each task that took time has a start and an
				   end; otherwise all else is 0 */
	uint64_t most;		/* the most tasks, without copies, that ran at
				   once; a task that ends when another begins
				   does not overlap it */
	int64_t busy_us;	/* the time in which at least one task, or a
				   copy, ran */
	struct gap gaps[GAPS_MAX];	/* the longest ones, longest first */
	size_t n_gaps;
};

void usage_measure(struct usage *, const struct network *);

/* Finds the first task, by id, that started at the end of each gap. */
void usage_find_next(struct usage *, const struct build *);

/*
 * For how long tasks waited in the queue of the scheduler, from its first to
 * its last deploy; span_us is the time between these two.  Both are INT_UNKNOWN
 * if the log does not have the queue.
 */
void usage_measure_queue(const struct build *, int64_t *waited_us,
    int64_t *span_us);
