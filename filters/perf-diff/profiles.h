#ifndef PERF_DIFF_PROFILES_H
#define PERF_DIFF_PROFILES_H

#include "common/filter/filter.h"
#include "filters/perf-diff/read.h"

/*
 * Reads all profiles that are registered with a commit in the store that is in
 * the directory or above it.  If there are none, and *nearest is set, those of
 * its newest ancestor that has some; otherwise *nearest is cleared.  Returns
 * the id of the commit, which the caller frees; NULL if there is no store or no
 * such commit, and then appends the reason to *why, after a colon.  Warns if
 * there is also a file of this name.  Dies if there is no profile.
 */
char *profiles_read(struct reader *, struct filter *, const char *directory,
    const char *commit, uint32_t side, bool *nearest, struct buf *why);

#endif
