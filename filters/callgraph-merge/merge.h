#pragma once

#include "common/base/buf.h"
#include "common/base/intern.h"
#include "common/program/callgraph.h"

/*
 * The sum of the callgraphs of one release, that is, of all that have the same
 * checksum of the program: the union of their call trees.
 *
 * A module has a different address in each process.  So the address of a
 * function or call site is stored as an offset into the module that contains
 * it.  Two nodes are the same if their paths from the root have the same
 * functions and call sites.  To write the sum, the modules are placed one after
 * the other, which gives the nodes addresses again.
 *
 * The sum is commutative and associative, to the byte: if two graphs have
 * different texts for the same member (a path, a function name), the first in
 * byte order is kept, and everything is sorted when it is written.
 */
struct merge {
	struct intern *texts;		/* JSON tokens; borrowed */
	struct span checksum;		/* a JSON token or empty; borrowed */
	sym program;			/* or SYM_NONE */
	int64_t time_us;		/* of the latest callgraph, or
					   INT_UNKNOWN */
	/* Sums of the members of the records with these names. */
	int64_t records, elapsed_records, nodes_limited, probe_ns;
	bool folded_recursion;
	struct merge_module *modules;
	size_t n_modules, modules_cap;
	struct map module_map;		/* by build id, or else path */
	struct merge_node *nodes;
	size_t n_nodes, nodes_cap;
	struct map node_map;		/* by parent and addresses */
	bool overflowed;		/* some sum reached 2^53, which a
					   record cannot hold */
	bool has_excess_modules;	/* placed one after the other, they
					   exceed the address space */
};

/* The checksum and the texts must outlive the merge. */
struct merge *merge_new(struct span checksum, struct intern *texts);
void merge_free(struct merge *);

/* Adds a callgraph and the other members of the record it was read from. */
void merge_add(struct merge *, const struct callgraph *, const struct rec *);

/* Writes the sum as a record. */
void merge_write(struct merge *, struct buf *);
