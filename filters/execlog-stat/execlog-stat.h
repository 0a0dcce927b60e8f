#pragma once

#include "common/build/build.h"

struct filter;

/* --- activity.c ---------------------------------------------------------- */

/*
 * What ran when, computed by one sweep over the starts and ends of all tasks in
 * the order of time.
 *
 * The weighted time of a task is the integral of 1/(number of running tasks)
 * from its start to its end, as in depot_tools' post_build_ninja_summary.  For
 * each second in which it runs alone, a task is charged one second; for each
 * second in which four tasks run, a quarter.  The weighted times of all tasks
 * sum to the time in which any task ran.
 */

/*
 * The kinds of work and the stages of a build, as in ya's --stat.  Service is
 * copying and preparing hosts.  At each moment a build is in one stage: one of
 * the first two if tests run, else one of the next two if anything is built,
 * and so on in the order of enum work.
 */
enum work { WORK_TEST, WORK_BUILD, WORK_DOWNLOAD, WORK_SERVICE, N_WORK };

enum stage { TESTS_ONLY, TESTS_WITH_OTHER, BUILD_ONLY, BUILD_WITH_OTHER,
    DOWNLOAD_ONLY, DOWNLOAD_WITH_OTHER, SERVICE_ONLY, IDLE, N_STAGES };

extern const char *const stage_names[];	/* as in records */

/*
 * A weighted time as a fixed-point number; WEIGHT_US is one microsecond.  Its
 * sums are exact, so they do not depend on the order of the tasks.
 */
typedef __int128 weight;
#define WEIGHT_US ((weight)1 << 32)

struct activity {
	int64_t start_us, end_us;	/* of the build, or INT_UNKNOWN */
	int64_t stage_us[N_STAGES];	/* they sum to end - start */
	weight *weights;		/* by task */
	int64_t running_us;		/* for how long each task ran within the
					   build, summed over all tasks */
	uint64_t max_running;		/* the most tasks at one time */
	size_t n_bins;
	double *bins;			/* the average number of running tasks
					   in each of n_bins equal parts */
};

/*
 * How long a task took, or INT_UNKNOWN.  An unfinished task runs until the
 * build ends.
 */
int64_t activity_took_us(const struct build *, const struct task *);

/* The kind of work of a task, which follows from its kind, rule and node. */
enum work activity_work_of(const struct build *, const struct task *);

void activity_make(struct activity *, const struct build *, size_t n_bins);
void activity_release(struct activity *);

/* The weighted time of a task, rounded. */
int64_t activity_weighted_us(const struct activity *, uint32_t task);

/* --- stat.c -------------------------------------------------------------- */

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

/* --- emit.c -------------------------------------------------------------- */

void stat_emit(const struct build_stat *, struct filter *);

/* --- report.c ------------------------------------------------------------ */

void stat_report(const struct build_stat *, struct filter *);
