#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"

struct filter;
struct rec;

/* --- variables.c --------------------------------------------------------- */

/*
 * How many rows instructions read and produce.  An event names the variables
 * that are its results and its arguments, and a row of each variable has its
 * number of rows, if it is a BAT, and perhaps the server's estimate of it.  The
 * rows of events, uses and variables may come in any order.
 */
struct variables {
	struct intern events, names;	/* pairs */
	struct variable_use *uses;
	size_t n_uses, uses_cap;
	struct variable *list;		/* by number in names */
	size_t n, cap;
	struct rows *rows;		/* by number in events */
};

/* Rows, or -1 if they are not known; of several BATs, those of the greatest. */
struct rows {
	double in, out, estimate;
};
extern const struct rows variables_no_rows;

/* For example, the number of a trace and an id in it. */
struct pair {
	uint64_t a;
	int64_t b;
};

/* The number of a pair, from 0 in the order in which they are added. */
static inline uint32_t
intern_pair(struct intern *pairs, uint64_t a, int64_t b)
{
	const struct pair pair = { a, b };

	return intern_add(pairs, span_bytes(&pair, sizeof pair));
}

void variables_init(struct variables *);

/* Ids are those of the rows of one trace, which has a number. */
void variables_add_use(struct variables *, uint64_t trace, int64_t event_id,
    int64_t variable_id, bool is_result);
void variables_add(struct variables *, uint64_t trace, int64_t variable_id,
    double rows, double estimate);

/* Call this when all have been added, and before variables_add_rows(). */
void variables_finish(struct variables *);

/* Adds the rows of an event, times `share`, to a sum. */
void variables_add_rows(const struct variables *, uint64_t trace,
    int64_t event_id, double share, struct rows *sum);

/* --- executions.c -------------------------------------------------------- */

/*
 * Finds the instances (runs) of instructions in the rows of one or more traces:
 * weir-mal(5) defines them and their kinds.  An instance takes about 80 bytes
 * of memory, plus its statement.
 */

enum instance_kind { KIND_WORK, KIND_CALL, KIND_DATAFLOW, KIND_PLAN,
    N_KINDS };

struct instance {
	uint32_t execution;		/* index in trace.executions */
	uint32_t lane;			/* a number for (session, thread); one
					   of its own if it is untimed */
	int64_t pc;
	int64_t event_id;		/* of its end, or INT_UNKNOWN */
	int64_t thread;			/* or INT_UNKNOWN */
	int64_t start_us, end_us;
	int64_t self_us;		/* set by scopes_make() */
	int64_t server_us;		/* duration that the server measured,
					   or INT_UNKNOWN */
	sym operation;
	sym statement;			/* or SYM_NONE */
	enum instance_kind kind;
	bool has_no_start;		/* see executions_finish() */
	bool is_untimed;		/* it has no clock: start_us is 0, and
					   end_us the server's duration */
};

/*
 * The clock by which the times of an execution are measured: from the start of
 * the server, from 1970, or from the midnight before the session's first event.
 */
enum clock { CLOCK_UNKNOWN, CLOCK_RELATIVE, CLOCK_ABSOLUTE, CLOCK_LOCAL };

struct execution {
	struct {
		uint64_t trace;		/* its number: see trace.number */
		int64_t id;		/* execution_id */
	} key;
	uint32_t session;		/* index in trace.sessions */
	bool names_session, names_client, has_starts;
	bool has_row;			/* mal_execution has been read */
	bool is_partial;		/* of its pc 0, the trace has only the
					   start or only the end */
	bool has_failed;		/* a phase of its statement has */
	enum clock clock;		/* of its first event that has one */
	int64_t tag;			/* or INT_UNKNOWN */
	uint32_t parent;		/* execution that initiates this one, or
					   INDEX_NONE */
	sym function;			/* user_function, or SYM_NONE */
	bool is_query;			/* it has a row of `query` */
	sym query;			/* text of its query, or SYM_NONE */
};

/*
 * A session: executions whose times are measured by one clock.  The executions
 * of a trace that name no server are one session for each client, and one for
 * those that name no client either.
 */
