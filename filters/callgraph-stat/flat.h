#pragma once

#include "common/program/functions.h"

/*
 * Callgraphs added up by function and by another level: file, module or call
 * site.  There are two sums, called sides: NOW for the run to show, and BEFORE
 * for the older run of --diff.
 */
enum { NOW, BEFORE, N_SIDES };
enum level { BY_FUNCTION, BY_FILE, BY_MODULE, BY_CALLSITE, N_LEVELS };
extern const char *const level_names[];	/* and NULL */

/*
 * A call site.  It has no padding: it is hashed and compared as raw memory.
 * Unused members are SYM_NONE or 0.  With a line it has only a file and that;
 * in a difference it has neither, since lines and offsets change.
 */
struct site {
	uint32_t caller;	/* or INDEX_NONE; both index functions */
	uint32_t callee;
	sym file;
	sym module;		/* build id or path, a JSON token */
	uint64_t line_or_offset;
};

struct tally {
	bool is_present;	/* some node belongs to the entry */
	int64_t measures[N_MEASURES];	/* or INT_UNKNOWN */
	int64_t outer_calls;	/* calls that were not recursive */
	int64_t timed_outer_calls;	/* those whose time was measured */
};

struct entry {
	struct site site;	/* of a call site */
	sym module;		/* of a call site: its name, or SYM_NONE */
	uint32_t n_open;	/* its nodes on the current path: enter_node()
				   in flat.c */
	struct tally tallies[N_SIDES];
};

struct entries {
	struct map map;		/* of call sites */
	struct entry *list;
	size_t n, cap;
};

/* The totals of a side; depth is the greatest depth of a tree. */
struct totals {
	int64_t records, elapsed_records, nodes, depth, nodes_limited;
	int64_t probe_ns;
	int64_t measures[N_MEASURES];	/* total times: of roots only */
};

struct flat {
	enum level level;
	bool compares;		/* there are two sides */
	/* What entries are: functions and, at their levels, files or modules,
	   which are identified in the same way. */
	struct functions functions, places;
	struct entries by_function;	/* an entry for each function */
	struct entries groups;	/* of the level; unused if BY_FUNCTION */
	struct totals totals[N_SIDES];
	bool overflowed;	/* some sum reached 2^53 */
	bool has_cpu_time;	/* set by flat_finish() */
};

void flat_init(struct flat *, enum level, bool compares);
void flat_release(struct flat *);

/*
 * Adds a callgraph and the other members of the record it was read from; first
 * all of side NOW.
 */
void flat_add(struct flat *, const struct callgraph *,
    const struct rec *, int side);

/*
 * After the last callgraph: finds out which functions are the same.  If all
 * records have the time off the CPU, sets has_cpu_time and subtracts it, so
 * that SELF_NS and TOTAL_NS are the time on the CPU.  Otherwise they remain
 * elapsed time.
 */
void flat_finish(struct flat *);

/* The entries of the profile's level. */
static inline const struct entries *
flat_entries(const struct flat *p)
{
	return p->level == BY_FUNCTION ? &p->by_function : &p->groups;
}

/* Whether some node has the measure; if it compares, in both runs. */
bool flat_is_measured(const struct flat *, unsigned measure);

/*
 * Computes the change of a measure of an entry.  False if it was not measured
 * in both runs.  An entry that is absent from a run has 0 there, if the run has
 * the measure at all or is empty.
 */
bool flat_change(const struct flat *, const struct entry *,
    unsigned measure, int64_t *change);

/*
 * What has changed, in the order of the answer.  MORE_CALLS: the measure has
 * not grown, but the number of calls; OTHER: neither has the measure shrunk.
 */
enum change { GREW, MORE_CALLS, SHRANK, OTHER, NEW, GONE };
enum change flat_change_of(const struct flat *, const struct entry *,
    unsigned measure);

/* A sorted list of indexes of entries.  The caller frees it. */
struct order {
	uint32_t *list;
	size_t n;
};

/*
 * Sorts the entries by a measure, the greatest first, or by name if `by` is
 * N_MEASURES.  If changes is true, lists only the entries that have changed,
 * sorted by what happened and then by the absolute change.
 */
void flat_sort(const struct flat *, struct order *,
    const struct entries *, unsigned by, bool changes);

/*
 * Sorts the call sites at which a function is called or, if callers is false,
 * those at which it calls others.
 */
void flat_sort_sites(const struct flat *, struct order *, unsigned by,
    uint32_t function, bool callers);
