#ifndef EXECLOG_STAT_STAT_H
#define EXECLOG_STAT_STAT_H

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
	uint64_t n_tasks;		/* of all kinds, each attempt */

	/* Runs; all attempts at one task count as one. */
	uint64_t n_run;
	uint64_t n_executed;		/* an attempt not from the cache has an
					   end or an elapsed time */
	uint64_t n_cached;		/* not executed, but from the cache */
	uint64_t n_avoided;		/* neither of the two */
	uint64_t n_failed;		/* with an attempt that failed */
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
 * Whether a task was not executed.  If none was, the log may be of a kind that
 * cannot say what came from a cache, so nothing is claimed about it; likewise
 * about failures if n_failed is 0.
 */
static inline bool
stat_knows_cache(const struct build_stat *s)
{
	return s->n_cached + s->n_avoided > 0;
}

#endif
