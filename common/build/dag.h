#ifndef WEIR_DAG_H
#define WEIR_DAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A graph of weighted vertices 0 .. n-1, each of which depends on others, and
 * the longest path through it.  Everything is iterative: a chain of millions
 * is a normal input.  Use in this order: dag_init, dag_add..., dag_seal, then
 * dag_longest, dag_tails, and what needs them.
 */
struct dag {
	size_t n, n_edges;
	uint32_t *row;		/* deps of v: dep[row[v]] .. dep[row[v+1]-1] */
	uint32_t *dep;
	uint32_t *order;	/* the vertices, every one after its deps */
	bool cyclic;

	int64_t *weight;	/* the caller sets it, >= 0 */
	int64_t *finish;	/* longest path that ends with v, v included */
	uint32_t *pred;		/* the step before v on it, or INDEX_NONE */
	int64_t *tail;		/* longest way on from v to an end, without
				   v; < 0 if it leads to none */
	uint32_t *next;		/* the step after v on it, or INDEX_NONE */
	/* Total order of the vertices, to settle ties: < 0 if a is first. */
	int (*compare)(const void *context, uint32_t a, uint32_t b);
	const void *context;

	struct dag_pair *pairs;	/* edges until dag_seal() */
	size_t n_pairs, pairs_cap;
};

/* n vertices, and room for so many edges; there may be more. */
void dag_init(struct dag *, size_t n, size_t edges,
    int (*compare)(const void *context, uint32_t a, uint32_t b),
    const void *context);
void dag_release(struct dag *);

/* v depends on dep.  Edges are a set: the same one twice is one. */
void dag_add(struct dag *, uint32_t v, uint32_t dep);

/*
 * Ends the adding and orders the vertices.  Vertices that depend on each
 * other in a circle lose the edges between them; on_cycle, which may be NULL,
 * is told one circle of each such group: its n vertices, each of which depends
 * on the next and the last on the first, beginning with the first by compare.
 */
void dag_seal(struct dag *,
    void (*on_cycle)(void *to, const uint32_t *cycle, size_t n), void *to);

/*
 * finish and pred.  Of deps that end equally late the heavier comes first,
 * then the first by compare.  May be called again with other weights.
 */
void dag_longest(struct dag *);

/*
 * tail and next, towards the vertices for which is_end is true; of equal ways
 * the first by compare.  May be called again.
 */
void dag_tails(struct dag *, const bool *is_end);

/* The better of two ends of a path, by finish, weight and compare. */
uint32_t dag_better(const struct dag *, uint32_t a, uint32_t b);

/* The longest path through v: finish[v] + tail[v]; < 0 if it has no end. */
int64_t dag_through(const struct dag *, uint32_t v);

/*
 * The steps of the longest path that ends with v, first to last, in memory
 * that the caller frees.
 */
uint32_t *dag_path_to(const struct dag *, uint32_t v, size_t *n);

/* The same for the longest path through v to an end; needs dag_tails(). */
uint32_t *dag_path_through(const struct dag *, uint32_t v, size_t *n);

/*
 * For every step of a longest path: by how much the longest path to the ends
 * shrinks if the step takes no time.  This is the step's potential
 * improvement, and equal to its drag (Devaux): the least of its weight and of
 * the slack of the vertices that run parallel to it, that neither lead to it
 * nor from it.  O((V + E) log steps).
 */
void dag_drag(const struct dag *, const uint32_t *path, size_t n,
    int64_t *drag);

/*
 * How long it takes workers to do everything, when whoever is free takes the
 * ready vertex with the longest way still to go (list scheduling; ties by
 * compare).  Vertices with is_free set take their time but no worker.
 */
int64_t dag_simulate(const struct dag *, uint64_t workers,
    const bool *is_free);

#endif
