#pragma once

#include "common/base/buf.h"
#include "common/base/text.h"
#include "common/filter/filter.h"
#include "common/program/functions.h"

/* --- flat.c -------------------------------------------------------------- */

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

/* --- answer.c ------------------------------------------------------------ */

/* What to write about a profile, as records or a report. */
struct answer {
	const struct flat *profile;
	unsigned sort_by;	/* a measure, or N_MEASURES: by name */
	unsigned measure;	/* the main one: sort_by or, if that is
				   N_MEASURES, the default measure */
	uint64_t top;		/* rows of each list; 0: the default */
};

/* How many of n entries to write: at most --top or, without it, by_default. */
size_t answer_n_rows(const struct answer *, size_t n, size_t by_default);

/* The ratio of a part to the whole; 0 if the whole is 0. */
double answer_share(int64_t part, int64_t whole);

/*
 * Whether most of what was measured was the time of measuring, as in a program
 * that spends its time in very short calls.  Then an error of a tenth in the
 * estimate that is subtracted is larger than the times of most functions.
 */
bool answer_is_rough(const struct totals *);

/*
 * Whether only some of the calls were timed, since records without times were
 * added to records with them.
 */
bool answer_lacks_times(const struct totals *);

/*
 * The average self or total time of a call, or INT_UNKNOWN.  For total time
 * only outermost calls count, since the time of a recursive call is part of the
 * outermost one's.
 */
int64_t answer_per_call(const struct tally *, unsigned measure);

/* --- emit.c -------------------------------------------------------------- */

/* All of these functions write `stat` records. */

/* One for each entry of the profile's level. */
void emit_profile(const struct answer *, struct filter *);

/* One for each entry that differs between the two runs. */
void emit_changes(const struct answer *, struct filter *);

/* One for a function, and one for each call site where it is called or calls
   another. */
void emit_calls(const struct answer *, struct filter *, uint32_t function);

/* Only its callers. */
void emit_callers(const struct answer *, struct filter *, uint32_t function);

/* The whole program; before: with its values in the earlier run as well. */
void emit_program(const struct answer *, struct filter *, bool before);

/* --- report.c ------------------------------------------------------------ */

/*
 * Write as text what the functions of emit.c write as records.  The headings of
 * a profile and of changes have the program's totals, as emit_program() does.
 */
void report_profile(const struct answer *, struct filter *);
void report_changes(const struct answer *, struct filter *);
void report_calls(const struct answer *, struct filter *, uint32_t function);

/* Says that the times are rough, if they are. */
void report_roughness(const struct answer *, struct buf *);
void report_callers(const struct answer *, struct filter *, uint32_t function);

/* --- shorten.c ----------------------------------------------------------- */

/* Between a caller and the function that it calls. */
#define CALLS_SIGN " > "

/*
 * Adds the name of a function in at most n cells.  A name of C++ or Rust that
 * is wider loses, in this order, until it fits: its arguments, the arguments of
 * templates, and namespaces and classes from the left.  Two dots replace what
 * is lost:
 *
 * 	ns::Class<A, B>::method(std::vector<int> const&) const
 * 	ns::Class<A, B>::method(..) const
 * 	ns::Class<..>::method(..) const
 * 	..Class<..>::method(..) const
 * 	..method(..)
 * 	method
 *
 * The function's own identifier is never lost; if that is wider than n cells,
 * its middle is.
 */
void shorten(struct buf *, struct span name, size_t n);

/*
 * What precedes CALLS_SIGN, outside brackets, in "caller > function"; the whole
 * text if there is none.
 */
struct span shorten_caller(struct span);

/*
 * Adds a name without return type, arguments, those of templates, and ABI tags:
 * "ns::Class::method".
 */
void shorten_qualified(struct buf *, struct span name);
