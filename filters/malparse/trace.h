#pragma once

#include "filters/malparse/links.h"
#include "filters/malparse/plan.h"
#include "filters/malparse/rows.h"

/*
 * Relates the objects of a trace, most of which are events, to each other:
 * finds the execution, the instance (one run of an instruction) and the query
 * that an event belongs to, and the prerequisites of the instance and the
 * variables that it uses.  Writes these with rows.h or plan-tasks.h.
 */
struct trace {
	unsigned members[N_FORMATS];	/* bits: find_missing() in trace.c */
	uint64_t last_line;		/* of the event before */
	struct rows rows;
	struct plans plans;
	struct links links;
	uint64_t query;		/* execution_id of the query whose tasks are
				   written; 0: of all */
	struct buf decoded;	/* scratch: decoded MAL strings, or the keys of
				   an object for `unknown` */
	struct buf variables;	/* of the event, from its statement */
	struct intern unknown;	/* key lists of objects of unknown format */
	uint64_t n_unknown;	/* objects of unknown format */
	uint64_t n_known;	/* other objects */
	uint64_t n_events;	/* of instructions */
	uint64_t n_repeated;	/* events that seem to repeat others */
	bool has_records;	/* the input has records of weir, such as rows;
				   they count as objects of unknown format */
	int64_t *pcs;		/* prerequisites of the current event */
	size_t n_pcs, pcs_cap;
};

void trace_init(struct trace *, struct filter *);
void trace_end(struct trace *);	/* ends all executions, and writes them */
void trace_release(struct trace *);

/* Adds an object.  *why: the reason to reject it, or NULL. */
void trace_add(struct trace *, const struct rec *, const char **why);
