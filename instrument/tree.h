#ifndef WEIR_INSTRUMENT_TREE_H
#define WEIR_INSTRUMENT_TREE_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

/* A sentinel instead of NULL: hooks may read it, and it matches no call. */
extern struct node nil_node;

struct thread {
	struct node *current;	/* node of the innermost call */
	struct frame *top;	/* the next free frame of the shadow stack */
	struct frame *frames_end;	/* one past the last frame */
	uint64_t last_ticks;	/* time of the last entry or exit */
	uint64_t off_ns;	/* time off the CPU, see thread_count_off() */

	struct node root;	/* not a call; parent of the outermost calls */
	struct node overflow;	/* the overflow node, see hooks.c */
	struct node *overflow_target;	/* counts the calls that overflow */
	struct shared_thread *published;	/* NULL: it is not sampled */
	uint64_t n_frameless;	/* calls without a frame, not yet returned */
	struct frame *frames;	/* the shadow stack, outermost call first */
	char *altstack;		/* an alternate signal stack, or NULL */
	struct slab *slab;	/* the newest slab of nodes */

	size_t size;		/* bytes that are mapped from here on */
	struct thread *next;
	int owned;		/* 0: its thread has ended; see thread.c */
	int tid;		/* 0: ended, or began when is_confined */
	int destructor_rounds;	/* see thread.c */
};

/* Finds or adds the child for a call; NULL if there is no room for it. */
struct node *tree_find_or_add(struct thread *, struct node *parent,
    uintptr_t function, uintptr_t call_site);

/* Empties the tree and the shadow stack, and frees nothing. */
void tree_reset(struct thread *);

/*
 * In a forked child: replaces the tree by one that contains only the calls that
 * have not returned, with all counts 0.
 */
void tree_fork(struct thread *);

#pragma GCC visibility pop

#endif
