#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "filters/malstat/variables.h"

/*
 * Finds the instances (runs) of instructions in the rows of one or more traces.
 * An execution is one run of a plan; the pc is the number of an instruction in
 * the plan.  A start event opens an instance of the instruction at a pc of an
 * execution, and a done event closes it.  An instance takes about 80 bytes of
 * memory, plus its statement.
 */
struct filter;
struct rec;

/* malstat(1) describes the kinds. */
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
	int64_t self_us;		/* set by trace_measure() */
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
 * A session: executions whose times are measured by one clock.  Usually it is a
 * server process, which several traces may name.  The executions of a trace
 * that name no server are one session for each client, and one for those that
 * name no client either.
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
void executions_release(struct trace *);

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
