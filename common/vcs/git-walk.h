#pragma once

#include "common/vcs/git.h"

/* Walks over the history. */

/* Starts a walk, which replaces the current walk of the handle. */
bool gitvcs_walk_begin(struct vcs *, const struct vcs_tip *, size_t, bool);
enum vcs_found gitvcs_walk_next(struct vcs *, struct vcs_version *);

/* The next commit of the walk as an object, which the caller frees. */
enum vcs_found gitvcs_walk_next_object(struct vcs *, git_odb_object **);
void gitvcs_walk_end(struct gitvcs_walk *);
