/* dag-drag - how much each vertex or edge of a longest path adds to it */

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/build/dag-drag.h"
#include "common/build/dag.h"

/*
 * The vertices of the path are its steps, numbered from 0.  If step i took no
 * time, the longest path would be the longer of two: the same path minus the
 * weight of i, or the longest path that avoids i (its replacement path).  So
 *
 *	drag(i) = min(weight(i), length - longest path that avoids i)
 *
 * One pass over the graph finds all replacement paths.  Let n_reaching[v] be
 * the number of steps from which v can be reached; a step reaches itself.
 * Whatever a step reaches, all earlier steps reach too, so the steps that reach
 * v are 0 .. n_reaching[v] - 1.
 *
 * For a given step i, the far side is the vertices that i reaches, those with
 * n_reaching > i, and the near side is all others.  A path that avoids i begins
 * on the near side, at a vertex without dependencies.  It ends on the near
 * side, or it crosses to the far side along exactly one edge, which jumps over
 * i: what depends on the far side is on the far side, so the path cannot
 * return, and step i depends on nothing there, so the path cannot meet step i.
 * Hence
 *
 * - an edge from w to v, which depends on w, jumps over the steps that reach v,
 *   except v itself and those that reach w.  These are n_reaching[w] .. m - 1,
 *   where m is the largest n_reaching of v's dependencies.  The longest path
 *   along the edge is finish[w] + weight[v] + tail[v];
 * - if v is an end, the longest path that ends with v, finish[v], avoids all
 *   steps that do not reach v: n_reaching[v] .. n - 1, where n is the number of
 *   steps.
 *
 * So each edge and each end gives an interval of steps and a path that avoids
 * them.  The slack of that path is the length of the critical path minus its
 * own length.  A segment tree stores the slack of each interval.  The longest
 * path that avoids a step has the least slack of all intervals that contain the
 * step.
 *
 *	a(2) - b(5) - c(4)	c depends on b and d, which depend on a.
 *	    \_ d(3) _/		The path is a b c, its length 11.
 *
 * n_reaching is 1 for a, 2 for b, 3 for c and 1 for d.  The edge from d to c
 * jumps over step 1, which is b, with a length of 9: the drag of b is
 * min(5, 11 - 9) = 2.  Nothing avoids a or c: their drag is their weight.
 */

/*
 * The segment tree is an array of 2n nodes: step i is the leaf n + i, and the
 * parent of node p is p / 2.  tree_lower() lowers to slack the O(log n) nodes
 * that together cover the steps from .. to - 1.  tree_min_at() returns the
 * minimum of all nodes from the leaf of a step up to the root.
 */
static int64_t *
new_tree(size_t n)
{
	int64_t *tree = mem_resize(NULL, n * 2, sizeof *tree);

	for (size_t i = 0; i < n * 2; i++)
		tree[i] = INT64_MAX;
	return tree;
}

static void
tree_lower(int64_t *tree, size_t n, size_t from, size_t to, int64_t slack)
{
	for (from += n, to += n; from < to; from /= 2, to /= 2) {
		if (from % 2 == 1) {
			if (slack < tree[from])
				tree[from] = slack;
			from++;
		}
		if (to % 2 == 1) {
			to--;
			if (slack < tree[to])
				tree[to] = slack;
		}
	}
}

