#ifndef CALLGRAPH_RECORD_MEMORY_H
#define CALLGRAPH_RECORD_MEMORY_H

#include "filters/callgraph-record/graph.h"

/*
 * The memory in which an instrumented process counts, and which it shares with
 * this process.  It is read when the instrumented process has ended: then it
 * has what that process could not send.
 */
struct memory;

/* Takes over the descriptor; NULL if it is not such memory. */
struct memory *memory_map(int fd);
void memory_unmap(struct memory *);	/* NULL is allowed */

/*
 * Notes that these counts of a node were received: memory_read() subtracts
 * them.  The node is at this offset in the memory.
 */
void memory_note(struct memory *, uint64_t offset, const struct sent_node *);

/* The number of its forked children that could not connect. */
uint64_t memory_lost_processes(const struct memory *);

/*
 * Adds all modules, and the counts that were not received, with the ancestors
 * of their nodes, to a graph that is empty.
 */
struct emission memory_read(const struct memory *, struct graph *,
    struct modules *);

#endif