struct session {
	struct {
		uint64_t name;		/* symbol of the server session or of
					   the client, or SYM_NONE */
		uint64_t trace;		/* its number; ANY_TRACE for a server
					   process */
	} key;
	int64_t workers;	/* worker threads of the server; 0 if its traces
				   state different numbers, INT_UNKNOWN if none
				   states a number.  The session of a trace that
				   has no name has that of the trace */
	int64_t cores;		/* of the server, by its heartbeats; or 0 */
	int64_t local_us;	/* of the last event with CLOCK_LOCAL, or
				   INT_UNKNOWN */
};
#define ANY_TRACE UINT64_MAX

struct trace {
	struct intern names;
	struct intern session_keys, execution_keys, instruction_keys,
	    heartbeat_keys;		/* of the following: pairs */
	struct session *sessions;
	size_t n_sessions, sessions_cap;
	struct execution *executions;
	size_t n_executions, executions_cap;
	struct instruction *instructions;	/* (execution, pc) */
	size_t n_instructions, instructions_cap;
	struct heartbeat *heartbeats;
	size_t n_heartbeats, heartbeats_cap;
	struct instance *instances;
	size_t n, cap;			/* of instances */
	struct variables variables;
	bool has_variables;		/* they are needed: set this after
					   executions_init() */
	uint64_t number;		/* of the current trace: how many
					   `trace` records have been read */
	uint64_t hash;			/* of the lines of the current trace */
	struct intern hashes;		/* of the traces before it */
	uint64_t n_copies;		/* of them, those with the same hash as
					   another before */
	uint64_t n_events;
	uint64_t n_no_start;		/* instances dropped because they have
					   no start event */
	uint64_t n_unfinished;		/* starts without an end */
	uint64_t n_no_clock;		/* events that have no time by their
					   execution's clock: they are ignored,
					   or untimed instances */
	uint64_t n_restarted;		/* starts while an instance was open,
					   which is then dropped */
};

/* The keys of rows that executions_add() reads; ends with NULL. */
extern const char *const executions_keys[];

/* The name of a session; empty if it has none. */
struct span executions_session_name(const struct trace *, uint32_t session);

/*
 * Compare sessions by name and trace, those without a name first; and
 * executions by trace and id.  The arguments are indexes.
 */
int executions_compare_sessions(const struct trace *, uint32_t, uint32_t);
int executions_compare_executions(const struct trace *, uint32_t, uint32_t);

void executions_init(struct trace *);

/*
 * Adds a row, or rejects it if it is invalid.  False if the record is of a type
 * that is not used.
 */
bool executions_add(struct trace *, struct filter *, const struct rec *);

/*
 * Call this when all rows have been added.  Drops instances without a start
 * event, unless their server writes none: then their start is the end less the
 * duration that the server measured.  Sorts the instances, and numbers the
 * lanes.
 */
void executions_finish(struct trace *);

/* --- scope.c ------------------------------------------------------------- */

/*
 * A piece of work: a period in which a work instance was the innermost instance
 * of its lane.
 */
struct piece {
	int64_t start_us, end_us;
	uint32_t instance;	/* index in trace.instances */
};

/*
 * What an answer is about: a whole trace, one root, or one session of these.  A
 * root is an execution that no other initiates, with everything that it
 * initiates directly or indirectly: usually a query.  The instances and their
 * pieces are sorted by session and lane.
 */
struct scope {
	uint32_t root;			/* an execution that no other initiates,
					   such as that of a query; INDEX_NONE:
					   the whole trace */
	uint32_t *instances;		/* indexes in trace.instances */
	size_t n_instances, instances_cap;
	struct piece *pieces;
	size_t n_pieces, pieces_cap;
};

/*
 * The scope of the whole trace, and after it those of all roots with instances,
 * in the order of traces and ids.
 */
struct scopes {
	struct scope *list;
	size_t n;		/* of scopes */
};

/* Also sets the self times of all instances. */
void scopes_make(struct scopes *, struct trace *);

/* --- queries.c ----------------------------------------------------------- */

/*
 * What a root used: a query, or a plan that is linked to no query.
 * Its times are measured by the clock of its session.
 */
struct root_use {
	uint32_t root;			/* index in trace.executions */
	int64_t start_us, elapsed_us;	/* of its plans in its own session;
					   INT_UNKNOWN if none of them has a
					   timed instance */
	int64_t busy_us;		/* self time of work, in all sessions */
	size_t n_threads;		/* with work, in all sessions */
	bool is_untimed;		/* of some work the thread is unknown */
	sym costliest;			/* operation, or SYM_NONE */
	int64_t costliest_us;		/* its self time */
};

