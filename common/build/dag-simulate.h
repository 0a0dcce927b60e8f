#pragma once

#include "common/build/dag.h"

/*
 * Pools of workers that some vertices need, in place of those of all others: a
 * make that another make runs is one.
 */
struct dag_pools {
	uint32_t *of;		/* by vertex: its pool, or INDEX_NONE */
	uint32_t *worker_of;	/* by vertex: the one whose worker it gets,
				   which is kept for it; or INDEX_NONE */
	uint64_t *sizes;	/* by pool: its workers; or 0: it has one, and
				   uses others of its outer pool, too */
	uint32_t *outer;	/* by pool: that in whose place it works, or
				   INDEX_NONE: the workers of all others */
	size_t n;
};

/*
 * Limits of how many vertices of a group run at once.  One that has to wait for
 * that takes no worker meanwhile.
 */
struct dag_limits {
	uint32_t *of;		/* by vertex: its group, or INDEX_NONE */
	uint64_t *most;		/* by group, at least 1 */
	size_t n;
};

struct dag_schedule {
	uint64_t workers;	/* at least 1 */
	bool in_order;		/* see below */
	const bool *needs_no_worker;	/* by vertex: it starts as soon as it
					   is ready */
	const struct dag_pools *pools;
	const struct dag_limits *limits;	/* n may be 0 in both */
};

/*
 * The time (makespan) in which the workers complete all vertices by list
 * scheduling: an idle worker takes the ready vertex with the longest remaining
 * path to an end, ties by compare; or, if in_order is true, the one with the
 * lowest number, as make does.  A vertex is ready when all vertices on which it
 * depends have ended.
 */
int64_t dag_simulate(struct dag *, const struct dag_schedule *);
