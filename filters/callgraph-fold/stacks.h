#ifndef CALLGRAPH_FOLD_STACKS_H
#define CALLGRAPH_FOLD_STACKS_H

#include "common/base/intern.h"
#include "common/program/callgraph.h"

/*
 * The stacks of callgraphs by the names of their functions: a tree, in which
 * calls of one function by one stack are one node wherever they were made.
 */
struct frame {
	sym name;
	sym file;		/* or SYM_NONE */
	int64_t line;		/* 0: not known */
};

struct stack {
	uint32_t parent;	/* before it, or INDEX_NONE */
	uint32_t frame;
	int64_t measures[N_MEASURES];
};

struct stacks {
	struct intern texts;
	struct frame *frames;
	size_t n_frames, frames_cap;
	struct intern frame_keys;	/* by name and file */
	struct stack *list;
	size_t n, cap;
	struct map map;
	bool measured[N_MEASURES];	/* some node had it */
	sym program;		/* SYM_NONE: not known */
	bool several_programs;
	bool collapse_recursion;
};

/* collapse: a function that called itself is one with its caller. */
void stacks_init(struct stacks *, bool collapse);
void stacks_release(struct stacks *);
void stacks_add(struct stacks *, const struct callgraph *);

/* What is added is of this program, or of this one, too. */
void stacks_of(struct stacks *, struct span path);

/* The name of the program, or empty: none is known, or there are several. */
struct span stacks_program(const struct stacks *);

/*
 * A walk over all stacks, callees by the bytes of their names: into each, and
 * out of it when its callees are done.
 *
 *	walk_init(&w, &stacks);
 *	while (walk_next(&w))
 *		... w.stack, w.enters ...
 *	walk_release(&w);
 */
struct walk {
	uint32_t stack;
	bool enters;

	/* stacks.c's own */
	uint32_t *sorted;
	size_t *first;
	struct walk_level {
		uint32_t stack;
		size_t at, end;
	} *levels;
	size_t depth, cap;
};

void walk_init(struct walk *, const struct stacks *);
bool walk_next(struct walk *);
void walk_release(struct walk *);

#endif
