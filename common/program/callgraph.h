#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intervals.h"
#include "common/base/num.h"
#include "common/filter/expect.h"
#include "common/json/rec.h"

/*
 * A callgraph record, read into arrays: modules, and nodes in the order of the
 * record, parents first.  All texts are borrowed until the next record is read.
 * The record describes the calls of a process as a tree: weir-records(5).
 */

/* Indexes of a node's measures and texts, and the keys of both in a record. */
#define MEASURE_KEYS(K)							\
	K(CALLS, "calls") K(SELF_NS, "self_ns")				\
	K(TOTAL_NS, "total_ns") K(SAMPLES, "samples")			\
	K(SELF_OFF_NS, "self_off_ns") K(TOTAL_OFF_NS, "total_off_ns")	\
	K(TIMED_CALLS, "timed_calls")
enum { MEASURE_KEYS(KEY_INDEX) N_MEASURES };
extern const char *const callgraph_measure_keys[N_MEASURES];

/* Is it in nanoseconds? */
static inline bool
measure_is_time(unsigned measure)
{
	return measure != CALLS && measure != SAMPLES &&
	    measure != TIMED_CALLS;
}

#define NODE_TEXT_KEYS(K)						\
	K(NODE_NAME, "name") K(NODE_FILE, "file") K(NODE_LINE, "line")	\
	K(NODE_CALL_FILE, "call_file") K(NODE_CALL_LINE, "call_line")	\
	K(NODE_CALL_INLINED, "call_inlined")
enum { NODE_TEXT_KEYS(KEY_INDEX) N_NODE_TEXTS };
extern const char *const callgraph_text_keys[N_NODE_TEXTS];

/*
 * A program or library in the memory of a process.  Address 0 of its ELF file
 * would be at base.
 */
struct graph_module {
	struct span path, build_id;	/* decoded; empty if absent */
	struct span path_token, build_id_token;	/* JSON tokens, or empty */
	struct span name;	/* the last component of the path */
	uint64_t base, start, end;	/* addresses; end is excluded */
	bool is_program;	/* `program` names it; if that is absent, it is
				   the first module */
};

struct graph_node {
	uint32_t parent;	/* an earlier node, or INDEX_NONE */
	bool has_function, has_call_site;
	uint64_t function, call_site;	/* addresses in memory */
	int64_t measures[N_MEASURES];	/* or INT_UNKNOWN */
	struct span name, file, call_file;	/* decoded; empty if absent */
	struct span texts[N_NODE_TEXTS];	/* JSON tokens, or empty */
};

/*
 * Adds n, unless it is INT_UNKNOWN, to a sum; INT_UNKNOWN as the sum counts as
 * 0.  If the sum is too large for a record, limits it to the greatest integer
 * that a record can hold, and sets *overflowed.
 */
static inline void
measure_add(int64_t *sum, int64_t n, bool *overflowed)
{
	const int64_t max = (INT64_C(1) << REC_INT_BITS) - 1;

	if (n == INT_UNKNOWN)
		return;
	*sum = *sum == INT_UNKNOWN ? n : *sum + n;
	if (*sum > max) {
		*sum = max;
		*overflowed = true;
	}
}

/*
 * The keys of a callgraph record, for a filter's struct about (filter.h); the
 * frames are those of a crash record, which has modules too.
 */
#define CALLGRAPH_KEYS(K)						\
	K(GRAPH_CHECKSUM, "checksum") K(GRAPH_PROGRAM, "program")	\
	K(GRAPH_TIME_US, "time_us") K(GRAPH_MODULES, "modules")		\
	K(GRAPH_NODES, "nodes") K(GRAPH_FRAMES, "frames")		\
	K(GRAPH_FOLDED_RECURSION, "folded_recursion")			\
	K(GRAPH_NODES_LIMITED, "nodes_limited")				\
	K(GRAPH_PROBE_NS, "probe_ns") K(GRAPH_RECORDS, "records")	\
	K(GRAPH_ELAPSED_RECORDS, "elapsed_records")
KEY_INDEXES(CALLGRAPH_KEYS);
extern const char *const callgraph_keys[];

/*
 * The keys of a node.  Measure i has the key NODE_FIRST_MEASURE + i, and text i
 * NODE_FIRST_TEXT + i.
 */
#define NODE_CALL_KEYS(K)						\
	K(NODE_PARENT, "parent") K(NODE_FUNCTION, "function")		\
	K(NODE_CALL_SITE, "call_site")
enum { NODE_TYPE, NODE_CALL_KEYS(KEY_INDEX) NODE_FIRST_MEASURE,
    NODE_FIRST_TEXT = NODE_FIRST_MEASURE + N_MEASURES };
extern const char *const callgraph_node_keys[];

struct filter;

struct callgraph {
	struct graph_module *modules;
	size_t n_modules, modules_cap;
	struct graph_node *nodes;
	size_t n_nodes, nodes_cap;
	bool is_elapsed;	/* some node has times, but not those off the
				   CPU */

	/* Private to callgraph.c. */
	struct expect expect;
	struct recio *modules_io, *nodes_io;
	struct intervals module_index;
	struct interval *ranges;	/* scratch space to build it */
	size_t ranges_cap;
	struct arena arena;
};

void callgraph_init(struct callgraph *);
void callgraph_release(struct callgraph *);

/*
 * Reads a record.  If it is malformed, returns false and sets *why, which is
 * borrowed until the next call.
 */
bool callgraph_read(struct callgraph *, const struct rec *, const char **why);

/* The same, but leaves out the nodes: reads any record that has modules. */
bool callgraph_read_modules(struct callgraph *, const struct rec *,
    const char **why);

/*
 * Replace self_ns and total_ns by the time on the CPU: subtract self_off_ns and
 * total_off_ns, where they are known, in one array of measures or in all nodes.
 */
void measures_subtract_off_time(int64_t *measures);
void callgraph_subtract_off_time(struct callgraph *);

/*
 * Reads the next callgraph record of the input, and rejects malformed ones.
 * Returns the record, or NULL if there are no more; reports it if there was
 * none, but other records.
 */
struct rec *callgraph_next(struct callgraph *, struct filter *);

/* Reads an address, which is a string such as "0x401136". */
enum rec_found callgraph_address(const struct rec *, unsigned key,
    uint64_t *address);

/*
 * The number of processes in a record whose times include those off the CPU,
 * because these were not measured.
 */
int64_t callgraph_elapsed_records(const struct callgraph *,
    const struct rec *);

/* Returns an integer, or by_default if it is absent, negative or malformed. */
int64_t callgraph_count(const struct rec *, unsigned key, int64_t by_default);

/*
 * The module that contains an address, or NULL.  If several do, it is the one
 * with the highest start, and if these are equal, the last one listed.
 */
const struct graph_module *callgraph_module_at(const struct callgraph *,
    uint64_t address);
