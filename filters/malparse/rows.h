#ifndef MALPARSE_ROWS_H
#define MALPARSE_ROWS_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "filters/malparse/event.h"
#include "filters/malparse/plan.h"
#include "filters/malparse/statement.h"
#include "filters/malparse/types.h"

/* Writes the rows of the tables (weir-records(5)), and counts their ids. */
struct filter;
struct recio;

enum table { T_SERVER, T_EXECUTION, T_EVENT, T_PREREQUISITE, T_VARIABLE,
    T_QUERY, T_INITIATES, T_PHASE, T_HEARTBEAT, T_CPULOAD, N_TABLES };

/* The names of the columns that hold ids, by table. */
extern const char *const table_ids[N_TABLES];

struct rows {
	struct filter *f;
	bool continued;		/* ids go on from another trace's */
	bool has_begun;		/* the trace has its record */
	bool silent;		/* nothing is written: tasks are wanted */
	bool rebuilds;		/* statements, where there are none */
	bool starts;		/* done events get the starts they lack */
	size_t at;		/* where the row begins */
	uint64_t first[N_TABLES];	/* ids of this trace */
	uint64_t next[N_TABLES];
	struct types types;
	struct buf server_version;	/* of the last header */
	struct recio *variables;	/* reads objects of variables */
	struct statement statement;
};

void rows_init(struct rows *, struct filter *);
void rows_release(struct rows *);

void rows_header(struct rows *, const struct rec *);
void rows_execution(struct rows *, const struct plans *, struct execution *);
void rows_event(struct rows *, struct execution *, struct instruction *,
    const struct event *);
void rows_prerequisite(struct rows *, uint64_t done, uint64_t consequent,
    int64_t pc);
void rows_variable(struct rows *, const struct execution *,
    struct variable *);
void rows_use(struct rows *, uint64_t event, int64_t index,
    const struct variable *, const char *created, bool eol);
void rows_query(struct rows *, const struct execution *, struct span text);
void rows_initiates(struct rows *, uint64_t parent, uint64_t child,
    bool remote);
void rows_phase(struct rows *, const struct execution *,
    const struct event *);
void rows_heartbeat(struct rows *, const struct event *);
void rows_rejected(struct rows *, const struct event *, const char *why);

#endif
