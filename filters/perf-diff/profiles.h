#ifndef PERF_DIFF_PROFILES_H
#define PERF_DIFF_PROFILES_H

#include "common/filter/filter.h"
#include "filters/perf-diff/read.h"

/*
 * Reads all profiles that are registered with a commit in the store that is in
 * the directory or above it.  Returns the id of the commit, which the caller
 * frees.  Dies if there is no store or no such commit.
 */
char *profiles_read(struct reader *, struct filter *, const char *directory,
    const char *commit, uint32_t side);

#endif
