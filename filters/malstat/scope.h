#ifndef MALSTAT_SCOPE_H
#define MALSTAT_SCOPE_H

#include "filters/malstat/trace.h"

/*
 * What an answer is about: a whole trace, one query, or one session of a trace
 * or query.  It refers to a range of a list of instances, and to the pieces of
 * these instances.  Both are sorted by session and lane.
 */
struct scope {
	uint32_t root;			/* an execution; INDEX_NONE: all */
	const uint32_t *instances;	/* indexes in trace.instances */
	size_t n_instances;
	const struct piece *pieces;
	size_t n_pieces;
};

/*
 * All scopes of a trace.  The first is the whole trace.  If queries are wanted,
 * one follows for each execution that no other initiates, with everything that
 * it initiates directly or indirectly.  The first scope borrows the pieces; the
 * other scopes refer to a copy, which scopes_release() frees.
 */
struct scopes {
	struct scope *list;
	size_t n;
	uint32_t *instances;	/* all; then all again, grouped by query */
	struct piece *pieces;	/* grouped by query */
};
void scopes_make(struct scopes *, const struct trace *,
    const struct pieces *, bool queries);
void scopes_release(struct scopes *);

#endif
