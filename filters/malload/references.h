#ifndef MALLOAD_REFERENCES_H
#define MALLOAD_REFERENCES_H

#include <stdint.h>

#include "filters/malload/database.h"
#include "filters/malload/schema.h"

struct filter;

/* A trace that is being loaded: its rows are not yet committed. */
struct trace {
	struct filter *f;
	struct database *database;
	int64_t first[N_TABLES];	/* the first id that it has for each
					   table, before any shift (load.h) */
	int64_t last_before[N_TABLES];	/* the greatest id, or rowid, that each
					   table had before the trace */
	uint64_t n_rows;		/* added, or merged with older rows */
	uint64_t n_rejected;		/* put into rejected_profiler_event */
	uint64_t n_dropped;		/* deleted, because they refer to
					   missing rows */
	uint64_t n_replaced;		/* executions: see replace.h */
};

/*
 * Runs a statement after replacing %T by the greatest id that the table had
 * before the trace: "id > %T" selects the trace's own rows.  Returns the number
 * of rows changed.
 */
uint64_t trace_run(struct trace *, enum table_id, const char *sql);

/*
 * Creates the temporary tables same_type, same_execution and same_variable,
 * which are empty at the beginning of each trace.
 * Each row relates an id of the trace (column "new") to the id that the same
 * type, execution or variable has in the database (column "old").
 * REFERENCE_SAME_TYPE, REFERENCE_SAME_EXECUTION (and replace.c) and
 * references_finish() fill them, in this order.
 */
void references_init(struct trace *);

/*
 * Call this when all rows of the trace are in the database.  If the database
 * already had the same type, execution or variable, references to it are
 * changed to the old id.  Rows that refer to missing rows are removed: events
 * are moved to rejected_profiler_event, other rows are deleted.  A reference to
 * a missing prerequisite or type is only set to null.  Unless executions are
 * merged, only the trace's own rows and rejected_profiler_event are searched,
 * so the time does not depend on the sizes of the other tables.
 */
void references_finish(struct trace *);

/*
 * For an execution that was not inserted because the database has one of the
 * same session, client and tag: relates its id to the id of the old one.  ?1
 * id, ?2 session, ?3 client, ?4 tag.
 */
#define REFERENCE_SAME_EXECUTION					\
	"INSERT INTO same_execution SELECT ?1, execution_id "		\
	"FROM mal_execution WHERE server_session = ?2 AND "		\
	"coalesce(client, '') = coalesce(?3, '') AND tag = ?4 "		\
	"AND execution_id <> ?1"

/* The rejection_reason of an event whose key the database has already. */
#define REASON_DUPLICATE						\
	"an event of this execution, pc, state and iteration exists already"

/* That of an event whose execution is not in the trace. */
#define REASON_NO_EXECUTION "its execution is missing"

/*
 * REFERENCE_ADD_TYPE adds a type unless there is one of this name;
 * REFERENCE_SAME_TYPE relates its id in the trace to its id in the database.
 * ?1 id, ?2 name, ?3 size, ?4 subtype.  A new type keeps its id if no other
 * type has it.  Then the order of the rows makes no difference, and a trace
 * that continues another (malparse --state) can refer to the types of the
 * earlier one.
 */
#define REFERENCE_ADD_TYPE						\
	"INSERT INTO mal_type SELECT CASE WHEN ?1 > 0 AND ?1 NOT IN "	\
	"(SELECT type_id FROM mal_type) THEN ?1 ELSE max(type_id) + 1 "	\
	"END, ?2, ?3, NULL "						\
	"FROM mal_type HAVING ?2 NOT IN (SELECT tname FROM mal_type)"
#define REFERENCE_SAME_TYPE						\
	"INSERT INTO same_type SELECT ?1, type_id, ?4 FROM mal_type "	\
	"WHERE tname = ?2"

#endif
