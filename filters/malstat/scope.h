#ifndef MALSTAT_SCOPE_H
#define MALSTAT_SCOPE_H

#include "filters/malstat/trace.h"

/*
 * What an answer is about: a whole trace, one query, or one session of a trace
 * or query.  A scope refers to a range of a list of instances, and to the range
 * of their pieces.  Both are sorted by session and lane.  trace.h defines
 * instance, piece and lane.
 */
struct scope {
	uint32_t root;			/* execution of the query; INDEX_NONE:
					   the whole trace */
	const uint32_t *instances;	/* indexes in trace.instances */
	size_t n_instances;
	const struct piece *pieces;
	size_t n_pieces;
};

/*
 * The scope of the whole trace and, if `queries` is true, the scopes of all
 * queries after it.  Each execution that no other initiates counts as a query,
 * with everything that it initiates directly or indirectly.  The first scope
 * borrows the pieces; the others refer to a copy, which scopes_release() frees.
 */
struct scopes {
	struct scope *list;
	size_t n;		/* of scopes */
	uint32_t *instances;	/* all of the trace in their order; then, for
				   queries, all again, grouped by query */
	struct piece *pieces;	/* copies, grouped by query; or NULL */
};
void scopes_make(struct scopes *, const struct trace *,
    const struct pieces *, bool queries);
void scopes_release(struct scopes *);

#endif
