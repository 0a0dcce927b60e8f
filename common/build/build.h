#ifndef WEIR_BUILD_H
#define WEIR_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"

/*
 * The tasks and nodes of one build, read from `task`, `node` and `build`
 * records (weir-records(5)), for filters whose answers need all of them.
 *
 *	build_read(&b, &f, graph);	reads and indexes the records
 *	build_resolve_attempts(&b);	attempts.h: completes the tasks' times
 */
struct buf;
struct filter;

enum task_flags {
	TASK_CACHED = 1,	/* from_cache */
	TASK_FAILED = 2,	/* failed */
	TASK_TOTAL = 4,		/* total_time: a sum over several intervals */
	TASK_DEPLOYED = 8,	/* starts at `deployed`, not at `started` */
	TASK_DYNAMIC = 16,	/* dynamically_resolved_cache */
	TASK_SUPERSEDED = 32	/* other records of the id count instead */
};

struct task {
	sym id, kind, host, rule;	/* SYM_NONE if not known */
	sym uid, consumer;
	/* Each is INT_UNKNOWN if it is not known. */
	int64_t start_us, end_us;
	int64_t elapsed_us;		/* >= 0, once attempts are resolved */
	int64_t second_start_us;	/* the other start event: deployed_us
					   (run), transfer_us or wait_us
					   (copy) */
	int64_t size_bytes;
	uint32_t next;			/* task with this id, or INDEX_NONE */
	uint32_t attempt : 24;		/* from 1; 0 if the id has one record */
	uint32_t flags : 8;
};

enum node_flags { NODE_PHONY = 1, NODE_TEST = 2, NODE_DOWNLOAD = 4 };

struct node {
	sym id, rule;
	uint8_t flags;
};

/* The node or task `id` depends on `dep`. */
struct dependency {
	sym id;
	sym dep;
};

struct build {
	struct intern names;
	struct task *tasks;
	size_t n_tasks, tasks_cap;
	struct node *nodes;		/* each id once */
	size_t n_nodes, nodes_cap;
	struct dependency *deps;
	size_t n_deps, deps_cap;
	struct dependency *outputs;	/* the file with the name id is made by
					   the task with the id dep */
	size_t n_outputs, outputs_cap;
	uint32_t *task_of, *node_of;	/* by symbol: see build_find_task() */
	sym run, copy, prepare;		/* the symbols of these three kinds of
					   tasks, to compare task.kind with */
	int64_t start_us, end_us;	/* of the build, or INT_UNKNOWN */
	uint64_t n_skewed;		/* tasks that end before they start */
	uint64_t n_retries;		/* attempts beyond the first */

	uint32_t *repeated;		/* for each id with several tasks, the
					   index of the first of them, at least
					   once; unsorted */
	size_t n_repeated, repeated_cap;
};

/* The keys that build_read() looks at, for the filter's struct about. */
extern const char *const build_keys[];

/*
 * Reads the records of a build: first those in the file named graph, unless it
 * is NULL, then the filter's input.  Invalid records are rejected.  Release
 * with build_release().
 */
void build_read(struct build *, struct filter *, const char *graph);
void build_release(struct build *);

/*
 * The index of the first task, or the only node, of an id; INDEX_NONE if there
 * is none.  Further tasks of the id follow by task.next.
 */
uint32_t build_find_task(const struct build *, sym id);
uint32_t build_find_node(const struct build *, sym id);

/* The task's own rule, or its node's; SYM_NONE if it has none. */
sym build_rule(const struct build *, const struct task *);

/* Writes the id; for a later attempt with its number: "ID", "ID#2". */
void build_put_id(const struct build *, const struct task *, struct buf *);

/* Writes a task for people: "CC main.o on ash-1", "copy of main.o to ash-2". */
void build_describe(const struct build *, const struct task *, struct buf *);

/* A total order by id and attempt: < 0 if a is first. */
int build_compare_tasks(const struct build *, const struct task *a,
    const struct task *b);

#endif
