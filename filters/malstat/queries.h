#pragma once

#include "filters/malstat/scope.h"

/*
 * What a root (scope.h) used: a query, or a plan that is linked to no query.
 * Its times are measured by the clock of its session.
 */
struct root_use {
	uint32_t root;			/* index in trace.executions */
	int64_t start_us, elapsed_us;	/* of its plans in its own session;
					   INT_UNKNOWN if none of them has a
					   timed instance */
	int64_t busy_us;		/* self time of work, in all sessions */
	size_t n_threads;		/* with work, in all sessions */
	bool is_untimed;		/* of some work the thread is unknown */
	sym costliest;			/* operation, or SYM_NONE */
	int64_t costliest_us;		/* its self time */
};

/* A time in which one or more queries ran. */
struct period {
	uint32_t session;		/* index in trace.sessions */
	int64_t start_us, end_us;
};

struct queries {
	struct root_use *list;	/* queries, then other roots; each of these
				   two groups with the slowest first */
	size_t n, n_queries;	/* of all roots, and of queries */
	bool *ran_in;		/* by session: whether a query ran there */
	struct period *periods;	/* by session and time; each takes time, and
				   between two of a session no query runs */
	size_t n_periods, periods_cap;
};

/* queries_release() frees the lists. */
void queries_make(struct queries *, const struct trace *,
    const struct scopes *);
void queries_release(struct queries *);
