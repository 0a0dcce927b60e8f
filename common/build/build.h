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

static inline int64_t
time_earlier(int64_t a, int64_t b)
{
	return a == INT_UNKNOWN || (b != INT_UNKNOWN && b < a) ? b : a;
}

static inline int64_t
time_later(int64_t a, int64_t b)
{
	return a > b ? a : b;	/* INT_UNKNOWN is the least */
}

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
	sym uid, consumer;	/* uid is settled by build_index() */
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
	sym id;		/* until build_settle(), the record: see build.c */
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

/* The keys that build_add() looks at; a filter declares them. */
extern const char *const build_keys[];

void build_init(struct build *);
void build_release(struct build *);

/* Adds the record if it is of a build; what is wrong with it is rejected. */
void build_add(struct build *, struct filter *, const struct rec *);

/*
 * Ends the adding.  Records of one id are attempts at one task, or pieces of
 * what is known of them (see execlog-parse).  On each host starts and ends are
 * paired in the order of time: an end takes the earliest start since the end
 * before it, and where there is none the `deployed`.  If a task was both run
 * and taken from the cache, the run counts.  Attempts beyond the first are
 * numbered in the order of their ends.  The result does not depend on the
 * order of the records.
 */
void build_settle(struct build *);

/* Ends the adding, for build_settle(): all symbols are known, all is indexed. */
void build_index(struct build *);

/* Makes a node the one of an id. */
void build_name_node(struct build *, uint32_t node, sym id);

/*
 * All of it: nodes from the file graph, unless it is NULL, and then whatever
 * the filter reads, added and settled.
 */
void build_read(struct build *, struct filter *, const char *graph);

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
