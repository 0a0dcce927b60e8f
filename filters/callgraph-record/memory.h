#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "filters/callgraph-record/graph.h"
#include "instrument/layout.h"

/*
 * The memory in which an instrumented process counts, and which it shares with
 * this process (instrument/layout.h).  It may change at any time, and the
 * process may be defective: what is read from it is read once, and checked.
 */
struct memory {
	struct shared *shared;
	size_t size, node_size;		/* checked copies from shared */
	uint64_t address;		/* of this memory in the process */
	struct counts *seen;		/* by slot, see memory.c */
	size_t n_seen, seen_cap;
	uint64_t seen_limited;		/* likewise, of nodes_limited */
	int n_modules;			/* that were read */
	size_t n_crashes;		/* likewise */
	uint64_t n_marks, n_dropped;	/* likewise */
	struct sampled {
		int tid;
		uint64_t cpu_ns;	/* that samples have accounted for */
	} *sampled;			/* by index of its thread, or NULL */
};

/*
 * Before the first process starts: ticks are converted by the average frequency
 * of the counter since then.
 */
void memory_init(void);

/* Takes over the descriptor.  False if it is not such memory. */
bool memory_map(struct memory *, int fd);
void memory_unmap(struct memory *);

/* A copy of the path at an offset in shared->paths; the caller frees it. */
char *memory_path(const struct memory *, size_t offset);

/*
 * Adds what has been counted since the last snapshot, with the ancestors of
 * these nodes, to a graph that is empty.
 */
struct snapshot memory_snapshot(struct memory *, struct graph *);

/* Adds new modules.  Those of a node are there when a snapshot has the node. */
void memory_read_modules(struct memory *, struct modules *);

/* Copies the next mark and returns true, or returns false if there is none. */
bool memory_next_mark(struct memory *, bool has_ended, struct shared_mark *);

/* Marks that were dropped since the last call. */
uint64_t memory_dropped_marks(struct memory *);

/* The next crash, or NULL. */
const struct shared_crash *memory_next_crash(struct memory *);

/*
 * Takes a sample at the current node of a thread for each period of CPU time
 * that the thread has used since its last sample.
 */
void memory_sample(struct memory *, pid_t, uint64_t period_ns);
