#pragma once

#include "common/build/dag-simulate.h"
#include "common/build/network.h"
#include "filters/critpath/usage.h"

struct filter;

/* What limits a build; weir-critical-path(7), "The verdict", has the rules. */
enum limit { LIMIT_UNKNOWN, LIMIT_IDLE, LIMIT_PATH, LIMIT_WORKERS,
    LIMIT_POOLS, LIMIT_ORDER };

/* Times that are not known are INT_UNKNOWN. */
struct verdict {
	const struct network *net;
	const struct dag_pools *pools;	/* or NULL */
	enum limit limit;
	uint64_t workers;	/* as given, or the most tasks that ran at once;
				   0 if neither is known */
	int64_t work_us;	/* the time of all tasks that need a worker */
	int64_t path_us;	/* the longest path to any task but a copy */
	int64_t chain_us;	/* the longest path, even to a copy */
	int64_t share_us;	/* work_us divided by workers, rounded up */
	int64_t simulated_us;	/* until the workers have done all tasks */
	int64_t no_pools_us;	/* LIMIT_POOLS: the same without pools */
	int64_t at_most_us;	/* if not simulated: an upper limit of it */
	/*
	 * The recorded times; unknown if they say nothing about these workers
	 * or these weights.
	 */
	int64_t wall_us;
	int64_t idle_us;	/* of the wall time: no task ran */
	int64_t queue_us;	/* while tasks were in the queue of the
				   scheduler */
	struct usage usage;
	const char *reason;	/* why the limit is not known */
	struct buf missing;	/* what the build lacks, as clauses, or empty */
	bool is_least;		/* the path may be longer */
	/* What more workers would achieve. */
	struct more_workers {
		uint64_t workers;	/* 0: not simulated */
		int64_t us;
	} more[2];
};

/*
 * Finds out what limits the build.  workers is 0 if their number was not given.
 * pools: limits of the simulation, or NULL.  what_if: weights are not as
 * recorded.  Call it after dag_longest().
 * Overwrites the tails of the graph: call dag_tails() afterwards.
 */
void verdict_find(struct verdict *, struct network *, uint64_t workers,
    const struct dag_pools *pools, bool what_if);

void verdict_release(struct verdict *);

/*
 * If the workers limit the build: simulates four and eight times as many.  Call
 * it after verdict_find(); it overwrites the tails, too.
 */
void verdict_simulate_more(struct verdict *, struct network *);

/* "path", "workers" and so on; NULL if it is not known. */
const char *verdict_limit(const struct verdict *);

void verdict_emit(const struct verdict *, struct filter *);

/* Writes the verdict as a sentence and a blank line. */
void verdict_report(const struct verdict *, struct filter *);
