#ifndef WEIR_CALLGRAPH_H
#define WEIR_CALLGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intervals.h"
#include "common/base/num.h"
#include "common/json/rec.h"

/*
 * A callgraph record as arrays.  texts are JSON tokens as they were written, n
 * is 0 where there is none.  All is borrowed from the record's line, or until
 * the next record is read.
 */
enum { CALLS, SELF_NS, TOTAL_NS, SAMPLES, N_MEASURES };
extern const char *const callgraph_measures[N_MEASURES];

enum { NODE_NAME, NODE_FILE, NODE_LINE, NODE_CALL_FILE, NODE_CALL_LINE,
    NODE_CALL_INLINED, N_NODE_TEXTS };
extern const char *const callgraph_texts[N_NODE_TEXTS];

struct graph_module {
	struct span path, build_id;
	struct span name;	/* the last part of the path, read */
	uint64_t base, start, end;	/* [start, end) in memory */
};

struct graph_node {
	uint32_t parent;	/* before it, or INDEX_NONE */
	bool has_function, has_call_site;
	uint64_t function, call_site;
	int64_t measures[N_MEASURES];	/* or INT_UNKNOWN */
	struct span name, file;	/* the texts, read: empty if there is none */
	struct span texts[N_NODE_TEXTS];
};

/*
 * Adds a measure to a sum, unless it is INT_UNKNOWN, as a sum of none is.
 * False if the sum is more than a record can hold: then it stays at that.
 */
static inline bool
measure_add(int64_t *sum, int64_t n)
{
	const int64_t max = (INT64_C(1) << REC_INT_BITS) - 1;

	if (n == INT_UNKNOWN)
		return true;
	*sum = *sum == INT_UNKNOWN ? n : *sum + n;
	if (*sum <= max)
		return true;
	*sum = max;
	return false;
}

/* The keys for the filter that reads such records, KEY_TYPE first. */
enum { GRAPH_TYPE, GRAPH_CHECKSUM, GRAPH_PROGRAM, GRAPH_TIME_US,
    GRAPH_MODULES, GRAPH_NODES, GRAPH_FOLDED_RECURSION, GRAPH_NODES_LIMITED,
    GRAPH_RECORDS };
extern const char *const callgraph_keys[];

struct callgraph {
	struct graph_module *modules;
	size_t n_modules, modules_cap;
	struct graph_node *nodes;
	size_t n_nodes, nodes_cap;

	/* callgraph.c's own */
	struct recio *modules_io, *nodes_io;
	struct intervals module_index;
	struct interval *ranges;	/* of modules */
	size_t ranges_cap;
	struct arena arena;
};

void callgraph_init(struct callgraph *);
void callgraph_release(struct callgraph *);

/* False if the record is none, and why: borrowed until the next call. */
bool callgraph_read(struct callgraph *, const struct rec *, const char **why);

/* The address "0x..." under a key. */
enum rec_found callgraph_address(const struct rec *, unsigned key,
    uint64_t *address);

/* A count, or what it is if the record does not have it. */
int64_t callgraph_count(const struct rec *, unsigned key, int64_t otherwise);

/*
 * The module that an address lies in, or NULL: of several that which begins
 * last, then the last of them.
 */
const struct graph_module *callgraph_module_at(const struct callgraph *,
    uint64_t address);

#endif
