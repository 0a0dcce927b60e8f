#ifndef CRITPATH_NETWORK_H
#define CRITPATH_NETWORK_H

#include "common/build/build.h"
#include "common/build/dag.h"

struct buf;

/*
 * The tasks of a build that have an elapsed time, as vertices of a graph.  Its
 * edges follow the rules of weir-records(5), "Dependencies".  Placeholders are
 * vertices without a task, which take no time: ninja's phony nodes and, with
 * bridge, nodes and tasks without an elapsed time.
 */
struct network {
	const struct build *build;
	struct dag dag;
	uint32_t *task_of;	/* by vertex: the index of its task; or that of
				   its placeholder plus the build's n_tasks */
	sym *placeholders;	/* their ids */
	size_t placeholders_cap;
	size_t n_vertices;
	size_t n_tasks;		/* the first vertices have tasks, the other
				   ones are placeholders */
	bool *is_end;		/* by vertex: a path may end here */
	uint64_t n_cut;		/* dependencies on what has no elapsed time */
	uint64_t n_deployed;	/* tasks that start at `deployed` */
	bool bridge;
};

/*
 * Makes the vertices and edges, and seals the graph.  Cycles are cut and passed
 * to on_cycle; see dag_seal().
 */
void network_make(struct network *, const struct build *, bool bridge,
    void (*on_cycle)(void *to, const uint32_t *cycle, size_t n), void *to);
void network_release(struct network *);

/* The task of a vertex, NULL if it is a placeholder; its id. */
const struct task *network_task(const struct network *, uint32_t vertex);
sym network_id(const struct network *, uint32_t vertex);

/* Writes the id of a vertex, with the number of a later attempt: "ID#2". */
void network_put_id(const struct network *, uint32_t vertex, struct buf *);

#endif
