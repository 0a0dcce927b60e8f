#ifndef CALLGRAPH_FOLD_PPROF_H
#define CALLGRAPH_FOLD_PPROF_H

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
	struct intern functions, locations, mappings;
	struct pprof_mapping {
		bool has_frames, lacks_names, lacks_files, lacks_lines;
		bool has_inlined;
	} *mapping_info;	/* by symbol of mappings */
	size_t mapping_cap;

	/* A stack is the packed ids of its locations, innermost first. */
	struct intern stacks;
	int64_t (*measures)[N_MEASURES];	/* by symbol of stacks */
	size_t measures_cap;
	bool is_measured[N_MEASURES];

	int64_t time_us;	/* of the earliest record, or INT_UNKNOWN */
	struct intern comments;
	bool collapse_recursion;
	struct recio *texts_io;	/* reads call_file and call_inlined */
	struct arena arena;	/* texts of a call, until its node is added */
	struct buf message, nested, stack;
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

#endif
