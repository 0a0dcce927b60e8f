#ifndef CALLGRAPH_MERGE_MERGE_H
#define CALLGRAPH_MERGE_MERGE_H

#include "common/base/buf.h"
#include "common/base/intern.h"
#include "common/program/callgraph.h"

/*
 * The sum of the callgraphs of one release: the union of their call trees.
 *
 * A module has a different address in each process.  So an address is stored as
 * an offset into its module.  Two nodes are the same if their paths from the
 * root have the same functions and call sites.  To write the sum, the modules
 * are placed one after the other, which gives the nodes addresses again.
 *
 * The sum is commutative and associative, to the byte: if texts differ, the
 * first in byte order is kept, and everything is sorted when it is written.
 */
struct merge {
	struct intern *texts;		/* JSON tokens; borrowed */
	struct span checksum;		/* a JSON token or empty; borrowed */
	sym program;			/* or SYM_NONE */
	int64_t time_us;		/* the latest, or INT_UNKNOWN */
	int64_t records, nodes_limited;
	bool folded_recursion;
	struct merge_module *modules;
	size_t n_modules, modules_cap;
	struct map module_map;		/* by build id, or else path */
	struct merge_node *nodes;
	size_t n_nodes, nodes_cap;
	struct map node_map;		/* by parent and addresses */
	bool overflowed;		/* some sum reached 2^53 */
};

/* The checksum and the texts must outlive the merge. */
struct merge *merge_new(struct span checksum, struct intern *texts);
void merge_free(struct merge *);

/* Adds a callgraph and the other members of its record. */
void merge_add(struct merge *, const struct callgraph *, const struct rec *);

/* Writes the sum as a record. */
void merge_write(struct merge *, struct buf *);

#endif
