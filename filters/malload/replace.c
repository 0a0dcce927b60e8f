/* replace - replaces executions that were loaded from a truncated trace */

#include "filters/malload/replace.h"

/* A condition: the events o and n, of an old and a new execution, are equal. */
#define SAME_EVENT							\
	"n.pc = o.pc AND n.execution_state = o.execution_state "	\
	"AND n.iteration = o.iteration AND n.usec IS o.usec "		\
	"AND n.thread IS o.thread "					\
	"AND coalesce(n.relative_time, n.local_time) = "		\
	"coalesce(o.relative_time, o.local_time)"

/* A condition: the new execution has all events of the old one. */
#define HAS_ALL_EVENTS(new, old)					\
	"NOT EXISTS (SELECT 1 FROM profiler_event AS o "		\
	"WHERE o.mal_execution_id = " old " AND NOT EXISTS "		\
	"(SELECT 1 FROM profiler_event AS n "				\
	"WHERE n.mal_execution_id = " new " AND " SAME_EVENT "))"

/* The number of events, uses of variables and variables of an execution. */
#define N_ROWS(execution)						\
	"(SELECT count(*) FROM profiler_event "				\
	"WHERE mal_execution_id = " execution ") + "			\
	"(SELECT count(*) FROM profiler_event "				\
	"JOIN event_variable_list USING (event_id) "			\
	"WHERE mal_execution_id = " execution ") + "			\
	"(SELECT count(*) FROM mal_variable "				\
	"WHERE mal_execution_id = " execution ")"

#define OLD_EXECUTIONS "(SELECT old FROM replaced_execution)"
#define OLD_EVENTS							\
	"(SELECT event_id FROM replaced_execution "			\
	"JOIN profiler_event ON mal_execution_id = old)"

/* Deletes older rows of a table that have the same key as one of the trace. */
#define DELETE_COPIES(table, id, key)					\
	"DELETE FROM " table " WHERE " id " <= %T AND (" key ") IN "	\
	"(SELECT " key " FROM " table " WHERE " id " > %T)"

/*
 * Creates the temporary table replaced_execution, whose rows pair the ids of an
 * execution of the trace (new) and of the one in the database that it replaces
 * (old).  The first statements find the pairs among executions with a session,
 * which same_execution relates, and delete all of them unless a new execution
 * has more rows.  The last one finds the pairs among executions without a
 * session.
 */
static void
find_executions(struct trace *t)
{
	database_run(t->database, "CREATE TEMP TABLE replaced_execution "
	    "(new integer PRIMARY KEY, old); "
	    "INSERT INTO replaced_execution SELECT new, old "
	    "FROM same_execution WHERE " HAS_ALL_EVENTS("new", "old") "; "
	    "DELETE FROM replaced_execution WHERE NOT EXISTS "
	    "(SELECT 1 FROM replaced_execution WHERE "
	    N_ROWS("new") " > " N_ROWS("old") ")");
	trace_run(t, MAL_EXECUTION, "INSERT INTO replaced_execution "
	    "SELECT x.execution_id, min(y.execution_id) "
	    "FROM mal_execution AS x JOIN mal_execution AS y "
	    "ON y.server_session IS NULL AND y.execution_id <= %T "
	    "AND coalesce(y.client, '') = coalesce(x.client, '') "
	    "AND y.tag = x.tag "
	    "WHERE x.server_session IS NULL AND x.execution_id > %T "
	    "AND EXISTS (SELECT 1 FROM profiler_event "
	    "WHERE mal_execution_id = y.execution_id) "
	    "AND " HAS_ALL_EVENTS("x.execution_id", "y.execution_id")
	    " GROUP BY x.execution_id");
}

