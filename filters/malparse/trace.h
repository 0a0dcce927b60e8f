#ifndef MALPARSE_TRACE_H
#define MALPARSE_TRACE_H

#include "filters/malparse/event.h"
#include "filters/malparse/links.h"
#include "filters/malparse/plan.h"
#include "filters/malparse/rows.h"

/*
 * Relates the objects of a trace to each other, and passes them on to rows or
 * tasks: events become executions, instances, prerequisites, uses of variables
 * and queries.
 */
struct trace {
	struct rows rows;
	struct plans plans;
	struct links links;
	struct buf decoded;	/* MAL strings without quotes and escapes */
	struct intern unknown;	/* key lists of objects of unknown format */
	uint64_t n_unknown;	/* objects of unknown format */
	int64_t *pcs;		/* prerequisites of the current event */
	size_t n_pcs, pcs_cap;
};

void trace_init(struct trace *, struct filter *);
void trace_end(struct trace *);		/* writes what is still pending */
void trace_release(struct trace *);

/* Adds an object.  *why: the reason to reject it, or NULL. */
void trace_add(struct trace *, const struct rec *, const char **why);

#endif
