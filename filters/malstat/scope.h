#ifndef MALSTAT_SCOPE_H
#define MALSTAT_SCOPE_H

#include "filters/malstat/trace.h"

/*
 * What an answer is about: a whole trace, one query, or one session of these.
 * It is a part of a list of instances, with the pieces of these.  Both lists
 * are sorted by session and lane.
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
 * it initiates directly or indirectly.  The first scope borrows the pieces, the
 * others have a copy.
 */
struct scopes {
	struct scope *list;
	size_t n;
	uint32_t *instances;	/* all; then all again, by query */
	struct piece *pieces;	/* by query */
};
void scopes_make(struct scopes *, const struct trace *,
    const struct pieces *, bool queries);
void scopes_release(struct scopes *);

#endif
