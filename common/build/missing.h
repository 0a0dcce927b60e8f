#pragma once

#include "common/build/build.h"

struct filter;

/*
 * What a build lacks, beside what its log and graph say of themselves: the ends
 * of tasks and the tasks of nodes.  build_resolve_attempts() calls this; it
 * completes build.missing and build.lacks.
 */
void build_find_missing(struct build *);

/* The same for the nodes of tasks: for answers that depend on the graph. */
void build_need_graph(struct build *);

/*
 * Writes what a build lacks as clauses of a sentence, separated by "; ": "b,
 * which started 1.70 s before the end of the log, did not end".
 */
void build_put_missing(const struct build *, struct buf *);

/*
 * Emits an `unfinished` record for each task that started, but has no end in
 * the log (task_is_unfinished()), the one that started first first.
 */
void build_emit_unfinished(const struct build *, struct filter *);
