#pragma once

#include <stdbool.h>

#include "common/base/buf.h"
#include "filters/malparse/event.h"
#include "filters/malparse/plan.h"
#include "filters/malparse/statement.h"
#include "filters/malparse/types.h"

/*
 * Writes the rows of the tables (weir-records(5)), and numbers them.  Only the
 * executions and variables are numbered by the caller, by rows.next.
 */
struct filter;
struct recio;

enum row_table { T_SERVER, T_EXECUTION, T_EVENT, T_PREREQUISITE, T_VARIABLE,
    T_QUERY, T_INITIATES, T_PHASE, T_HEARTBEAT, T_CPULOAD, N_TABLES };

struct rows {
	struct filter *f;
	bool has_begun;		/* the trace record has been written */
	bool discards_rows;	/* discard rows: tasks are written instead */
	bool rebuilds_statements;	/* of events that have none */
	bool derives_starts;	/* writes starts for done events of format P */
	size_t row_start;	/* offset of the current row in the output */
	uint64_t next[N_TABLES];	/* the next id to be used */
	struct types types;
	struct buf server_version;	/* from the last stream header */
	struct recio *variables;	/* parses objects of variables */
	struct statement statement;
};

void rows_init(struct rows *, struct filter *);
void rows_release(struct rows *);

/* Writes the row of a server, from the header of a stream (EVENT_HEADER). */
void rows_put_header(struct rows *, const struct rec *);

/* Writes an execution, and sets has_row. */
void rows_put_execution(struct rows *, const struct plans *,
    struct execution *);

/*
 * Writes an event, and sets first_event_id and done_event_id of the
 * instruction.
 */
void rows_put_event(struct rows *, struct execution *, struct instruction *,
    const struct event *);

/* Writes a rejected event with the reason. */
void rows_put_rejected(struct rows *, const struct event *, const char *why);

/*
 * Writes that the instruction of the event `consequent` depends on the one at
 * pc, whose last run the event `done` ended; done is 0 if no run has ended.
 */
void rows_put_prerequisite(struct rows *, uint64_t done, uint64_t consequent,
    int64_t pc);

/* Writes a variable with the values in its object, and sets has_row. */
void rows_put_variable(struct rows *, const struct execution *,
    struct variable *);

/*
 * Writes that an event uses a variable, which has this index in the event's
 * list of variables.  flag names a column to set to true, or is NULL.  eol (end
 * of life): nothing uses the variable after the event.
 */
void rows_put_use(struct rows *, uint64_t event_id, int64_t index,
    const struct variable *, const char *flag, bool eol);

/* Writes that the execution runs a client's query, with the text of its SQL. */
void rows_put_query(struct rows *, const struct execution *, struct span text);

/*
 * Writes that the execution `parent` initiates the execution `child`.  remote:
 * they run on different servers.
 */
void rows_put_link(struct rows *, uint64_t parent, uint64_t child,
    bool remote);

/* The execution is NULL for a phase without a statement, such as a login. */
void rows_put_phase(struct rows *, const struct execution *,
    const struct event *);
void rows_put_heartbeat(struct rows *, const struct event *);
