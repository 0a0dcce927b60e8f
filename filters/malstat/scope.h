#ifndef MALSTAT_SCOPE_H
#define MALSTAT_SCOPE_H

#include "filters/malstat/measure.h"
#include "filters/malstat/executions.h"

/*
 * What an answer is about: a whole trace, one root, or one session of these.  A
 * root is an execution that no other initiates, with everything that it
 * initiates directly or indirectly: usually a query.  A scope refers to a range
 * of a list of instances, and to the range of their pieces.  Both are sorted by
 * session and lane.  executions.h defines instance, piece and lane.
 */
struct scope {
	uint32_t root;			/* an execution that no other initiates,
					   such as that of a query; INDEX_NONE:
					   the whole trace */
	const uint32_t *instances;	/* indexes in trace.instances */
	size_t n_instances;
	const struct piece *pieces;
	size_t n_pieces;
};

/*
 * The scope of the whole trace and after it those of all roots with instances,
 * in the order of traces and ids.  The first scope borrows the pieces; the
 * others refer to a copy, which scopes_release() frees.
 */
struct scopes {
	struct scope *list;
	size_t n;		/* of scopes */
	uint32_t *instances;	/* all of the trace in their order; then all
				   again, grouped by root */
	struct piece *pieces;	/* copies, grouped by root */
};
void scopes_make(struct scopes *, const struct trace *,
    const struct pieces *);
void scopes_release(struct scopes *);

#endif
