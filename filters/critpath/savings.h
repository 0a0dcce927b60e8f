#pragma once

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
	int64_t whole_us;	/* until these workers have done all tasks;
				   INT_UNKNOWN if not simulated yet */
};

/* workers is 0 if the path tells what would be saved.  Simulates nothing. */
void savings_begin(struct savings *, struct network *, uint64_t workers,
    const struct dag_pools *);

/*
 * Whether all n answers of a table are simulated: they must not take too long.
 * Otherwise it has none of them, and shows what the path would lose.
 */
bool savings_are_simulated(const struct savings *, size_t n);

/*
 * What is saved if the tasks of a group took no time, those with group_of[v] ==
 * group, or only vertex `group` if group_of is NULL.  It may be negative: list
 * scheduling may take longer although there is less to do.  Overwrites the
 * tails of the graph: call savings_end() after the last.
 */
int64_t savings_of(struct savings *, const uint32_t *group_of, uint32_t group);

/* Restores the tails of the graph. */
void savings_end(struct savings *);

/*
 * The head of a column of n answers: "could save", with the workers that are
 * simulated, or "(path only)" if there are workers but no simulations.
 */
enum { SAVINGS_HEAD_MAX = 48 };
const char *savings_head(const struct savings *, size_t n,
    char text[SAVINGS_HEAD_MAX]);

/*
 * The time in which the workers do all tasks.  Overwrites the tails of the
 * graph.
 */
int64_t simulate_build(struct network *, uint64_t workers,
    const struct dag_pools *);
