#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/intervals.h"

/*
 * A node of the call tree of one snapshot, with what has been counted since the
 * previous one.  Parents come before their children.
 */
struct counted_node {
	uint64_t function, call_site;	/* addresses; call_site 0: unknown */
	uint64_t calls, samples;
	uint64_t self_ns, off_ns;	/* as measured; off_ns: off the CPU */
	/* graph_put() computes these; probe_ns is the cost of the probes. */
	uint64_t calls_made;	/* calls of its children */
	uint64_t probe_ns, total_ns, total_off_ns;
	uint32_t parent;	/* its index plus 1, or 0 for none */
};

/* What a snapshot has besides nodes and modules. */
struct snapshot {
	bool timed, sampled, folded;	/* folded: recursion was folded */
	bool has_off_time;	/* off_ns of the nodes is complete */
	uint64_t nodes_limited;	/* calls that were counted at an ancestor */
	uint64_t probe_ps;	/* picoseconds that each probe, the hook at the
				   entry or exit of a function, adds to
				   measured times */
};

struct graph {
	struct counted_node *nodes;
	size_t n, cap;
};

/*
 * An ELF file that is loaded into the process, at the addresses from start to
 * end - 1.  base is where address 0 of the file would be.
 */
struct module {
	uint64_t base, start, end;
	char *path;			/* owned; perhaps not UTF-8 */
	char *build_id;			/* owned; hexadecimal digits */
	bool is_marked;			/* see modules_put() */
};

struct modules {
	struct module *list;
	size_t n, cap;
	struct intervals index;		/* maps addresses to indexes in list */
};

/*
 * Adds a node.  Returns false, and adds nothing, if the node's parent was not
 * added before it, or if there are more nodes than 32 bits can number.
 */
bool graph_add(struct graph *, const struct counted_node *);

/*
 * Subtracts the cost of the probes, computes the total times, and writes the
 * array "nodes" in pre-order, siblings in the order in which they arrived;
 * writes times only if timed, and samples only if sampled.  Then empties the
 * graph.
 */
void graph_put(struct graph *, const struct snapshot *, struct buf *);

/*
 * Adds a module and takes over its path and build_id.  Addresses in its range
 * that belonged to an older module belong to the new one, because an overlap
 * shows that the older module has been unloaded.
 */
void modules_add(struct modules *, const struct module *);
void modules_release(struct modules *);

/*
 * Mark, for modules_put(), the modules that contain the function and the call
 * site of one call, or of all nodes.  A call site is a return address: it
 * follows the call, and may be one past the end of the call's module.
 */
void modules_mark_call(struct modules *, uint64_t function,
    uint64_t call_site);
void modules_mark_graph(struct modules *, const struct graph *);

/* Writes the marked modules as the array "modules", and unmarks them. */
void modules_put(struct modules *, struct buf *);
