#ifndef CALLGRAPH_RECORD_GRAPH_H
#define CALLGRAPH_RECORD_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/intervals.h"

/*
 * The nodes of one emission (one snapshot that a process sends) in the order in
 * which they arrive: a parent before its children.
 */
struct graph_node {
	uint64_t function, call_site;
	uint64_t calls, self_ns, total_ns, samples;
	/* Node numbers, which begin at 1; 0: none. */
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
	bool is_used;			/* by the record being written */
};

struct modules {
	struct module *list;
	size_t n, cap;
	struct intervals index;		/* of the list, by address */
};

/* False if the parent is not an earlier node. */
bool graph_add(struct graph *, const struct graph_node *);

/*
 * Writes the array "nodes" in pre-order, siblings in the order in which they
 * arrived, with total times; then empties the graph.
 */
void graph_put(struct graph *, bool timed, bool sampled, struct buf *);

/*
 * Adds a module, whose path and build_id it owns from then on.  Where its range
 * overlaps that of an older module, the older one was unloaded.
 */
void modules_add(struct modules *, const struct module *);
void modules_release(struct modules *);

/* Writes the array "modules": those with addresses marked since the last. */
void modules_mark(struct modules *, uint64_t address);
void modules_mark_graph(struct modules *, const struct graph *);
void modules_put(struct modules *, struct buf *);

#endif
