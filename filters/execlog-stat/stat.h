#ifndef EXECLOG_STAT_STAT_H
#define EXECLOG_STAT_STAT_H

#include "filters/execlog-stat/timeline.h"

struct filter;

/* All answers of the filter; written as records or as a report. */

/* The tasks of one type; see type_of() in stat.c. */
struct type_total {
	sym name;
	uint64_t n_tasks;
	int64_t elapsed_us;
	weight weight;		/* summed weighted times */
	int64_t weighted_us;	/* the same, rounded: see round_weights() */
};

struct stat {
	struct build *build;
	struct timeline timeline;
	uint32_t *longest, *biggest;	/* tasks, the longest first */
	size_t n_longest, n_biggest;
	struct type_total *types;	/* by elapsed time, the most first */
	size_t n_types;
	/* Run tasks of the log; all attempts at one count as one. */
	uint64_t n_run, n_executed, n_cached, n_avoided, n_failed, n_tests;
	uint64_t n_unseen_nodes;	/* nodes without a task in the log */
	int64_t run_us, failed_us, test_us;
	uint64_t n_tasks;
};

/* Computes all answers; top is the length of the lists of tasks. */
void stat_make(struct stat *, struct build *, size_t top, size_t n_bins);
void stat_release(struct stat *);

void stat_emit(const struct stat *, struct filter *);
void stat_report(const struct stat *, struct filter *);

#endif