/* Deletes all rows that belong to the old executions. */
static void
delete_rows(struct trace *t)
{
	database_run(t->database,
	    "DELETE FROM event_variable_list WHERE event_id IN " OLD_EVENTS ";"
	    "DELETE FROM prerequisite_events "
	    "WHERE consequent_event IN " OLD_EVENTS ";"
	    "UPDATE prerequisite_events SET prerequisite_event = NULL "
	    "WHERE prerequisite_event IN " OLD_EVENTS ";"
	    "DELETE FROM profiler_event "
	    "WHERE mal_execution_id IN " OLD_EXECUTIONS ";"
	    "DELETE FROM mal_variable "
	    "WHERE mal_execution_id IN " OLD_EXECUTIONS ";"
	    "DELETE FROM query WHERE root_execution_id IN " OLD_EXECUTIONS ";"
	    "DELETE FROM initiates_executions "
	    "WHERE parent_id IN " OLD_EXECUTIONS
	    " AND child_id IN " OLD_EXECUTIONS ";"
	    "DELETE FROM query_phase "
	    "WHERE mal_execution_id IN " OLD_EXECUTIONS);
	trace_run(t, REJECTED_PROFILER_EVENT,
	    "DELETE FROM rejected_profiler_event WHERE rowid <= %T "
	    "AND mal_execution_id IN " OLD_EXECUTIONS);
}

/*
 * Deletes older rows that equal rows of the trace, in the tables whose only key
 * is their id, so that the database has each of them once.
 */
static void
delete_copies(struct trace *t)
{
	trace_run(t, HEARTBEAT, "DELETE FROM cpuload WHERE heartbeat_id IN "
	    "(SELECT o.heartbeat_id FROM heartbeat AS o JOIN heartbeat AS n "
	    "ON n.server_session IS o.server_session AND n.clk IS o.clk "
	    "AND n.ctime IS o.ctime AND coalesce(n.clk, n.ctime) IS NOT NULL "
	    "WHERE o.heartbeat_id <= %T AND n.heartbeat_id > %T)");
	trace_run(t, HEARTBEAT, DELETE_COPIES("heartbeat", "heartbeat_id",
	    "coalesce(server_session, ''), coalesce(clk, ctime), "
	    "coalesce(ctime, clk)"));
	trace_run(t, QUERY_PHASE, DELETE_COPIES("query_phase",
	    "query_phase_id", "coalesce(client, ''), phase, relative_time, "
	    "usec"));
	trace_run(t, SERVER, DELETE_COPIES("server", "server_id",
	    "coalesce(release, ''), coalesce(version, ''), "
	    "coalesce(host, ''), coalesce(threads, '')"));
}

uint64_t
replace_partial(struct trace *t)
{
	uint64_t n;

	find_executions(t);
	/*
	 * Delete rejected events that equal events of the trace: in format P of
	 * malparse(1) the row of an execution comes after its events, so if the
	 * trace was truncated before that row, the events were rejected.
	 */
	trace_run(t, PROFILER_EVENT, "DELETE FROM rejected_profiler_event "
	    "WHERE mal_execution_id IS NULL AND rejection_reason = '"
	    REASON_NO_EXECUTION "' AND (pc, execution_state, iteration, "
	    "relative_time, usec) IN (SELECT pc, execution_state, iteration, "
	    "relative_time, usec FROM profiler_event WHERE event_id > %T)");

	n = (uint64_t)database_get_number(t->database,
	    "SELECT count(*) FROM replaced_execution");
	if (n > 0) {
		/*
		 * references_finish() gives the ids of the old executions to
		 * the new rows.  A new execution without a session has a row of
		 * its own, which is deleted; one with a session was never
		 * inserted (REFERENCE_SAME_EXECUTION), and is in same_execution
		 * already: hence OR IGNORE.
		 */
		trace_run(t, MAL_EXECUTION, "DELETE FROM mal_execution "
		    "WHERE execution_id > %T AND execution_id IN "
		    "(SELECT new FROM replaced_execution)");
		database_run(t->database, "INSERT OR IGNORE INTO "
		    "same_execution SELECT new, old FROM replaced_execution");
		delete_rows(t);
		delete_copies(t);
	}
	database_run(t->database, "DROP TABLE replaced_execution");
	return n;
}
