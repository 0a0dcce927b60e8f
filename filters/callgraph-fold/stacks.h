#pragma once

#include "common/program/functions.h"
#include "common/program/tree.h"

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

/*
 * collapse_recursion: a function that calls itself directly is merged with its
 * caller.
 */
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
