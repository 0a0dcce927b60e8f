#ifndef MALLOAD_CHECK_H
#define MALLOAD_CHECK_H

#include <stdint.h>

struct load;

/*
 * What is done when all rows of a trace are in the database: types and
 * executions that it had already are put in the place of the trace's own, and
 * rows whose keys do not hold are taken out: events to
 * rejected_profiler_event, others altogether.  Only the trace's own rows are
 * looked at, however large the database is.
 */
void check_trace(struct load *);

/* Which rows of the trace are other rows of the database. */
#define CHECK_TABLES							\
	"CREATE TEMP TABLE same_type (new integer PRIMARY KEY, old, "	\
	"subtype); "							\
	"CREATE TEMP TABLE same_execution (new integer PRIMARY KEY, old); " \
	"CREATE TEMP TABLE same_variable (new integer PRIMARY KEY, old); "
#define CHECK_TABLES_DROP						\
	"DROP TABLE same_type; DROP TABLE same_execution; "		\
	"DROP TABLE same_variable; "

/* ?1 id, ?2 session, ?3 client, ?4 tag: those of a row that has no place. */
#define CHECK_EXECUTION							\
	"INSERT INTO same_execution SELECT ?1, execution_id "		\
	"FROM mal_execution WHERE server_session = ?2 AND "		\
	"coalesce(client, '') = coalesce(?3, '') AND tag = ?4 "		\
	"AND execution_id <> ?1"

/*
 * ?1 id, ?2 name, ?3 size, ?4 subtype: a type, if there is none so called.  It
 * keeps its number if that is free: then the rows' order makes no difference,
 * and a trace that goes on from another finds the types of that.
 */
#define CHECK_ADD_TYPE							\
	"INSERT INTO mal_type SELECT CASE WHEN ?1 > 0 AND ?1 NOT IN "	\
	"(SELECT type_id FROM mal_type) THEN ?1 ELSE max(type_id) + 1 "	\
	"END, ?2, ?3, NULL "						\
	"FROM mal_type HAVING ?2 NOT IN (SELECT tname FROM mal_type)"
#define CHECK_TYPE							\
	"INSERT INTO same_type SELECT ?1, type_id, ?4 FROM mal_type "	\
	"WHERE tname = ?2"

/* For load.c and check.c: what cannot fail, or the program ends. */
_Noreturn void load_fail(const struct load *);
void load_run(struct load *, const char *sql);
int64_t load_number(struct load *, const char *sql);

#endif
