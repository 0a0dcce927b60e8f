#ifndef MALPARSE_ROWS_H
#define MALPARSE_ROWS_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "filters/malparse/event.h"
#include "filters/malparse/plan.h"
#include "filters/malparse/statement.h"
#include "filters/malparse/types.h"

/* Writes the rows of the tables (weir-records(5)), and numbers them. */
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
	bool is_silent;		/* discard all rows: tasks are wanted */
	bool rebuilds_statements;	/* if an event has none */
	bool derives_starts;	/* for done events without a start */
	size_t row_start;	/* offset in the output buffer */
	uint64_t first[N_TABLES];	/* the first id of this trace */
	uint64_t next[N_TABLES];	/* the next one */
	struct types types;
	struct buf server_version;	/* in the last stream header */
	struct recio *variables;	/* parses objects of variables */
	struct statement statement;
};

void rows_init(struct rows *, struct filter *);
void rows_release(struct rows *);

void rows_put_header(struct rows *, const struct rec *);
void rows_put_execution(struct rows *, const struct plans *,
    struct execution *);
void rows_put_event(struct rows *, struct execution *, struct instruction *,
    const struct event *);
void rows_put_prerequisite(struct rows *, uint64_t done, uint64_t consequent,
    int64_t pc);
void rows_put_variable(struct rows *, const struct execution *,
    struct variable *);
void rows_put_use(struct rows *, uint64_t event, int64_t index,
    const struct variable *, const char *created, bool eol);
void rows_put_query(struct rows *, const struct execution *, struct span text);
void rows_put_link(struct rows *, uint64_t parent, uint64_t child,
    bool remote);
void rows_put_phase(struct rows *, const struct execution *,
    const struct event *);
void rows_put_heartbeat(struct rows *, const struct event *);
void rows_put_rejected(struct rows *, const struct event *, const char *why);

#endif
