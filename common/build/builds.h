#pragma once

#include "common/build/build.h"
#include "common/filter/expect.h"

struct filter;
struct rec;

/*
 * The builds of a stream of records, one for each `run`:
 *
 *	builds_begin(&all, &f, graph);
 *	while ((b = builds_next(&all)) != NULL) {	reads the records
 *		build_resolve_attempts(b);	completes the times
 *		...
 *	}
 */
struct builds {
	struct filter *f;
	/* By symbol of run_names; NULL if the run has ended.  Each is allocated
	   by itself, because strings of its records may be deferred (intern.h),
	   and freed when it has been answered.  The names are kept. */
	struct build **by_run;
	size_t n, cap;
	struct intern run_names;
	struct intern executions;	/* execution_id of tasks */
	uint32_t *run_of;		/* by symbol in executions: the run of
					   its tasks, a symbol; SYM_NONE if
					   there are several */
	size_t run_of_cap;
	struct build *common;		/* the records without `run` */
	size_t n_tasks, n_nodes;	/* of all builds, as read */
	unsigned lacks;			/* of all builds so far (lacks.h) */
	bool has_commands;		/* a node came that is not phony */
	bool has_graph;			/* a build is of a tool with graphs that
					   buildgraph-parse reads */
	unsigned graph_lacks;		/* what was known to be missing before
					   the first task came */
	bool has_extent;		/* there was a `build` record */
	struct expect other;		/* the first record of another type */
	size_t n_ended;			/* runs that a `build` record has
					   ended */
	const char *last_ended;		/* the name of the last of them */
	bool said_why;			/* no task came, and a message said
					   what came instead */
	bool had_late_node;		/* a node of every run came after the
					   end of one */
	bool at_end;			/* all records have been read */
	size_t next, n_answered;	/* after the end of the input */
	bool is_last;			/* no build comes after this one; known
					   only for one that no record ended */
	struct build *current;		/* what builds_next() returned last */
	/* If the caller sets it after builds_begin(): gets each record of
	   another type, valid until it returns. */
	void (*on_other)(void *context, const struct rec *);
	void *context;
};

/*
 * Declares build_keys and after them further keys, even keys of that list once
 * more, which end with NULL.  The values of these kept keys can be read with
 * build_value().  Call it before builds_begin().
 */
void builds_keep(struct filter *, const char *const *keys);

/*
 * Prepares to read all records: first those in the file named graph, unless it
 * is NULL, then the filter's input.
 */
void builds_begin(struct builds *, struct filter *, const char *graph);

/*
 * The next build, valid until the next call; NULL, and all memory is released,
 * after the last.  Invalid records are rejected.
 *
 * A `build` record with a `run` ends that run: its build is returned as soon as
 * this record has been read, and further records of the run are rejected.  What
 * the caller writes about the build is flushed before more input is read.
 *
 * At the end of the input the other builds follow, in the order in which their
 * first records came.  Records without `run` are a build of their own, the
 * last, if they have tasks or if no record has a run.  Their nodes are part of
 * every build that ends after them.  If there is only one build, and no record
 * has ended it, the start and end in their `build` records count for it.
 */
struct build *builds_next(struct builds *);

/*
 * The run of the tasks that have this execution_id, a symbol in run_names;
 * SYM_NONE if no records with a run have it so far, or those of several runs.
 */
sym builds_run_of(const struct builds *, struct span execution_id);
