#ifndef MALLOAD_CHECK_H
#define MALLOAD_CHECK_H

#include <stdint.h>

#include "filters/malload/database.h"
#include "filters/malload/schema.h"

struct filter;

/* A trace that is being loaded: its rows are not yet committed. */
struct trace {
	struct filter *f;
	struct database *database;
	int64_t first[N_TABLES];	/* the first id in its records */
	int64_t last_before[N_TABLES];	/* the greatest id, or rowid, that each
					   table had before the trace */
	uint64_t n_rows;		/* added */
	uint64_t n_rejected;		/* to rejected_profiler_event */
	uint64_t n_dropped;
};

/*
 * Creates the temporary tables same_type and same_execution, which the
 * statements below fill, and same_variable, which check_finish() fills.  Each
 * row relates an id of the trace ("new") to the id of the same type, execution
 * or variable in the database ("old").
 */
void check_begin(struct trace *);

/*
 * Call this when all rows of the trace are in the database.  If the database
 * already had the same type, execution or variable, references to it get its
 * old id.  Rows whose foreign keys do not hold are removed: events are
 * moved to rejected_profiler_event, other rows are deleted.  Only rows of the
 * trace are read, so the time does not depend on the size of the database.
 */
void check_finish(struct trace *);

/*
 * For an execution that was not inserted because the database has its key:
 * relates its id to the existing one.  ?1 id, ?2 session, ?3 client, ?4 tag.
 */
#define CHECK_SAME_EXECUTION						\
	"INSERT INTO same_execution SELECT ?1, execution_id "		\
	"FROM mal_execution WHERE server_session = ?2 AND "		\
	"coalesce(client, '') = coalesce(?3, '') AND tag = ?4 "		\
	"AND execution_id <> ?1"

/* The rejection_reason of an event whose key the database has already. */
#define REASON_DUPLICATE						\
	"an event of this execution, pc, state and iteration exists already"

/*
 * The first statement adds a type unless there is one of this name; the second
 * relates its id in the trace to its id in the database.  ?1 id, ?2 name, ?3
 * size, ?4 subtype.  A new type keeps its id if that is free: then the order of
 * the rows makes no difference, and a trace that continues another (malparse
 * --state) finds the other's types.
 */
#define CHECK_ADD_TYPE							\
	"INSERT INTO mal_type SELECT CASE WHEN ?1 > 0 AND ?1 NOT IN "	\
	"(SELECT type_id FROM mal_type) THEN ?1 ELSE max(type_id) + 1 "	\
	"END, ?2, ?3, NULL "						\
	"FROM mal_type HAVING ?2 NOT IN (SELECT tname FROM mal_type)"
#define CHECK_SAME_TYPE							\
	"INSERT INTO same_type SELECT ?1, type_id, ?4 FROM mal_type "	\
	"WHERE tname = ?2"

#endif
