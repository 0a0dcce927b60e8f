#pragma once

#include "filters/execlog-stat/activity.h"

struct filter;

/* The tasks of one type; see build_type(). */
struct type_total {
	sym name;
	uint64_t n_tasks;
	int64_t elapsed_us;
	weight weight;		/* the sum of the weighted times */
	int64_t weighted_us;	/* weight, rounded: see round_weights() */
};

/* The statistics of a build, which are written as records or as a report. */
struct build_stat {
	struct build *build;
	struct activity activity;
	uint32_t *longest;		/* tasks, the longest first */
	size_t n_longest;
	uint32_t *biggest;		/* copies, the biggest first */
	size_t n_biggest;
	struct type_total *types;	/* the longest elapsed time first */
	size_t n_types;
	uint64_t n_tasks;		/* of all kinds, each attempt, without
					   those that were only queued */

	/* Runs; all attempts at one task count as one, as the first of these
	   that is true of any attempt. */
	uint64_t n_run;
	uint64_t n_executed;		/* not from the cache, with an end or an
					   elapsed time */
	uint64_t n_cached;		/* from the cache */
	uint64_t n_unfinished;		/* with a start */
	uint64_t n_skipped;
	uint64_t n_queued;		/* only deployed */
	uint64_t n_untimed;		/* none of these */

	uint64_t n_failed;		/* with an attempt that failed */
	uint64_t n_lookups;		/* attempts from the cache that say when
					   the scheduler asked for them */
	int64_t lookup_us;		/* how long the answers took, in all */
	uint64_t n_tests;		/* executed runs of tests */

	uint64_t n_unseen_nodes;	/* nodes without a task in the log,
					   except phony ones */

	/* Elapsed times of attempts at runs: all, failed ones, tests. */
	int64_t run_us, failed_us, test_us;
};

/* Computes the statistics.  Each list of tasks has at most `top` of them. */
void stat_make(struct build_stat *, struct build *, size_t top, size_t n_bins);
void stat_release(struct build_stat *);

/*
 * The part of the tasks that were looked up in the cache and found there.  If
 * n_cached is 0, the log may be of a kind that cannot say what came from a
 * cache, so nothing is claimed about it; likewise about failures if n_failed is
 * 0.
 */
static inline double
stat_efficiency(const struct build_stat *s)
{
	return (double)s->n_cached / (double)(s->n_cached + s->n_executed);
}
