#ifndef EXECLOG_STAT_TIMELINE_H
#define EXECLOG_STAT_TIMELINE_H

#include "common/build/build.h"

/*
 * What ran when: one sweep over the starts and ends of all tasks.
 *
 * The weighted time of a task is the integral of 1/(tasks running) over its
 * time (depot_tools' post_build_ninja_summary): alone, a task is charged all
 * of the time, one of four a quarter.  It sums to the time in which anything
 * ran.
 */

/* Sorts of work, and the stages of a build that they make (ya's --stat). */
enum sort { SORT_TEST, SORT_BUILD, SORT_DOWNLOAD, SORT_SERVICE, N_SORTS };

enum stage { TESTS_ONLY, TESTS_WITH_OTHER, BUILD_ONLY, BUILD_WITH_OTHER,
    DOWNLOAD_ONLY, DOWNLOAD_WITH_OTHER, SERVICE_ONLY, IDLE, N_STAGES };

extern const char *const stage_names[];

/*
 * A weighted time in fixed point, WEIGHT_US to the microsecond: sums of it are
 * exact, so they do not depend on the order in which tasks come.
 */
typedef __int128 weight;
#define WEIGHT_US ((weight)1 << 32)

struct timeline {
	int64_t start_us, end_us;
	int64_t stage_us[N_STAGES];	/* sums to end - start */
	weight *weights;		/* by task */
	int64_t running_us;		/* the sum of all tasks' times */
	uint64_t most_running;		/* at once */
	size_t n_bins;
	double *bins;			/* average number running, in each of
					   n_bins equal parts of the time */
};

enum sort sort_of(const struct build *, const struct task *);

/* Is the task at a certain time, from its start to its end? */
bool has_interval(const struct task *);

void timeline_make(struct timeline *, const struct build *, size_t n_bins);
/* A task's weighted time, rounded. */
int64_t timeline_weighted_us(const struct timeline *, uint32_t task);

void timeline_release(struct timeline *);

#endif
