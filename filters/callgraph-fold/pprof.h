#pragma once

#include "common/base/intern.h"
#include "common/filter/filter.h"
#include "common/json/recio.h"
#include "common/program/callgraph.h"

/*
 * Callgraphs as a profile of pprof: the messages of profile.proto
 * (github.com/google/pprof), compressed by gzip.
 *
 * A message that others refer to is encoded without its id and interned, so
 * that equal messages are one; its id is the symbol + 1.
 */
struct pprof {
	struct intern strings;	/* symbol 0 is "" */
	struct intern functions, locations, mappings, comments;
	struct intern stacks;	/* packed ids of locations, innermost first */
	int64_t (*measures)[N_MEASURES];	/* by symbol of stacks */
	size_t measures_cap;
	bool is_measured[N_MEASURES];
	int64_t time_us;	/* of the earliest record, or INT_UNKNOWN */
	bool collapse_recursion;

	/* What locations have, by symbol of mappings. */
	struct located {
		bool any, lacks_name, lacks_file, lacks_line, has_inlined;
	} *located;
	size_t located_cap;

	struct recio *inlined_io;	/* reads call_inlined */
	struct buf lines;	/* of the location that is composed */
	size_t n_lines;
	struct located found;	/* in these lines */
	struct buf message, nested;
};

/*
 * collapse_recursion: a function that calls itself directly is merged with its
 * caller.
 */
void pprof_init(struct pprof *, bool collapse_recursion);
void pprof_release(struct pprof *);

/* Adds a callgraph, and what its record says about all of it. */
void pprof_add(struct pprof *, const struct callgraph *, const struct rec *);

/* Writes the profile; the measure is what viewers show first. */
void pprof_write(struct pprof *, struct filter *, unsigned measure);
