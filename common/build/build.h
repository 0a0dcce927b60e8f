#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/base/texts.h"
#include "common/build/column.h"

/*
 * The tasks and nodes of builds, read from `task`, `node` and `build` records
 * (weir-records(5)), for filters whose answers need all of them.  builds.h
 * reads them, and build-names.h has the names by which people know them.
 */

/* Numbers of workers are below WORKER_ANY; larger ones are not known. */
#define WORKER_NONE INDEX_NONE
#define WORKER_ANY (WORKER_NONE - 1)

/* The flags of a task; for most, a key of its record has the value true. */
enum task_flags {
	TASK_CACHED = 1,	/* from_cache */
	TASK_FAILED = 2,	/* failed */
	TASK_TOTAL = 4,		/* total_time: a sum over several intervals */
	TASK_DEPLOYED = 8,	/* starts at `deployed`, not at `started` */
	TASK_DYNAMIC = 16,	/* dynamically_resolved_cache */
	TASK_SUPERSEDED = 32,	/* other records of the id count instead; set by
				   build_resolve_attempts() */
	TASK_QUEUED = 64,	/* it was deployed to a worker, and nothing else
				   is known of it */
	TASK_SKIPPED = 128,	/* skipped: it was not run */
	TASK_SPREAD = 256	/* started_us: it contained other tasks, or
				   waited, and elapsed_us is less than the time
				   from then to its end */
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
					   deploy_us (run from the cache, or
					   queued), started_us (TASK_SPREAD),
					   transfer_us or wait_us (copy) */
	int64_t size_bytes;
	uint32_t next;			/* the next task with this id, or
					   INDEX_NONE */
	uint32_t attempt : 23;		/* from 1; 0 if the id has one record,
					   if the task is superseded, or if the
					   number does not fit */
	uint32_t flags : 9;
};

/* When a task started, even if it did not run all the time since then. */
static inline int64_t
task_started_us(const struct task *t)
{
	return (t->flags & TASK_SPREAD) != 0 ? t->second_start_us :
	    t->start_us;
}

/*
 * Whether a task started, and the log has no end of it: it was still running,
 * as far as the log knows, when the build ended.
 */
static inline bool
task_is_unfinished(const struct task *t)
{
	return t->start_us != INT_UNKNOWN && t->end_us == INT_UNKNOWN &&
	    (t->flags & (TASK_SUPERSEDED | TASK_CACHED | TASK_TOTAL)) == 0;
}

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

/*
 * When the scheduler deployed a task, and how many were ready then and waited
 * in its queue.  Which record of an id has a deploy depends on the order of the
 * lines of the log.
 */
struct queue {
	struct queue_length {
		int64_t us, n;	/* n: or INT_UNKNOWN */
		uint32_t task;
	} *lengths;		/* in no order */
	size_t n, cap;
};

/* The most keys that a filter may give to builds_keep(). */
enum { KEPT_KEYS_MAX = 21 };

/* For build-read.c, build-names.c and build.c: what people read of a build. */
struct labels {
	/* By task and by node: where their name is in name_texts.  That of a
	   task counts if the task is the first of its id.  That of a node is
	   its first output, unless NODE_HAS_NAME is set. */
	struct column task_names, node_names;
	struct texts name_texts;
	/* By key and by task or node: the value, a symbol.  The keys are
	   `target` and those of builds_keep(). */
	struct columns task_values, node_values;
};

/* What attempts.c finds. */
struct attempts {
	uint64_t n_skewed;		/* tasks that end before they start */
	uint64_t n;			/* attempts */
	uint64_t n_retries;		/* those beyond the first */
	uint64_t n_ends;		/* records with an end */
	uint64_t n_same_ends;		/* of them, those that repeat the end
					   (time, size and result) of another
					   record of the same id and host */
};

/* What missing.c finds. */
struct missing {
	uint64_t n_open;		/* tasks that did not end: see
					   build_is_open() */
	uint64_t n_without_node;	/* runs with an elapsed time that the
					   graph does not have, if there is
					   one */
	uint64_t n_without_task;	/* nodes with a command that have no
					   task, although the log should have
					   one */
	size_t open;			/* the task that started first of those
					   that did not end */
	sym without_task;		/* the id of the first of these nodes */
};

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
	sym run, copy, prepare, merged;	/* the symbols of these kinds of tasks,
					   to compare task.kind with */
	int64_t start_us, end_us;	/* of the build, or INT_UNKNOWN */
	int64_t n_earlier_runs;		/* runs before it that its log has, and
					   that were left out */
	int64_t n_unknown_deps;		/* dependencies that the log does not
					   show */
	int64_t limit;			/* how many tasks the tool would have
					   run at once, or INT_UNKNOWN */
	bool is_ninja;			/* the log is ninja's */
	bool has_graph;			/* the log is of a tool whose graphs
					   buildgraph-parse reads */
	bool has_deps;			/* a task listed deps, if only none */
	bool is_incremental;		/* tasks may be missing because their
					   results were there */
	bool is_make;			/* make-record's: the tasks are in the
					   order in which make starts them if
					   all are ready */
	bool has_load_limit;		/* fewer ran while the machine's load
					   was above a limit */
	bool is_mixed;			/* of several runs, whose times have
					   nothing to do with each other */
	unsigned lacks;			/* what is missing (lacks.h); complete
					   after build_find_missing() */
	struct column workers;		/* by task: the number of its worker;
					   not each record of a task has it */
	struct column parents;		/* by task: the id of the task that
					   contains it */
	struct labels labels;
	struct attempts attempts;
	struct missing missing;
	struct queue queue;
};

/*
 * The keys that builds_next() and paths.h look at, for the filter's struct
 * about; builds_keep() adds those of which the filter needs the values.
 */
extern const char *const build_keys[];

/* run_name is borrowed; NULL: the records have no run. */
struct build *build_new(const char *run_name);
void build_free(struct build *);

/*
 * Adds the nodes of the records without `run`, and their dependencies, to a
 * build.  The deferred strings of both must have been flushed (intern.h).
 */
void build_copy_nodes(struct build *, const struct build *common);

/* Completes the symbols that were read, and indexes the records by id. */
void build_index(struct build *);

/*
 * Adds a task to a build that builds_next() has returned, as if the task's
 * record had been read.
 */
void build_add_task(struct build *, const struct task *);

/*
 * Whether a task did not end: it is unfinished, and no other attempt at it
 * ended after it had started.  Such a task counts until the end of the log.
 */
bool build_is_open(const struct build *, const struct task *);

/* How long an unfinished task ran until the build ended; at least 0. */
int64_t build_so_far_us(const struct build *, const struct task *);

/*
 * The index of the first task, or the only node, of an id; INDEX_NONE if there
 * is none.  Further tasks of the id follow by task.next.
 */
uint32_t build_find_task(const struct build *, sym id);
uint32_t build_find_node(const struct build *, sym id);

/*
 * The task that contains a task and has not counted its time, or INDEX_NONE:
 * while the task runs, that one does not.
 */
uint32_t build_find_parent(const struct build *, const struct task *);
