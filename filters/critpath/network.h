#ifndef CRITPATH_NETWORK_H
#define CRITPATH_NETWORK_H

#include "common/build.h"
#include "common/dag.h"

struct buf;

/*
 * The tasks of a build that have an elapsed time as vertices of a graph, tied
 * by the rules of weir-records(5), "Dependencies".  Vertices without a task
 * stand for what takes no time of its own: ninja's phony and, with bridge,
 * whatever has no elapsed time.
 */
struct network {
	const struct build *build;
	struct dag dag;
	uint32_t *task_of;	/* by vertex: its task, or NO_TASK */
	sym *id_of;		/* by vertex */
	uint32_t *next_of;	/* by vertex: another of this id, or DAG_NONE */
	uint32_t *first_of;	/* by symbol: a vertex of this id, likewise */
	size_t n_vertices;
	size_t n_tasks;		/* of the vertices, those with a task */
	bool *is_end;		/* a path may end here */
	uint64_t *cuts;		/* vertex << 32 | symbol, */
	size_t n_cuts, cuts_cap;
	uint64_t n_cut;		/* as a set: dependencies on what has no elapsed time */
	uint64_t n_early;	/* tasks that start when they were deployed */
	bool bridge;
};

#define NO_TASK UINT32_MAX

/*
 * Builds the network and the order of its vertices.  Circles are told to
 * on_cycle (see dag_seal()) and cut.
 */
void network_make(struct network *, const struct build *, bool bridge,
    void (*on_cycle)(void *to, const uint32_t *cycle, size_t n), void *to);
void network_release(struct network *);

/*
 * The vertices of an id, one after the other: start with *at = DAG_NONE; false
 * when there are no more.
 */
bool network_next(const struct network *, sym id, uint32_t *at);

/* The task of a vertex, or NULL. */
const struct task *network_task(const struct network *, uint32_t vertex);

/* The id of a vertex, with the number of its attempt: "ID", "ID#2". */
void network_put_id(const struct network *, uint32_t vertex, struct buf *);

#endif
