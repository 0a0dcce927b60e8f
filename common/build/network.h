#pragma once

#include "common/build/build.h"
#include "common/build/dag.h"

struct buf;
struct filter;

/*
 * The graph of the tasks of a build that have an elapsed time, or did not end:
 * those count until the end of the log.  Which of these
 * tasks become vertices, and what the edges are, follows the rules of
 * weir-records(5), "Dependencies".  Placeholders are vertices without a task,
 * which take no time and only pass dependencies on.  Ids without a vertex get
 * one: those of ninja's phony nodes and, if `bridge` is true (--bridge), those
 * of all nodes and of all tasks other than copies.
 */
struct network {
	const struct build *build;
	struct dag dag;
	size_t n_vertices;
	size_t n_tasks;		/* the first n_tasks vertices have tasks, all
				   others are placeholders */
	uint32_t *task_of;	/* by vertex: the index of its task, or the
				   build's n_tasks plus the index of its
				   placeholder */
	sym *placeholders;	/* the ids of the placeholders */
	size_t placeholders_cap;
	bool *is_end;		/* by vertex: a path may end with it */
	int64_t *until_us;	/* by vertex: until when a task counts that did
				   not end, or INT_UNKNOWN; NULL if all ended */
	uint64_t n_cut;		/* dependencies on ids without a vertex, which
				   are dropped */
	uint64_t n_deployed;	/* tasks of which only the deployment, and not
				   the start, is known */
	bool bridge;
};

/*
 * Makes the vertices and edges, sets weights and ends, and seals the graph.
 * Cycles are broken (see dag_seal()) and reported as faults of the input.
 * Release with network_release(), before the build.
 */
void network_make(struct network *, const struct build *, bool bridge,
    struct filter *);
void network_release(struct network *);

/*
 * Ranks the vertices of the graph in the order of their ids, so that several
 * simulations, in which ties abound, compare numbers.
 */
void network_rank(struct network *);

/* Whether it is known which tasks wait for others, if only that none does. */
bool network_knows_deps(const struct network *);

/* The task of a vertex; NULL if it is a placeholder. */
static inline const struct task *
network_task(const struct network *net, uint32_t vertex)
{
	uint32_t task = net->task_of[vertex];

	return task < net->build->n_tasks ? &net->build->tasks[task] : NULL;
}

/*
 * When the task of a vertex ended, or until when it counts if it did not end
 * (build_is_open()); INT_UNKNOWN if it is not known.
 */
int64_t network_end_us(const struct network *, uint32_t vertex);

/* The id of a vertex's task or placeholder. */
sym network_id(const struct network *, uint32_t vertex);

/* Writes "ID" for the first attempt, "ID#2" for the second, and so on. */
void network_put_id(const struct network *, uint32_t vertex, struct buf *);

/* The same with the name instead of the id. */
void network_put_name(const struct network *, uint32_t vertex, struct buf *);
