#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A directed acyclic graph of weighted vertices 0 .. n-1 and the longest
 * (critical) path through it.  The length of a path is the sum of its vertices'
 * weights, whose unit is the caller's.  An edge, and so a path, leads from a
 * dependency to a vertex that depends on it.  An end is a vertex with which a
 * path may end; the caller of dag_tails() says which they are.  Nothing is
 * recursive: a chain of millions is a normal input.
 *
 * Call in this order: dag_init(); dag_add() for each edge; dag_seal();
 * dag_longest(), after which dag_better() and dag_path_to() may be called;
 * dag_tails(); then the other functions below it and in dag-*.h.
 */
struct dag {
	size_t n, n_edges;
	uint32_t *row;		/* v depends on dep[row[v]] .. dep[row[v+1]-1],
				   each once */
	uint32_t *dep;
	uint32_t *order;	/* topological: each vertex after its deps */
	/* What depends on v: dependent[dependent_row[v]] and so on.  NULL until
	   dag_simulate() needs them. */
	uint32_t *dependent_row, *dependent;

	int64_t *weight;	/* >= 0; 0 until the caller sets it, before
				   dag_longest() */
	int64_t *finish;	/* length of the longest path that ends with v,
				   including v */
	uint32_t *pred;		/* the vertex before v on that path, or
				   INDEX_NONE */
	int64_t *tail;		/* length of the longest path from v to an end,
				   without v; < 0 if it reaches none */
	uint32_t *next;		/* the vertex after v on that path, or
				   INDEX_NONE */
	/* A total order of the vertices, for ties: < 0 if a is first. */
	int (*compare)(const void *context, uint32_t a, uint32_t b);
	const void *context;
	/* The place of each vertex in that order, and the vertex at each place;
	   NULL unless the caller has set both. */
	uint32_t *rank, *by_rank;

	struct dag_pair *pairs;	/* the edges, before dag_seal() */
	size_t n_pairs, pairs_cap;
};

/*
 * Makes a graph without edges.  n_edges is an estimate: more may be added.
 * Release with dag_release().
 */
void dag_init(struct dag *, size_t n, size_t n_edges,
    int (*compare)(const void *context, uint32_t a, uint32_t b),
    const void *context);
void dag_release(struct dag *);

/* v depends on dep.  An edge that is added twice is one edge. */
void dag_add(struct dag *, uint32_t v, uint32_t dep);

/*
 * Sorts the vertices topologically.  Call it after all edges have been added.
 *
 * All edges among vertices that depend on each other in cycles (a strongly
 * connected component) are dropped.  If on_cycle is not NULL, it is called with
 * the context and one cycle of each of these components: n vertices, each of
 * which depends on the next and the last on the first, beginning with the first
 * by compare.
 */
void dag_seal(struct dag *,
    void (*on_cycle)(void *context, const uint32_t *cycle, size_t n),
    void *context);

/*
 * Sets finish and pred.  Among dependencies that finish equally late, pred is
 * the one with the greatest weight, then the first by compare.  May be called
 * again with other weights.
 */
void dag_longest(struct dag *);

/*
 * Sets tail and next.  The ends are the vertices for which is_end is true.
 * Among equally long paths, next is the first by compare; but an end keeps
 * INDEX_NONE if no path from it is longer than 0.  May be called again.
 */
void dag_tails(struct dag *, const bool *is_end);

/*
 * Compares the longest paths that end with a and with b, and returns the last
 * vertex of the better one: of the longer path; if they are equally long, the
 * vertex with the greater weight, then the first by compare.  Any vertex is
 * better than INDEX_NONE.
 */
uint32_t dag_better(const struct dag *, uint32_t a, uint32_t b);

/* The length of the longest path through v to an end; < 0 if there is none. */
int64_t dag_through(const struct dag *, uint32_t v);

/*
 * The vertices of the longest path that ends with v, first to last; the caller
 * frees the array.
 */
uint32_t *dag_path_to(const struct dag *, uint32_t v, size_t *n);

/*
 * The vertices of the longest path through v to an end, first to last; the
 * caller frees the array.
 */
uint32_t *dag_path_through(const struct dag *, uint32_t v, size_t *n);
