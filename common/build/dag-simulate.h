#pragma once

#include "common/build/dag.h"

/*
 * Limits of how many vertices of a pool run at once.  A pool that is full makes
 * its vertices wait, but no worker.
 */
struct dag_pools {
	uint32_t *of;		/* by vertex: its pool, or INDEX_NONE */
	uint64_t *limits;	/* by pool, at least 1 */
	size_t n;
};

/*
 * The time (makespan) in which a number of workers, at least one, completes all
 * vertices by list scheduling: an idle worker takes the ready vertex with the
 * longest remaining path to an end, ties by compare; or, if in_order is true,
 * the one with the lowest number, as make does.  A vertex is ready when all
 * vertices on which it depends have ended.  One for which needs_no_worker is
 * true starts as soon as it is ready.  pools may be NULL.
 */
int64_t dag_simulate(const struct dag *, uint64_t workers, bool in_order,
    const bool *needs_no_worker, const struct dag_pools *pools);
