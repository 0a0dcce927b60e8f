#ifndef MALPARSE_ROWS_H
#define MALPARSE_ROWS_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "filters/malparse/event.h"
#include "filters/malparse/plan.h"
#include "filters/malparse/statement.h"
#include "filters/malparse/types.h"

/*
 * Writes the rows of the tables (weir-records(5)), and numbers them, except
 * executions and variables: the caller sets their ids.
 */
struct filter;
struct recio;

enum row_table { T_SERVER, T_EXECUTION, T_EVENT, T_PREREQUISITE, T_VARIABLE,
    T_QUERY, T_INITIATES, T_PHASE, T_HEARTBEAT, T_CPULOAD, N_TABLES };

/* The name of the id column of each table. */
extern const char *const rows_id_columns[N_TABLES];

struct rows {
	struct filter *f;
	bool is_continued;	/* ids continue those of another trace */
	bool has_begun;		/* the trace record has been written */
	bool is_silent;		/* discard all rows; tasks are written */
	bool rebuilds_statements;	/* if an event has none */
	bool derives_starts;	/* for done events of format P */
	size_t row_start;	/* of the current row, in the output buffer */
	uint64_t first[N_TABLES];	/* the first id of this trace */
	uint64_t next[N_TABLES];	/* the next id to be used */
	struct types types;
	struct buf server_version;	/* from the last stream header */
	struct recio *variables;	/* parses objects of variables */
	struct statement statement;
};

void rows_init(struct rows *, struct filter *);
void rows_release(struct rows *);

/* The row of a server, from the header of a stream. */
void rows_put_header(struct rows *, const struct rec *);

/* Writes an execution, and sets has_row. */
void rows_put_execution(struct rows *, const struct plans *,
    struct execution *);

/* Writes an event, and sets the ids of events in the instruction. */
void rows_put_event(struct rows *, struct execution *, struct instruction *,
    const struct event *);

/* Writes a rejected event with the reason. */
void rows_put_rejected(struct rows *, const struct event *, const char *why);

/*
 * done and consequent are ids of events.  done is the one that ended the
 * prerequisite at pc, or 0.
 */
void rows_put_prerequisite(struct rows *, uint64_t done, uint64_t consequent,
    int64_t pc);

/* Writes a variable with the values of its last object, and sets has_row. */
void rows_put_variable(struct rows *, const struct execution *,
    struct variable *);

/*
 * The use of a variable by an event.  flag names a column to set to true, or is
 * NULL.
 */
void rows_put_use(struct rows *, uint64_t event_id, int64_t index,
    const struct variable *, const char *flag, bool eol);

void rows_put_query(struct rows *, const struct execution *, struct span text);

/*
 * The execution parent initiates the execution child.  remote: they run on
 * different servers.
 */
void rows_put_link(struct rows *, uint64_t parent, uint64_t child,
    bool remote);

/* The execution is NULL for a phase without a statement, such as a login. */
void rows_put_phase(struct rows *, const struct execution *,
    const struct event *);
void rows_put_heartbeat(struct rows *, const struct event *);

#endif
