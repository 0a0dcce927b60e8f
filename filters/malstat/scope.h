#pragma once

#include "filters/malstat/measure.h"
#include "filters/malstat/executions.h"

/*
 * What an answer is about: a whole trace, one root, or one session of these.  A
 * root is an execution that no other initiates, with everything that it
 * initiates directly or indirectly: usually a query.  The instances and their
 * pieces are sorted by session and lane.  executions.h and measure.h define
 * instance, lane and piece.
 */
struct scope {
	uint32_t root;			/* an execution that no other initiates,
					   such as that of a query; INDEX_NONE:
					   the whole trace */
	uint32_t *instances;		/* indexes in trace.instances */
	size_t n_instances, instances_cap;
	struct piece *pieces;
	size_t n_pieces, pieces_cap;
};

/*
 * The scope of the whole trace, which takes over pieces.list, and after it
 * those of all roots with instances, in the order of traces and ids.
 */
struct scopes {
	struct scope *list;
	size_t n;		/* of scopes */
};
void scopes_make(struct scopes *, const struct trace *,
    const struct pieces *);
void scopes_release(struct scopes *);
