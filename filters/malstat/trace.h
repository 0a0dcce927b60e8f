#ifndef MALSTAT_TRACE_H
#define MALSTAT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/base/map.h"

/*
 * A trace: the instances of instructions that its rows report.  A start event
 * opens the instance of an execution and pc, a done event closes it.  An
 * instance takes about 80 bytes, plus its statement.
 */
struct filter;
struct rec;

enum instance_kind { KIND_WORK, KIND_CALL, KIND_DATAFLOW, KIND_PLAN,
    N_KINDS };

struct instance {
	uint32_t execution;		/* index */
	uint32_t lane;			/* number of (session, thread) */
	int64_t pc, thread;
	int64_t start_us, end_us, self_us;
	int64_t server_us;		/* the server's usec, or INT_UNKNOWN */
	sym operation, statement;	/* statement may be SYM_NONE */
	enum instance_kind kind;
	bool has_no_start;		/* see trace_finish() */
};

/* The clock of an execution's times. */
enum clock { CLOCK_UNKNOWN, CLOCK_RELATIVE, CLOCK_ABSOLUTE };

struct execution {
	struct {
		uint64_t trace;		/* its number */
		int64_t id;
	} key;
	uint32_t session;		/* index */
	bool has_only_ends;		/* its server writes no start events */
	bool has_row;			/* mal_execution has been read */
	enum clock clock;		/* of its first event that has one */
	int64_t tag;			/* or INT_UNKNOWN */
	uint32_t parent;		/* the initiator, or INDEX_NONE */
	sym query;			/* its text, or SYM_NONE */
};

/*
 * A session: executions whose times are measured by one clock.  Usually it is a
 * server process, which several traces may name.  The executions of a trace
 * that name no server are one session for each client, and one for those that
 * name no client either.
 */
struct session {
	struct {
		uint64_t name;		/* a symbol, or SYM_NONE */
		uint64_t trace;		/* ANY_TRACE for a server process */
	} key;
	int64_t workers;	/* of the server; 0 if its traces differ,
				   INT_UNKNOWN if none states them */
};
#define ANY_TRACE UINT64_MAX

struct trace {
	struct intern names;
	struct session *sessions;
	size_t n_sessions, sessions_cap;
	struct map session_by_key;
	struct execution *executions;
	size_t n_executions, executions_cap;
	struct map execution_by_key;
	struct instruction *instructions;	/* (execution, pc) */
	size_t n_instructions, instructions_cap;
	struct map instruction_by_key;
	struct instance *instances;
	size_t n, cap;
	uint64_t number;		/* `trace` records so far */
	int64_t *workers;		/* for each trace, as in session */
	size_t n_workers, workers_cap;
	uint64_t n_events, n_no_start, n_unfinished, n_no_clock;
	uint64_t n_restarted;		/* starts of what was already open */
};

/* The keys of rows that are read; ends with NULL. */
extern const char *const trace_keys[];

/* The name of a session; empty if it has none. */
struct span trace_session_name(const struct trace *, uint32_t session);

/*
 * Compare sessions by name and trace, those without a name first; and
 * executions by trace and id.
 */
int trace_compare_sessions(const struct trace *, uint32_t, uint32_t);
int trace_compare_executions(const struct trace *, uint32_t, uint32_t);

void trace_init(struct trace *);
void trace_release(struct trace *);

/* Adds a row, or rejects it if it is invalid. */
void trace_add(struct trace *, struct filter *, const struct rec *);

/* Adds all rows of a database that malload filled (database.c). */
void trace_read_database(struct trace *, struct filter *, const char *path);

/*
 * Call this when all rows have been added.  A done event without a start gives
 * an instance only if its server writes no start events; the start is then the
 * end less the time that the server measured.  Sorts the instances, and numbers
 * the lanes.
 */
void trace_finish(struct trace *);

/* A period in which a work instance was the innermost one in its lane. */
struct piece {
	int64_t start_us, end_us;
	uint32_t instance;
};
struct pieces {
	struct piece *list;
	size_t n, cap;
};

/*
 * Sets the self times of all instances and collects the pieces of work, lane by
 * lane (measure.c).
 */
void trace_measure(struct trace *, struct pieces *);

#endif
