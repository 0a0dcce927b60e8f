#ifndef MALSTAT_SCOPE_H
#define MALSTAT_SCOPE_H

#include "filters/malstat/trace.h"

/*
 * What an answer is about: a whole trace, one query, or one session of these.
 * It is a slice of each list; both are in the same order of sessions and lanes.
 */
struct scope {
	uint32_t root;			/* an execution; INDEX_NONE: all */
	const uint32_t *instances;	/* indexes */
	size_t n_instances;
	const struct piece *pieces;
	size_t n_pieces;
};

/*
 * All scopes of a trace.  The first is the whole trace.  If queries are wanted,
 * one follows for each execution that no other initiates, with everything that
 * it initiates directly or indirectly.  The pieces are borrowed.
 */
struct scopes {
	struct scope *list;
	size_t n;
	uint32_t *instances;
	struct piece *pieces;
};
void scopes_make(struct scopes *, const struct trace *,
    const struct pieces *, bool queries);
void scopes_release(struct scopes *);

#endif
