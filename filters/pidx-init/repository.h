#ifndef PIDX_INIT_REPOSITORY_H
#define PIDX_INIT_REPOSITORY_H

#include "common/base/buf.h"
#include "filters/pidx-init/make.h"

/*
 * Finds the git repository in the directory, or else the nearest one above it,
 * and appends the path of the repository relative to .perun to *url.  False if
 * there is none.  Dies if the repository cannot be read.
 */
bool repository_find(const struct paths *, struct buf *url);

/*
 * Dies unless the url is the path of a git repository that can be read.  The
 * path is absolute or relative to .perun.
 */
void repository_check(const struct paths *, const char *url);

/* Warns if a directory above paths.directory has a store. */
void init_warn_of_store_above(const struct paths *);

#endif
