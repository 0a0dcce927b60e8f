#ifndef CALLGRAPH_MERGE_MERGE_H
#define CALLGRAPH_MERGE_MERGE_H

#include "common/base/buf.h"
#include "common/base/intern.h"
#include "common/program/callgraph.h"

/*
 * The sum of the callgraphs of one release.  Whatever the order and grouping in
 * which they are added, the sum is the same to the byte: addresses are kept as
 * offsets into modules, and of two texts the smaller counts.
 */
struct merge {
	struct intern *texts;
	struct span checksum;		/* a token, or empty; borrowed */
	sym program;			/* SYM_NONE: not known */
	int64_t time_us;		/* the latest, or INT_UNKNOWN */
	int64_t records, nodes_limited;
	bool folded_recursion;
	struct merge_module *modules;
	size_t n_modules, modules_cap;
	struct map module_map;		/* by build id, or path without one */
	struct merge_node *nodes;
	size_t n_nodes, nodes_cap;
	struct map node_map;		/* by parent and addresses */
	bool overflowed;		/* a sum does not fit 53 bits */
};

/* checksum must live as long, and the table that all texts go into. */
struct merge *merge_new(struct span checksum, struct intern *texts);
void merge_free(struct merge *);

/* Adds one; what the record says beside its nodes is in rec. */
void merge_add(struct merge *, const struct callgraph *, const struct rec *);

/* The sum as a record. */
void merge_write(struct merge *, struct buf *);

#endif
