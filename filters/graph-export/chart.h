#pragma once

#include "filters/graph-export/fold.h"

/* What is drawn of a folded graph: its most important nodes. */

struct edge {
	uint32_t from, to;	/* indexes of picture.shown: `to` depends on
				   `from` */
	bool is_indirect;	/* only through nodes that are not shown */
	bool is_critical;	/* the path leads along it */
};

struct chart {
	const struct fold *fold;
	bool points_to_needs;	/* arrows point to what a task needs, and not
				   to what waits for it */
	uint32_t *shown;	/* indexes of fold->nodes, ascending */
	size_t n_shown;
	struct edge *edges;	/* by `to` and `from` */
	size_t n_edges, edges_cap;
	uint64_t n_more;	/* nodes that are not shown */
	int64_t more_us;	/* their time, without calls */
	int64_t path_us;	/* the length of the path */
	size_t n_path;		/* its steps */
};

/*
 * Selects n_max nodes: those on the path, and then the others, in both cases
 * the costliest first.  Release with chart_release(), before the fold.
 */
void chart_make(struct chart *, const struct fold *, const uint32_t *path,
    size_t n_path, size_t n_max, bool points_to_needs);
void chart_release(struct chart *);

/*
 * The width of an edge.  It grows with the logarithm of what the node `from`
 * made, from 1 for less than 16 KiB to 6 for 1 GiB or more; on the path it is
 * at least 3.
 */
enum { EDGE_WIDTH_MAX = 6 };
unsigned chart_edge_width(const struct chart *, const struct edge *);

static inline const struct folded *
chart_node(const struct chart *p, size_t i)
{
	return &p->fold->nodes[p->shown[i]];
}
