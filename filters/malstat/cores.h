#pragma once

#include "filters/malstat/queries.h"

/* How the cores were used in a time. */
struct use {
	int64_t wall_us;
	int64_t busy_us;	/* sum of the work of all threads */
	int64_t idle_us;	/* while no thread worked */
	int64_t serial_us;	/* while exactly one thread worked */
	int64_t *histogram_us;	/* [k]: how long exactly k threads worked */
	size_t n_levels;	/* length of histogram_us; 0: there is none */
	size_t n_threads;
};

/* How the cores are used in a session, or in one dataflow block of it. */
struct cores {
	uint32_t session;	/* index in trace.sessions */
	uint32_t block;		/* the block's index in trace.instances;
				   INDEX_NONE: of a session */
	int64_t start_us, end_us;
	struct use use;		/* a block has no histogram if too many threads
				   work, see cores.c; n_threads: that have a
				   work instance which starts and ends within
				   start_us to end_us */
	bool ran_queries;	/* of a session, in the answer for the whole
				   trace: `queries` is known */
	struct use queries;	/* while queries ran, without a histogram;
				   n_threads: that worked in that time */
};

/*
 * Takes an array of n: one session and its blocks, in which the caller has set
 * session, block, start_us and end_us; and the times in which its queries ran.
 * The scope (scope.h) must be exactly this session.  Sets `use` and `queries`
 * except for n_threads.  The caller frees the histograms.  For m instances the
 * time is O(m log m), however blocks and times overlap.
 */
void cores_measure(struct cores *, size_t n, const struct scope *,
    const struct period *, size_t n_periods);
