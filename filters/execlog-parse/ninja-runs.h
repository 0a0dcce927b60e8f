#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/intern.h"

/*
 * Finds out which lines of a .ninja_log belong to the same run of ninja.  In
 * these files a run is one invocation of ninja, not the run of a command.
 */
struct filter;

#define NO_RUN SIZE_MAX

/* A line of the log. */
struct entry {
	int64_t start_us, end_us;
	/* The bracket; low_us is INT_UNKNOWN if there is none. */
	int64_t low_us, high_us;
	size_t n_peers;		/* lines that have the same file time */
	const struct entry *last_peer;	/* the last one of them */
	bool in_doubt;		/* perhaps the run has more lines, or fewer */
	uint64_t version;	/* of the log */
	sym output;
	sym hash;		/* of the command; in version 4 the command
				   itself */
	size_t run;		/* how many runs came after that of the line, or
				   NO_RUN */
};

/* Sets the bracket from `mtime`, the third field of the line. */
void ninja_set_bracket(struct entry *, int64_t mtime);

/*
 * Sets the run of each of the n lines of a log, in the order of the log, and
 * whether it is in doubt, and returns the number of runs.  May discard
 * brackets.  log_modified_us is when the log was last written, or INT_UNKNOWN.
 * Without a filter nothing is warned of.
 */
size_t ninja_number_runs(struct filter *, struct entry *, size_t n,
    int64_t log_modified_us);