static int64_t
tree_min_at(const int64_t *tree, size_t n, size_t step)
{
	int64_t min = INT64_MAX;

	for (size_t i = step + n; i > 0; i /= 2)
		if (tree[i] < min)
			min = tree[i];
	return min;
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

/* Sets n_reaching of the steps, and of all other vertices to 0. */
static void
number_steps(const struct dag *d, const uint32_t *path, size_t n,
    uint32_t *n_reaching)
{
	memset(n_reaching, 0, d->n * sizeof *n_reaching);
	for (size_t i = 0; i < n; i++)
		n_reaching[path[i]] = (uint32_t)i + 1;
}

/*
 * Writes the slack of each interval to the tree.  A vertex whose own slack is
 * not below the weight of the heaviest step is skipped: its intervals cannot
 * lower any drag.
 */
static void
add_replacement_paths(const struct dag *d, const bool *is_end,
    const uint32_t *path, size_t n, uint32_t *n_reaching, int64_t *tree)
{
	int64_t length = d->finish[path[n - 1]], heaviest = 0, rest;
	uint32_t v, w, max;

	number_steps(d, path, n, n_reaching);
	for (size_t i = 0; i < n; i++)
		if (d->weight[path[i]] > heaviest)
			heaviest = d->weight[path[i]];
	for (size_t k = 0; k < d->n; k++) {
		v = d->order[k];
		max = max_of_deps(d, v, n_reaching);
		if (n_reaching[v] == 0)
			n_reaching[v] = max;
		if (d->tail[v] < 0 || length - dag_through(d, v) >= heaviest)
			continue;
		/* The slack along the edge from w to v is rest - finish[w]. */
		rest = length - d->weight[v] - d->tail[v];
		for (uint32_t i = d->row[v]; i < d->row[v + 1]; i++) {
			w = d->dep[i];
			if (n_reaching[w] < max)
				tree_lower(tree, n, n_reaching[w], max,
				    rest - d->finish[w]);
		}
		if (is_end[v])
			tree_lower(tree, n, n_reaching[v], n,
			    length - d->finish[v]);
	}
}

void
dag_drag(const struct dag *d, const bool *is_end, const uint32_t *path,
    size_t n, int64_t *drag)
{
	uint32_t *n_reaching = mem_table(d->n, sizeof *n_reaching);
	int64_t *tree = new_tree(n), slack;

	if (n > 0)
		add_replacement_paths(d, is_end, path, n, n_reaching, tree);
	for (size_t i = 0; i < n; i++) {
		slack = tree_min_at(tree, n, i);
		drag[i] = d->weight[path[i]] < slack ? d->weight[path[i]] :
		    slack;
	}
	free(n_reaching);
	free(tree);
}

/*
 * Edge i of the path leads from step i to step i + 1.  Its far side is what
 * step i + 1 reaches, the vertices with n_reaching > i + 1.  A path that avoids
 * edge i
 *
 * - begins with step i + 1: its slack is finish of step i;
 * - or crosses to the far side along another edge: an edge from w to v crosses
 *   at the edges n_reaching[w] - 1 .. n_reaching[v] - 2 of the path, and an
 *   edge of the path only at itself;
 * - or ends on the near side: an end v does that for the edges from
 *   n_reaching[v] - 1 on.
 */
static void
add_paths_without_edges(const struct dag *d, const bool *is_end,
    const uint32_t *path, size_t n, uint32_t *n_reaching, int64_t *tree)
{
	int64_t length = dag_through(d, path[0]), rest;
	uint32_t v, w, from, to;

	number_steps(d, path, n, n_reaching);
	for (size_t k = 0; k < d->n; k++) {
		v = d->order[k];
		if (n_reaching[v] == 0)
			n_reaching[v] = max_of_deps(d, v, n_reaching);
		if (d->tail[v] < 0)
			continue;
		rest = length - d->weight[v] - d->tail[v];
		to = n_reaching[v] > 0 ? n_reaching[v] - 1 : 0;
		for (uint32_t i = d->row[v]; i < d->row[v + 1]; i++) {
			w = d->dep[i];
			from = n_reaching[w] > 0 ? n_reaching[w] - 1 : 0;
			if (from < to && (v != path[to] || w != path[to - 1]))
				tree_lower(tree, n - 1, from, to,
				    rest - d->finish[w]);
		}
		if (is_end[v])
			tree_lower(tree, n - 1, to, n - 1,
			    length - d->finish[v]);
	}
}

void
dag_edge_drag(const struct dag *d, const bool *is_end, const uint32_t *path,
    size_t n, int64_t *drag)
{
	uint32_t *n_reaching;
	int64_t *tree, slack;

	if (n < 2)
		return;
	n_reaching = mem_table(d->n, sizeof *n_reaching);
	tree = new_tree(n - 1);
	add_paths_without_edges(d, is_end, path, n, n_reaching, tree);
	for (size_t i = 0; i < n - 1; i++) {
		slack = tree_min_at(tree, n - 1, i);
		drag[i] = d->finish[path[i]] < slack ? d->finish[path[i]] :
		    slack;
	}
	free(n_reaching);
	free(tree);
}
