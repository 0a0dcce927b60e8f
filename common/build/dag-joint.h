#pragma once

#include "common/build/dag.h"

/*
 * Computes the joint drag of each of n_groups groups of vertices: by how much
 * the longest path to an end gets shorter if all vertices of the group take no
 * time.  group_of has the group of each vertex, or INDEX_NONE; is_end is that
 * of dag_tails().  length is that of a longest path to an end; path has the n
 * vertices of this path that are in groups, and path_drag what dag_drag()
 * computed for them.
 *
 * Takes O(V + E) and, for each group with several vertices that matter, another
 * pass over those vertices and edges of which the slack is small enough to
 * matter; dag-joint.c explains which these are.
 */
void dag_joint_drag(const struct dag *, const bool *is_end, int64_t length,
    const uint32_t *path, const int64_t *path_drag, size_t n,
    const uint32_t *group_of, size_t n_groups, int64_t *drag);
