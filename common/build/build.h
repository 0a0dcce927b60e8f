#ifndef WEIR_BUILD_H
#define WEIR_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/base/texts.h"
#include "common/build/column.h"

/*
 * The tasks and nodes of builds, read from `task`, `node` and `build` records
 * (weir-records(5)), for filters whose answers need all of them.
 *
 *	builds_begin(&all, &f, graph);
 *	while ((b = builds_next(&all)) != NULL) {	reads the records
 *		build_resolve_attempts(b);	completes the times
 *		...
 *	}
 */
struct filter;
struct rec;
struct table;

/* The flags of a task; for most, a key of its record has the value true. */
enum task_flags {
	TASK_CACHED = 1,	/* from_cache */
	TASK_FAILED = 2,	/* failed */
	TASK_TOTAL = 4,		/* total_time: a sum over several intervals */
	TASK_DEPLOYED = 8,	/* starts at `deployed`, not at `started` */
	TASK_DYNAMIC = 16,	/* dynamically_resolved_cache */
	TASK_SUPERSEDED = 32	/* other records of the id count instead; set by
				   build_resolve_attempts() */
};

/*
 * One `task` record.  Once attempts are resolved, each record that is not
 * superseded is one attempt at the task with its id.
 */
struct task {
	/* A task without a kind is a run.  The other members from host to
	   consumer are SYM_NONE if they are not known. */
	sym id, kind, host, rule;
	sym uid;			/* of the run; of a copy: of the run
					   that made what is copied */
	sym consumer;			/* of a copy: the run that needs it */
	/* Each is INT_UNKNOWN if it is not known. */
	int64_t start_us, end_us;
	int64_t elapsed_us;		/* >= 0, once attempts are resolved */
	int64_t second_start_us;	/* time of another start event than that
					   of start_us: deployed_us (run),
					   transfer_us or wait_us (copy) */
	int64_t size_bytes;
	uint32_t next;			/* the next task with this id, or
					   INDEX_NONE */
	uint32_t attempt : 24;		/* from 1; 0 if the id has one record,
					   if the task is superseded, or if the
					   number does not fit */
	uint32_t flags : 8;
};

enum node_flags {
	NODE_PHONY = 1, NODE_TEST = 2, NODE_DOWNLOAD = 4,
	NODE_IS_OUTPUT = 8,	/* its id is one of its outputs */
	NODE_HAS_NAME = 16	/* its record has `name` */
};

struct node {
	sym id, rule;
	uint8_t flags;
};

/* The node or task `id` depends on `dep`. */
struct dependency {
	sym id;
	sym dep;
};

/* The most keys that a filter may declare after those of build_keys. */
enum { KEPT_KEYS_MAX = 16 };

struct build {
	const char *run_name;		/* `run`; NULL if the records have
					   none */
	struct intern names;
	struct task *tasks;
	size_t n_tasks, tasks_cap;
	struct node *nodes;		/* each id once */
	size_t n_nodes, nodes_cap;
	struct dependency *deps;
	size_t n_deps, deps_cap;
	struct dependency *outputs;	/* the file named `id` is made by the
					   task whose id is `dep` */
	size_t n_outputs, outputs_cap;
	uint32_t *task_of, *node_of;	/* by symbol: see build_find_task() */

	/* By task and by node: where their name is in name_texts.  That of a
	   task counts if the task is the first of its id.  That of a node is
	   its first output, unless NODE_HAS_NAME is set. */
	struct column task_names, node_names;
	struct column task_targets, node_targets;	/* by symbol */
	struct texts name_texts;
	/* By kept key (build_keys) and by task or node: the value, a symbol. */
	struct column task_values[KEPT_KEYS_MAX], node_values[KEPT_KEYS_MAX];
	unsigned n_kept;
	sym run, copy, prepare;		/* the symbols of these three kinds of
					   tasks, to compare task.kind with */
	int64_t start_us, end_us;	/* of the build, or INT_UNKNOWN */
	int64_t n_earlier_runs;		/* runs before it that its log has, and
					   that were left out */
	uint64_t n_skewed;		/* tasks that end before they start */
	uint64_t n_retries;		/* attempts beyond the first */
	uint64_t n_ends;		/* records with an end */
	uint64_t n_same_ends;		/* of them, those that repeat the end
					   (time, size and result) of another
					   record of the same id and host */