/* A time in which one or more queries ran. */
struct period {
	uint32_t session;		/* index in trace.sessions */
	int64_t start_us, end_us;
};

struct queries {
	struct root_use *list;	/* queries, then other roots; each of these
				   two groups with the slowest first */
	size_t n, n_queries;	/* of all roots, and of queries */
	bool *ran_in;		/* by session: whether a query ran there */
	struct period *periods;	/* by session and time; each takes time, and
				   between two of a session no query runs */
	size_t n_periods, periods_cap;
};

void queries_make(struct queries *, const struct trace *,
    const struct scopes *);

/* --- cores.c ------------------------------------------------------------- */

/* How the cores were used in a time. */
struct use {
	int64_t wall_us;
	int64_t busy_us;	/* sum of the work of all threads */
	int64_t idle_us;	/* while no thread worked */
	int64_t serial_us;	/* while exactly one thread worked */
	int64_t *histogram_us;	/* [k]: how long exactly k threads worked */
	size_t n_levels;	/* length of histogram_us; 0: there is none */
	size_t n_threads;
};

/* How the cores are used in a session, or in one dataflow block of it. */
struct cores {
	uint32_t session;	/* index in trace.sessions */
	uint32_t block;		/* the block's index in trace.instances;
				   INDEX_NONE: of a session */
	int64_t start_us, end_us;
	struct use use;		/* a block has no histogram if too many threads
				   work, see cores.c; n_threads: that have a
				   work instance which starts and ends within
				   start_us to end_us */
	bool ran_queries;	/* of a session, in the answer for the whole
				   trace: `queries` is known */
	struct use queries;	/* while queries ran, without a histogram;
				   n_threads: that worked in that time */
};

/*
 * Takes an array of n: one session and its blocks, in which the caller has set
 * session, block, start_us and end_us; and the times in which its queries ran.
 * The scope must be exactly this session.  Sets `use`, and `queries` except for
 * n_threads.  The caller frees the histograms.  For m instances the time is
 * O(m log m), however blocks and times overlap, and a search for each lane and
 * block.
 */
void cores_measure(struct cores *, size_t n, const struct trace *,
    const struct scope *, const struct period *, size_t n_periods);

/* --- costs.c ------------------------------------------------------------- */

/* Sums over the instances of one operation and kind. */
struct operation {
	sym name;
	enum instance_kind kind;
	uint64_t n;		/* instances */
	int64_t self_us;
	int64_t total_us;	/* from start to end, of all instances */
	int64_t longest_us;	/* from start to end, of the longest one */
};

/*
 * What malstat reports about one scope; weir-mal(5) defines the terms.
 * Members that name an instance or execution are indexes in trace.instances or
 * trace.executions.
 */
struct costs {
	const struct trace *trace;	/* borrowed */
	uint32_t root;			/* execution of the query, or INDEX_NONE
					   if the scope is the whole trace */
	int64_t busy_us;		/* self time of all work */
	struct operation *operations;	/* of KIND_WORK, costliest first */
	size_t n_operations;
	struct operation *containers;	/* of other kinds, by kind and name; in
					   the same array, after operations */
	size_t n_containers;
	uint32_t *costliest;		/* work instances, costliest first */
	size_t n_work;			/* length of costliest */
	size_t n_instances, n_untimed;	/* of all kinds */
	struct cores *cores;		/* each session before its blocks, of
					   the timed instances */
	size_t n_cores, cores_cap, n_sessions;
};

/* The use of cores while queries ran is only measured for a whole trace. */
void costs_make(struct costs *, const struct trace *, const struct scope *,
    const struct queries *);
void costs_release(struct costs *);

/*
 * Sets only busy_us and the lists of operations and containers, which start at
 * costs.operations and are freed by the caller.  costs.trace must be set.
 */
void costs_sum(struct costs *, const struct scope *);

/* --- database.c ---------------------------------------------------------- */

/* Adds all rows of a database that malload filled. */
void trace_read_database(struct trace *, struct filter *, const char *path);

