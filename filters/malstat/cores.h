#ifndef MALSTAT_CORES_H
#define MALSTAT_CORES_H

#include "filters/malstat/scope.h"

/* How the cores of a session were used while queries ran. */
struct query_time {
	bool is_known;		/* a query ran in the session */
	int64_t wall_us, busy_us, idle_us, serial_us;	/* as in cores */
	size_t n_threads;	/* that worked in that time */
};

/*
 * How the cores are used in a session, or in one dataflow block of it, or in a
 * period of it (queries.h).
 */
struct cores {
	uint32_t session;	/* index in trace.sessions */
	uint32_t block;		/* the block's index in trace.instances;
				   INDEX_NONE: of a session or period */
	bool is_period;		/* it has no histogram */
	int64_t start_us, end_us;
	int64_t busy_us;	/* sum of the work of all threads */
	int64_t idle_us;	/* while no thread worked */
	int64_t serial_us;	/* while exactly one thread worked */
	int64_t *histogram_us;	/* [k]: how long exactly k threads worked */
	size_t n_levels;	/* length of histogram_us; 0: there is none, as
				   too many threads work, see cores.c */
	size_t n_threads;	/* that have a work instance which starts and
				   ends within start_us to end_us */
	struct query_time queries;	/* of a session, in the answer for the
					   whole trace; set by costs_make() */
};

/*
 * Takes an array of n: one session, and parts of it, in which the caller has
 * set session, block, is_period, start_us and end_us.  The scope (scope.h) must
 * be exactly this session.  Sets the other times and the histograms, which the
 * caller frees.  For m instances the time is O(m log m), however the parts
 * overlap.
 */
void cores_measure(struct cores *, size_t n, const struct scope *);

static inline int64_t
cores_wall_us(const struct cores *c)
{
	return c->end_us - c->start_us;
}

#endif
