#pragma once

#include "common/base/intern.h"
#include "common/filter/filter.h"
#include "common/json/recio.h"
#include "common/program/callgraph.h"
#include "common/program/functions.h"
#include "common/program/tree.h"

/* --- stacks.c ------------------------------------------------------------ */

/*
 * Callgraphs as a tree of stacks, by function names: nodes that have the same
 * functions on the way from the root are one stack, whatever their call sites.
 */

/* A function, as functions_resolve() identifies it. */
struct frame {
	struct span name;	/* its label (functions_label()) */
	struct span file;	/* may be empty */
	sym module;		/* or SYM_NONE */
	int64_t line;		/* 0: unknown */
};

/* A frame and the stack of its caller. */
struct stack {
	uint32_t parent;	/* an earlier stack, or INDEX_NONE */
	uint32_t frame;		/* its index in frames */
	int64_t measures[N_MEASURES];	/* sums over its nodes */
};

struct stacks {
	struct functions functions;	/* its texts are those of all */
	struct frame *frames;	/* by number of the function */
	size_t n_frames;
	struct stack *list;
	size_t n, cap;
	struct map map;			/* from parent and frame to the index
					   in list */
	bool is_measured[N_MEASURES];	/* some node has the measure */
	sym program;		/* or SYM_NONE */
	bool has_several_programs;
	bool collapse_recursion;
};

/* collapse_recursion: merges a function that calls itself with its caller. */
void stacks_init(struct stacks *, bool collapse_recursion);
void stacks_release(struct stacks *);
void stacks_add(struct stacks *, const struct callgraph *);

/* When all have been added: finds out which functions are the same. */
void stacks_finish(struct stacks *);

/* Records the program of a callgraph that was added. */
void stacks_add_program(struct stacks *, struct span path);

/* The name of the program; empty if it is unknown or there are several. */
struct span stacks_program(const struct stacks *);

/*
 * The sum of a measure over each stack and the stacks above it: an array by
 * stack, which the caller frees.
 */
int64_t *stacks_inclusive(const struct stacks *, unsigned measure);

/* Makes a tree of the stacks, siblings by name.  The caller releases it. */
void stacks_tree(const struct stacks *, struct tree *);

/* --- formats.c ----------------------------------------------------------- */

/*
 * Each writes the stacks in one format, with the values of a measure that is
 * exclusive (without callees): CALLS, SELF_NS or SAMPLES.
 */
void put_folded(struct filter *, const struct stacks *, unsigned measure);
void put_speedscope(struct filter *, const struct stacks *, unsigned measure);
void put_callgrind(struct filter *, const struct stacks *, unsigned measure);

/* --- flame.c ------------------------------------------------------------- */

void put_svg(struct filter *, const struct stacks *, unsigned measure);

/* --- pprof.c ------------------------------------------------------------- */

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
	bool collapse_recursion;	/* as in stacks_init() */

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

void pprof_init(struct pprof *, bool collapse_recursion);
void pprof_release(struct pprof *);

/* Adds a callgraph, and what its record says about all of it. */
void pprof_add(struct pprof *, const struct callgraph *, const struct rec *);

/* Writes the profile; the measure is what viewers show first. */
void pprof_write(struct pprof *, struct filter *, unsigned measure);
