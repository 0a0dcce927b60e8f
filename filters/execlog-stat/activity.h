#pragma once

#include "common/build/build.h"

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
