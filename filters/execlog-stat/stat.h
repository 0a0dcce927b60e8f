#ifndef EXECLOG_STAT_STAT_H
#define EXECLOG_STAT_STAT_H

#include "filters/execlog-stat/timeline.h"

struct filter;

/* All that the filter answers; records and report are two ways to say it. */

/* Time by type: the rule of a run, else the kind. */
struct type_total {
	sym name;
	uint64_t n_tasks;
	int64_t elapsed_us;
	weight weight;		/* summed weighted times */
	int64_t weighted_us;	/* rounded so that they add up */
};

struct stat {
	struct build *build;
	struct timeline timeline;
	uint32_t *longest, *biggest;	/* tasks, most first */
	size_t n_longest, n_biggest;
	struct type_total *types;	/* most time first */
	size_t n_types;
	/* run tasks of the log, counted once an id */
	uint64_t n_run, n_executed, n_cached, n_avoided, n_failed, n_tests;
	uint64_t n_idle_nodes;		/* nodes of which the log says nothing */
	int64_t run_us, failed_us, test_us;
	uint64_t n_tasks;
};

/* Finds it all; top is how many tasks the lists have. */
void stat_make(struct stat *, struct build *, size_t top, size_t n_bins);
void stat_release(struct stat *);

void stat_emit(const struct stat *, struct filter *);
void stat_report(const struct stat *, struct filter *);

#endif
