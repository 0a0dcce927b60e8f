#pragma once

#include "common/base/intern.h"
#include "common/build/network.h"

/*
 * A graph in which tasks that do the same after the same are one node: see
 * "Folding" in graph-export(1).
 */

/* What a label is made of: its first character. */
enum label_kind {
	LABEL_CALL = 'c',	/* a task that contains other tasks */
	LABEL_COPY = 'f',	/* "f" and the rule that made what is copied */
	LABEL_INSTRUCTION = 'i',
	LABEL_NAME = 'n',	/* a task without a rule */
	LABEL_PREPARE = 'p',
	LABEL_RULE = 'r',
	LABEL_PLACEHOLDER = 'z'
};

struct folded {
	sym label;		/* in fold.labels */
	uint32_t depth;		/* the most nodes on a way to it, from 0 */
	size_t first_parent;	/* in fold.parents: the nodes on which it */
	uint32_t n_parents;	/* depends, ascending, each less than itself */
	uint32_t example;	/* a vertex: the longest of its tasks that are
				   on the path, or else of all its tasks */
	uint64_t n_tasks;
	int64_t sum_us, max_us;
	int64_t size_bytes;	/* the sum, or INT_UNKNOWN */
	uint64_t n_critical;	/* tasks on the path */
	int64_t critical_us;	/* their time */
};

struct fold {
	const struct network *net;
	bool is_each;		/* nothing is folded: each task is a node, whose
				   name says what it is and where it ran */
	struct intern labels;
	struct folded *nodes;	/* by depth, label and parents: the order does
				   not depend on that of the records */
	size_t n, cap;
	uint32_t *parents;
	size_t n_parents, parents_cap;
	uint32_t *node_of;	/* by vertex; INDEX_NONE if it is left out */
	int64_t total_us;	/* of all tasks but calls */
};

/* Folds a network; path has the n_path vertices of its critical path. */
void fold_make(struct fold *, const struct network *, bool is_each,
    const uint32_t *path, size_t n_path);
void fold_release(struct fold *);

/* The kind of a node's label, and the rule or name in it. */
enum label_kind fold_label(const struct fold *, const struct folded *,
    struct span *text);
