#ifndef CRITPATH_NETWORK_H
#define CRITPATH_NETWORK_H

#include "common/build/build.h"
#include "common/build/dag.h"

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
	uint32_t *task_of;	/* by vertex: its task; or, from n_tasks of the
				   build on, what it is among stand_ins */
	sym *stand_ins;		/* the ids of vertices without a task */
	size_t stand_ins_cap;
	size_t n_vertices;
	size_t n_tasks;		/* of the vertices, those with a task */
	bool *is_end;		/* a path may end here */
	uint64_t n_cut;		/* dependencies on what has no elapsed time */
	uint64_t n_early;	/* tasks that start when they were deployed */
	bool bridge;
};

/*
 * Builds the network and the order of its vertices.  Circles are told to
 * on_cycle (see dag_seal()) and cut.
 */
void network_make(struct network *, const struct build *, bool bridge,
    void (*on_cycle)(void *to, const uint32_t *cycle, size_t n), void *to);
void network_release(struct network *);

/* The task of a vertex, or NULL; its id. */
const struct task *network_task(const struct network *, uint32_t vertex);
sym network_id(const struct network *, uint32_t vertex);

/* The id of a vertex, with the number of its attempt: "ID", "ID#2". */
void network_put_id(const struct network *, uint32_t vertex, struct buf *);

#endif