	uint32_t *repeated;		/* for each id with several tasks, the
					   index of the first of them, at least
					   once; unsorted */
	size_t n_repeated, repeated_cap;
};

/*
 * The keys that builds_next() looks at, for the filter's struct about.  If a
 * filter declares further ones after them, even keys of this list once more,
 * the values of these kept keys can be read with build_value().
 */
extern const char *const build_keys[];

/* The builds of a stream: one for each `run`. */
struct builds {
	struct filter *f;
	/* By symbol of run_names; NULL if the run has ended.  Each is allocated
	   by itself, because strings of its records may be deferred (intern.h),
	   and freed when it has been answered.  The names are kept. */
	struct build **by_run;
	size_t n, cap;
	struct intern run_names;
	struct build *common;		/* the records without `run` */
	size_t n_tasks, n_nodes;	/* of all builds, as read */
	bool has_deps;			/* a task listed deps */
	bool has_extent;		/* there was a `build` record */
	bool has_log;			/* there was a log of a kind for which
					   graphs exist */
	bool has_other;			/* there was a record of another type */
	char other_type[32];		/* of the first such record; "" if it
					   had none, or if there was none */
	size_t n_ended;			/* runs that a `build` record has
					   ended */
	const char *last_ended;		/* the name of the last of them */
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
 * Adds a task to a build that builds_next() has returned, as if the task's
 * record had been read.
 */
void build_add_task(struct build *, const struct task *);

/*
 * The index of the first task, or the only node, of an id; INDEX_NONE if there
 * is none.  Further tasks of the id follow by task.next.
 */
uint32_t build_find_task(const struct build *, sym id);
uint32_t build_find_node(const struct build *, sym id);

/* The task's own rule, or its node's; SYM_NONE if it has none. */
sym build_rule(const struct build *, const struct task *);

/*
 * The name by which people know a task: its own; else that of its node; else
 * the first output of its node, unless the id is an output; else the id.  A
 * copy without a name of its own has that of the run that made what is copied.
 * If records of one id have several names, the smallest counts.  Valid until
 * the next call of a function of this module.
 */
struct span build_name(const struct build *, const struct task *);

/*
 * The type of a task: of a copy or a prepare task the kind; of others the rule
 * or, as in a log of ninja without a graph, the extension of the file that is
 * the name, or the kind.  May add to b->names.
 */
sym build_type(struct build *b, const struct task *);

/* The name of the task or node with this id. */
struct span build_name_of_id(const struct build *, sym id);

/* The task's own target, or its node's; SYM_NONE if it has none. */
sym build_target(const struct build *, const struct task *);

/*
 * The value of a kept key, by its number from 0: a string, a number as it is
 * written, "true" or "false".  It is that of the task's record; else the
 * smallest of other records of its id; else that of its node.  SYM_NONE if
 * there is none, or only an empty string or a value of another type.
 */
sym build_value(const struct build *, const struct task *, unsigned kept);

/*
 * Writes a task's `name` as a member of a record, unless the id is the name.
 */
void build_emit_name(const struct build *, const struct task *, struct buf *);

/*
 * Writes the heading of a build's part of a report, if the build has a run: the
 * run's name and a blank line, and before them another blank line unless the
 * buffer is empty.
 */
void build_put_run(const struct build *, struct buf *);

/* Writes "ID" for the first attempt, "ID#2" for the second, and so on. */
void build_put_id(const struct build *, const struct task *, struct buf *);

/* Writes "NAME" for the first attempt, "NAME#2" for the second, and so on. */
void build_put_name(const struct build *, const struct task *, struct buf *);

/*
 * Writes a task for people: "CC main.o on ash-1", "copy of main.o to ash-2".
 * The rule is left out if the name begins with it, or if the name is an output
 * that is the task's id, as in builds by ninja, whose generators name rules.
 */
void build_describe(const struct build *, const struct task *, struct buf *);

/* The same as the last cell of a row, in which the end of the name is kept. */
void build_put_cell(const struct build *, const struct task *, struct table *);

/* A total order by id and attempt: < 0 if a is first. */
int build_compare_tasks(const struct build *, const struct task *a,
    const struct task *b);

#endif
