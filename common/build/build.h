#ifndef WEIR_BUILD_H
#define WEIR_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/base/num.h"

/*
 * The tasks and nodes of one build, gathered from a stream of `task`, `node`
 * and `build` records (weir-records(5)) for the filters that answer questions
 * about the whole of it.
 */
struct filter;
struct rec;

enum task_flags {
	TASK_CACHED = 1,	/* from_cache */
	TASK_FAILED = 2,
	TASK_TOTAL = 4,		/* total_time: a sum, at no certain time */
	TASK_EARLY = 8,		/* its start is that of `deployed` */
	TASK_DYNAMIC = 16,	/* dynamically_resolved_cache */
	TASK_DEAD = 32		/* another record of the same id counts */
};

struct task {
	sym id, kind, host, rule;	/* SYM_NONE where not known */
	sym uid, consumer;
	int64_t start_us, end_us;	/* or INT_UNKNOWN */
	int64_t elapsed_us;		/* >= 0, or INT_UNKNOWN */
	int64_t other_us;		/* transfer_us, wait_us, deployed_us */
	int64_t size_bytes;		/* or INT_UNKNOWN */
	uint32_t next;			/* another task of this id, or NONE */
	uint32_t attempt : 24;		/* of several: 2, 3, ... */
	uint32_t flags : 8;
};

enum node_flags { NODE_PHONY = 1, NODE_TEST = 2, NODE_DOWNLOAD = 4 };

struct node {
	sym id, rule;
	uint8_t flags;
};

/* id waited for dep, by a node or by a task itself. */
struct dependency {
	sym id;		/* within build_read() the record: see build.c */
	sym dep;
};

struct build {
	struct intern names;
	struct task *tasks;
	size_t n_tasks, tasks_cap;
	struct node *nodes;
	size_t n_nodes, nodes_cap;
	struct dependency *deps;
	size_t n_deps, deps_cap;
	struct dependency *outputs;	/* id is made by the task dep */
	size_t n_outputs, outputs_cap;
	uint32_t *task_of, *node_of;	/* by symbol: the first, or NONE */
	sym run, copy, prepare;		/* the kinds that have rules */
	int64_t start_us, end_us;	/* of all, or INT_UNKNOWN */
	uint64_t n_skewed;		/* tasks that end before they start */
	uint64_t n_retries;		/* attempts beyond the first */

	uint32_t *repeated;		/* first tasks of ids that came again */
	size_t n_repeated, repeated_cap;
};

/* The keys that build_read() looks at; a filter declares them. */
extern const char *const build_keys[];

/*
 * Reads the records of a build: those of the file graph, unless it is NULL, and
 * then whatever the filter reads.  A record that breaks a rule is rejected.
 * The tasks are as they were read: build_resolve_attempts() (attempts.h) makes
 * attempts of them.
 */
void build_read(struct build *, struct filter *, const char *graph);
void build_release(struct build *);

/* The first task or node of an id, or INDEX_NONE. */
uint32_t build_task(const struct build *, sym id);
uint32_t build_node(const struct build *, sym id);

/* The task's own rule, or its node's; SYM_NONE if it has none. */
sym build_rule(const struct build *, const struct task *);

/* The id, with the number of the attempt: "ID", "ID#2". */
struct buf;
void build_put_id(const struct build *, const struct task *, struct buf *);

/* The task for people: "CC main.o on ash-1", "copy of main.o to ash-2". */
void build_describe(const struct build *, const struct task *, struct buf *);

/* By id and attempt, as a total order: < 0 if a is first. */
int build_compare(const struct build *, const struct task *a,
    const struct task *b);

#endif