/* --- diff.c -------------------------------------------------------------- */

/*
 * What became slower from one trace to another; weir-mal(5) says what is
 * compared.  All amounts are those of one run: sums divided by the number of
 * runs.
 */
enum { NOW, BEFORE, N_SIDES };
enum change_kind { CHANGE_QUERY, CHANGE_OPERATION, CHANGE_INSTRUCTION,
    N_CHANGES };

/* A trace, what it is divided into, and how long its parts took. */
struct measured {
	struct trace trace;
	struct scopes scopes;
	struct queries queries;
};

/* An amount, and how many rows there were, on each side. */
struct change {
	enum change_kind kind;
	bool is_query;		/* and not a plan that is linked to none */
	uint32_t query;		/* of an instruction: index of its change */
	struct span operation;	/* of an operation or instruction */
	struct side {
		struct span name;	/* of a query, its text without
					   constants; of an instruction, its
					   statement; empty if absent */
		double n;	/* runs of a query; instances; 0: absent */
		double us;	/* elapsed time of a query, or self time */
		double busy_us;	/* of a query */
		uint64_t left_out;	/* runs of a query, not in n */
		int64_t pc;	/* of an instruction */
		struct rows rows;	/* likewise */
	} sides[N_SIDES];
};

struct diff {
	struct intern keys;
	struct change *list;	/* by symbol in keys */
	size_t n, cap;
	size_t n_queries[N_SIDES];	/* without plans linked to none */
	uint32_t last_query[N_SIDES];	/* index of the change of one */
	/* By kind, the greatest change first. */
	struct changes {
		const struct change **list;
		size_t n;
	} of[N_CHANGES];
};

/* The names are those of the traces. */
void diff_make(struct diff *, const struct measured[N_SIDES]);

/* Whether all runs of a query are left out on a side that has any. */
static inline bool
diff_is_unknown(const struct change *c)
{
	const struct side *s = c->sides;

	return (s[NOW].n == 0 && s[NOW].left_out > 0) ||
	    (s[BEFORE].n == 0 && s[BEFORE].left_out > 0);
}

static inline bool
diff_is_on_both(const struct change *c)
{
	return c->sides[NOW].n > 0 && c->sides[BEFORE].n > 0;
}

/*
 * The change in microseconds, from 0 or to 0 if it is absent on a side; 0 if it
 * is not known, or below a nanosecond.
 */
double diff_us(const struct change *);

/* --- diff-write.c -------------------------------------------------------- */

/* Writes records (weir-records(5)), or text with at most `top` instructions. */
void diff_emit(const struct diff *, struct filter *);
void diff_report(const struct diff *, struct filter *, uint64_t top);

/* --- emit.c -------------------------------------------------------------- */

/*
 * Writes what the roots used: all of them if the answer is about the whole
 * trace, otherwise that of the answer.
 */
void queries_emit(const struct queries *, const struct costs *,
    struct filter *);

/*
 * Writes an answer as records (weir-records(5)), with at most `top` of the
 * costliest instances.
 */
void costs_emit(const struct costs *, struct filter *, uint64_t top);

/* Writes the last record: what was read, and what could not be used. */
void summary_emit(const struct trace *, struct filter *);

/* Whether queries_emit() and queries_report() write what the root used. */
static inline bool
is_listed(const struct costs *a, const struct root_use *u)
{
	return a->root == INDEX_NONE || a->root == u->root;
}

/* The text of a name; empty for SYM_NONE. */
static inline struct span
name_of(const struct costs *a, sym name)
{
	return name == SYM_NONE ? span_of("", 0) :
	    intern_span(&a->trace->names, name);
}

/* part / whole; 0 if the whole is 0. */
static inline double
ratio_of(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* The busy time as a ratio of what this many threads could work in the time. */
static inline double
utilisation(const struct use *u, int64_t threads)
{
	return threads > 0 ? ratio_of(u->busy_us, u->wall_us) /
	    (double)threads : 0;
}

/* --- report.c ------------------------------------------------------------ */

/* Write as text what emit.c writes; a table has at most `top` queries. */
void queries_report(const struct queries *, const struct costs *,
    struct filter *, uint64_t top);
void costs_report(const struct costs *, struct filter *, uint64_t top);
void summary_report(const struct trace *, struct filter *);
