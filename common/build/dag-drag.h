#pragma once

#include "common/build/dag.h"

/*
 * Computes the drag of each of the n vertices of path, which is a longest path
 * to an end: by how much the longest path to an end gets shorter if the vertex
 * takes no time.  This is Devaux's measure: the smaller of the vertex's weight
 * and the least slack of the vertices parallel to it, which neither lead to it
 * nor follow from it.  is_end is that of dag_tails().  O((V + E) log n).
 */
void dag_drag(const struct dag *, const bool *is_end, const uint32_t *path,
    size_t n, int64_t *drag);

/*
 * Computes the drag of each of the n - 1 edges of such a path: by how much the
 * longest path to an end gets shorter without the edge.  O((V + E) log n).
 */
void dag_edge_drag(const struct dag *, const bool *is_end,
    const uint32_t *path, size_t n, int64_t *drag);
