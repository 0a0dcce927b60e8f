#ifndef CALLGRAPH_RECORD_GRAPH_H
#define CALLGRAPH_RECORD_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/intervals.h"

/*
 * The nodes of one emission, in the order in which they come: a parent before
 * its children.
 */
struct graph_node {
	uint64_t function, call_site;
	uint64_t calls, self_ns, total_ns, samples;
	uint32_t parent;		/* counted from 1; 0: a root */
	uint32_t first, next;		/* child, sibling; likewise */
};

struct graph {
	struct graph_node *nodes;
	size_t n, cap;
};

/* An ELF file in the memory of the process. */
struct module {
	uint64_t base, start, end;
	char *path;			/* UTF-8 or not, owned */
	char *build_id;			/* hexadecimal digits, owned */
	bool is_used;			/* by what is being written */
};

struct modules {
	struct module *list;
	size_t n, cap;
	struct intervals index;
};

/* False if the parent is no node before it. */
bool graph_add(struct graph *, const struct graph_node *);

/*
 * Writes the array "nodes" in pre-order, children in the order in which they
 * were first called, and leaves the graph empty.
 */
void graph_put(struct graph *, bool timed, bool sampled, struct buf *);

/* Takes over path and build_id. */
void modules_add(struct modules *, const struct module *);
void modules_release(struct modules *);

/* Writes the array "modules": those that the addresses marked lie in. */
void modules_mark(struct modules *, uint64_t address);
void modules_mark_graph(struct modules *, const struct graph *);
void modules_put(struct modules *, struct buf *);

#endif
