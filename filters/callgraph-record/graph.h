#ifndef CALLGRAPH_RECORD_GRAPH_H
#define CALLGRAPH_RECORD_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/intervals.h"

/*
 * A node of the call tree that one emission describes.  In an emission a
 * process sends what it has counted since its previous emission.  Nodes are
 * stored in the order in which they arrive: parents before their children.
 */
struct graph_node {
	uint64_t function, call_site;
	uint64_t calls, self_ns, total_ns, samples;
	/* References to nodes: the index plus 1, or 0 for none. */
	uint32_t parent, first_child, next_sibling;
};

struct graph {
	struct graph_node *nodes;
	size_t n, cap;
};

/* An ELF file that is loaded into the process. */
struct module {
	uint64_t base, start, end;
	char *path;			/* owned; any bytes */
	char *build_id;			/* owned; hexadecimal digits */
	bool is_marked;			/* by modules_mark() */
};

struct modules {
	struct module *list;
	size_t n, cap;
	struct intervals index;		/* maps addresses to indexes in list */
};

/* Adds a node.  False, and adds nothing, if its parent is not earlier. */
bool graph_add(struct graph *, const struct graph_node *);

/*
 * Computes the total times and writes the array "nodes" in pre-order, siblings
 * in the order in which they arrived.  Then empties the graph.
 */
void graph_put(struct graph *, bool timed, bool sampled, struct buf *);

/*
 * Adds a module and takes over its path and build_id.  Addresses in its range
 * that belonged to an older module belong to the new one, because an overlap
 * shows that the older module has been unloaded.
 */
void modules_add(struct modules *, const struct module *);
void modules_release(struct modules *);

/* Mark the module of one address, or those of all nodes, for modules_put(). */
void modules_mark(struct modules *, uint64_t address);
void modules_mark_graph(struct modules *, const struct graph *);

/* Writes the marked modules as the array "modules", and unmarks them. */
void modules_put(struct modules *, struct buf *);

#endif
