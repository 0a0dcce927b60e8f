#ifndef CRITPATH_SAVINGS_H
#define CRITPATH_SAVINGS_H

#include "common/build/dag-simulate.h"
#include "common/build/network.h"

/*
 * What a build with a number of workers would save if tasks took no time: each
 * answer is a simulation.  The length of the path does not tell it where the
 * workers are the limit.
 */
struct savings {
	struct network *net;
	const struct dag_pools *pools;	/* or NULL */
	uint64_t workers;	/* 0: nothing is simulated */
	int64_t whole_us;	/* until these workers have done all tasks */
	uint64_t n_left;	/* simulations that do not take too long */
};

/* workers is 0 if the path tells what would be saved. */
void savings_begin(struct savings *, struct network *, uint64_t workers,
    const struct dag_pools *);

/*
 * What is saved if the tasks of a group took no time, those with group_of[v] ==
 * group, or only vertex `group` if group_of is NULL.  It may be negative: list
 * scheduling may take longer although there is less to do.  INT_UNKNOWN if
 * nothing is simulated any more.  Overwrites the tails of the graph:
 * call savings_end() after the last.
 */
int64_t savings_of(struct savings *, const uint32_t *group_of, uint32_t group);

/* Restores the tails of the graph, and allows as many simulations again. */
void savings_end(struct savings *);

/* The head of a column: "could save", with the workers that are simulated. */
enum { SAVINGS_HEAD_MAX = 48 };
const char *savings_head(const struct savings *, char text[SAVINGS_HEAD_MAX]);

/*
 * The time in which the workers do all tasks.  Overwrites the tails of the
 * graph.
 */
int64_t simulate_build(struct network *, uint64_t workers,
    const struct dag_pools *);

#endif
