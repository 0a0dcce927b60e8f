/* dag-drag - how much each vertex of a longest path adds to its length */

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/build/dag.h"

/*
 * Without step i the longest path is either the same path without the weight of
 * i, or the longest path that avoids i (its replacement path).  So
 *
 *	drag(i) = min(weight(i), length - longest path that avoids i)
 *
 * and all replacement paths are found together.  Steps are counted from 0.  Let
 * after[v] be the number of steps of the path up to the last one that leads to
 * v, or is v.  Seen from step i, vertices with after <= i are on the near side
 * and all others, step i too, on the far side.  A path that avoids i begins on
 * the near side.  It ends there, or it crosses to the far side along exactly
 * one edge, which jumps over i, and cannot meet i any more.  Hence
 *
 * - an edge from w to v, which depends on w, jumps over the steps from after[w]
 *   to the largest after of v's dependencies, that one excluded; the longest
 *   path along the edge is finish[w] + weight[v] + tail[v];
 * - a path that ends with v avoids the steps from after[v] on.
 *
 * Each gives an interval of steps and a slack: how much shorter the path is
 * that avoids them.  For a step the least slack of all intervals that contain
 * it counts.  A segment tree holds the intervals.
 *
 *	a(2) - b(5) - c(4)	path a b c, length 11; after[a] = 1,
 *	    \_ d(3) _/		after[b] = 2, after[c] = 3, after[d] = 1
 *
 * The edge from d to c jumps over step 1, b, with a length of 9: the drag of b
 * is min(5, 11 - 9) = 2.  Nothing jumps over a and c: theirs is their weight.
 */

/*
 * The segment tree has 2n places: step i is the leaf n + i, and the parent of a
 * place p is p / 2.  An interval is written to the O(log n) places that cover
 * it exactly; a step reads all places from its leaf up to the root.
 */
static void
lower_interval(int64_t *tree, size_t n, size_t from, size_t to, int64_t value)
{
	for (from += n, to += n; from < to; from /= 2, to /= 2) {
		if (from % 2 == 1) {
			if (value < tree[from])
				tree[from] = value;
			from++;
		}
		if (to % 2 == 1) {
			to--;
			if (value < tree[to])
				tree[to] = value;
		}
	}
}

static int64_t
lowest_at(const int64_t *tree, size_t n, size_t step)
{
	int64_t lowest = INT64_MAX;

	for (size_t i = step + n; i > 0; i /= 2)
		if (tree[i] < lowest)
			lowest = tree[i];
	return lowest;
}

static uint32_t
max_of_deps(const struct dag *d, uint32_t v, const uint32_t *values)
{
	uint32_t max = 0;

	for (uint32_t i = d->row[v]; i < d->row[v + 1]; i++)
		if (values[d->dep[i]] > max)
			max = values[d->dep[i]];
	return max;
}

/*
 * Writes the intervals of all paths that avoid steps.  Vertices whose slack is
 * not below the heaviest step's weight cannot lower any drag and are skipped.
 * A vertex with tail 0 counts as an end even if it is not one: the vertices
 * between it and the end then weigh nothing, and have no drag.
 */
static void
add_replacement_paths(const struct dag *d, const uint32_t *path, size_t n,
    uint32_t *after, int64_t *tree)
{
	int64_t length = d->finish[path[n - 1]], heaviest = 0, rest;
	uint32_t v, w, max;

	memset(after, 0, d->n * sizeof *after);
	for (size_t i = 0; i < n; i++) {
		after[path[i]] = (uint32_t)i + 1;
		if (d->weight[path[i]] > heaviest)
			heaviest = d->weight[path[i]];
	}
	for (size_t k = 0; k < d->n; k++) {
		v = d->order[k];
		max = max_of_deps(d, v, after);
		if (after[v] == 0)
			after[v] = max;
		if (d->tail[v] < 0 || length - dag_through(d, v) >= heaviest)
			continue;
		rest = length - d->weight[v] - d->tail[v];
		for (uint32_t i = d->row[v]; i < d->row[v + 1]; i++) {
			w = d->dep[i];
			if (after[w] < max)
				lower_interval(tree, n, after[w], max,
				    rest - d->finish[w]);
		}
		if (d->tail[v] == 0)
			lower_interval(tree, n, after[v], n,
			    length - d->finish[v]);
	}
}

void
dag_drag(const struct dag *d, const uint32_t *path, size_t n, int64_t *drag)
{
	uint32_t *after = mem_table(d->n, sizeof *after);
	int64_t *tree = mem_resize(NULL, n * 2, sizeof *tree);
	int64_t slack;

	for (size_t i = 0; i < n * 2; i++)
		tree[i] = INT64_MAX;
	if (n > 0)
		add_replacement_paths(d, path, n, after, tree);
	for (size_t i = 0; i < n; i++) {
		slack = lowest_at(tree, n, i);
		drag[i] = d->weight[path[i]] < slack ? d->weight[path[i]] :
		    slack;
	}
	free(after);
	free(tree);
}
