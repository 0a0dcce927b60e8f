#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/build/builds.h"

/*
 * The critical paths of the runs of a stream, read from the `critical` records
 * that critpath(1) writes.
 */
struct build;
struct builds;
struct filter;

struct path_step {
	int64_t number;			/* from 1 */
	sym id;				/* as in the record: "ID" or "ID#2" */
	uint32_t task;			/* of the build; set by paths_find() */
	int64_t waiting_us;		/* before the step, or INT_UNKNOWN */
	int64_t potential_us;		/* or INT_UNKNOWN */
};

struct paths {
	struct filter *f;
	struct intern ids, runs;
	struct path {
		struct path_step *steps;
		size_t n, cap;
		bool is_used;		/* paths_find() was called */
	} *by_run;			/* by symbol of runs */
	size_t n, cap;
};

/*
 * Prepares to read builds with their paths, in place of builds_begin(): first
 * the files named path and graph, unless they are NULL, then the filter's
 * input.  If several paths were asked for, only the first of each run is kept.
 */
void paths_begin(struct paths *, struct builds *, struct filter *,
    const char *graph, const char *path);
void paths_release(struct paths *);

/*
 * The steps of the critical path of a build whose attempts are resolved, in
 * their order; borrowed until the next call.  Steps that are not tasks of the
 * build are left out, with a warning.
 */
const struct path_step *paths_find(struct paths *, const struct build *,
    size_t *n);
