#ifndef PIDX_INIT_REPOSITORY_H
#define PIDX_INIT_REPOSITORY_H

#include "common/base/buf.h"
#include "common/vcs/vcs.h"
#include "filters/pidx-init/make.h"

/*
 * Opens the repository, of a type or of any if it is NULL, in the directory or
 * else in the nearest one above it, and appends its path relative to .perun to
 * *url, as vcs_open() does.
 */
enum vcs_found repository_find(struct vcs *, const char *type,
    const struct paths *, struct buf *url);

/* Appends the path that a url names: absolute, or relative to .perun. */
void repository_path(const struct paths *, const char *url, struct buf *path);

/* Warns if a directory above paths.directory has a store. */
void init_warn_of_store_above(const struct paths *);

#endif
