/* check - the keys of a trace that has been loaded */

#include "common/base/buf.h"
#include "common/frame/filter.h"
#include "filters/malload/check.h"

/*
 * Runs a statement in which %T stands for the greatest id that the table of
 * the row had before the trace.  Returns how many rows it changed.
 */
static uint64_t
run(struct trace *t, enum table_id id, const char *sql)
{
	struct buf b = { 0 };

	for (; *sql != '\0'; sql++)
		if (sql[0] == '%' && sql[1] == 'T') {
			buf_i64(&b, t->last_before[id]);
			sql++;
		} else {
			buf_char(&b, *sql);
		}
	database_run(t->database, buf_cstr(&b));
	buf_release(&b);
	return (uint64_t)sqlite3_changes64(t->database->handle);
}

/*
 * A number that the trace gives to no type: it must be one of those that are
 * always there or, if the trace goes on from another, of those before.
 */
static void
drop_unknown_types(struct trace *t)
{
	bool goes_on = t->first[MAL_VARIABLE] > 1;
	uint64_t n = run(t, MAL_VARIABLE, goes_on ?
	    "UPDATE mal_variable SET type_id = NULL WHERE variable_id > %T "
	    "AND type_id NOT IN (SELECT new FROM same_type UNION ALL "
	    "SELECT type_id FROM mal_type)" :
	    "UPDATE mal_variable SET type_id = NULL WHERE variable_id > %T "
	    "AND type_id NOT IN (SELECT new FROM same_type) "
	    "AND type_id NOT BETWEEN 1 AND 24");

	if (n > 0)
		filter_fail(t->f, "%llu rows of mal_variable refer to types "
		    "that are not there, and have none",
		    (unsigned long long)n);
}

/* The trace's own numbers of types become those of the database. */
static void
place_types(struct trace *t)
{
	drop_unknown_types(t);
	run(t, MAL_TYPE, "UPDATE mal_type SET subtype_id = "
	    "(SELECT sub.old FROM same_type AS t, same_type AS sub "
	    "WHERE t.old = type_id AND sub.new = t.subtype) "
	    "WHERE type_id IN (SELECT old FROM same_type) "
	    "AND subtype_id IS NULL");
	run(t, MAL_VARIABLE, "UPDATE mal_variable SET type_id = "
	    "(SELECT old FROM same_type WHERE new = type_id) "
	    "WHERE variable_id > %T AND type_id IN "
	    "(SELECT new FROM same_type WHERE new <> old)");
}

/*
 * A column that refers to executions then refers to the older ones, but in a
 * row whose key would then be another's.
 */
#define TO_OLD(table, id, column)					\
	"UPDATE OR IGNORE " table " SET " column " = "			\
	"(SELECT old FROM same_execution WHERE new = " column ") "	\
	"WHERE " id " > %T AND " column " IN "				\
	"(SELECT new FROM same_execution)"

static void
merge_variables(struct trace *t)
{
	run(t, MAL_VARIABLE, TO_OLD("mal_variable", "variable_id",
	    "mal_execution_id"));
	database_run(t->database, "INSERT INTO same_variable "
	    "SELECT n.variable_id, o.variable_id "
	    "FROM same_execution AS x "
	    "JOIN mal_variable AS n ON n.mal_execution_id = x.new "
	    "JOIN mal_variable AS o ON o.mal_execution_id = x.old "
	    "AND o.name = n.name");
	run(t, PROFILER_EVENT, "UPDATE event_variable_list SET variable_id = "
	    "(SELECT old FROM same_variable WHERE new = variable_id) "
	    "WHERE event_id > %T AND variable_id IN "
	    "(SELECT new FROM same_variable)");
	database_run(t->database, "DELETE FROM mal_variable WHERE variable_id IN "
	    "(SELECT new FROM same_variable)");
}

/*
 * Moves events, which condition names, to rejected_profiler_event.  The
 * columns of both tables are the same, but for the first and the last.
 */
static void
reject_events(struct trace *t, const char *condition, const char *reason)
{
	const struct table *event = &tables[PROFILER_EVENT];
	struct buf b = { 0 };
	uint64_t n;

	buf_str(&b, "INSERT INTO rejected_profiler_event SELECT ");
	for (size_t i = 1; i < event->n_columns; i++)
		buf_printf(&b, "n.\"%s\", ", event->columns[i].name);
	buf_printf(&b, "'%s' FROM profiler_event AS n WHERE "
	    "n.event_id > %%T AND %s", reason, condition);
	n = run(t, PROFILER_EVENT, buf_cstr(&b));
	t->n_rejected += n;
	t->n_rows -= n;
	b.len = 0;
	buf_printf(&b, "DELETE FROM profiler_event AS n WHERE "
	    "n.event_id > %%T AND %s", condition);
	run(t, PROFILER_EVENT, buf_cstr(&b));
	buf_release(&b);
}

static void
merge_events(struct trace *t)
{
	run(t, PROFILER_EVENT, TO_OLD("profiler_event", "event_id",
	    "mal_execution_id"));
	reject_events(t, "n.mal_execution_id IN "
	    "(SELECT new FROM same_execution)",
	    "there is such an event of this execution, pc, state and "
	    "iteration");
	run(t, REJECTED_PROFILER_EVENT, TO_OLD("rejected_profiler_event",
	    "rowid", "mal_execution_id"));
}

static void
merge_links(struct trace *t)
{
	run(t, QUERY, TO_OLD("query", "query_id", "root_execution_id"));
	run(t, QUERY, "DELETE FROM query WHERE query_id > %T AND "
	    "root_execution_id IN (SELECT root_execution_id FROM query "
	    "WHERE query_id <= %T)");
	run(t, INITIATES_EXECUTIONS, TO_OLD("initiates_executions",
	    "initiates_executions_id", "parent_id"));
	run(t, INITIATES_EXECUTIONS, TO_OLD("initiates_executions",
	    "initiates_executions_id", "child_id"));
	run(t, INITIATES_EXECUTIONS, "DELETE FROM initiates_executions "
	    "WHERE initiates_executions_id > %T AND (parent_id, child_id) "
	    "IN (SELECT parent_id, child_id FROM initiates_executions "
	    "WHERE initiates_executions_id <= %T)");
	run(t, QUERY_PHASE, TO_OLD("query_phase", "query_phase_id",
	    "mal_execution_id"));
}

/* Takes out rows that refer to what is not there, and says how many. */
static void
drop(struct trace *t, enum table_id id, enum table_id bound,
    const char *sql)
{
	uint64_t n = run(t, bound, sql);

	if (n == 0)
		return;
	t->n_dropped += n;
	t->n_rows -= n;
	filter_fail(t->f, "%llu rows of %s refer to rows that are not there, "
	    "and were left out", (unsigned long long)n, tables[id].name);
}

/* The column must not have the name that the id has there, or must be n's. */
#define NOT_THERE(column, table, id)					\
	column " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM " table	\
	" AS there WHERE there." id " = " column ")"
#define NO_EXECUTION(column) NOT_THERE(column, "mal_execution", "execution_id")

static void
drop_dangling(struct trace *t)
{
	drop(t, MAL_VARIABLE, MAL_VARIABLE, "DELETE FROM mal_variable WHERE "
	    "variable_id > %T AND " NO_EXECUTION("mal_execution_id"));
	drop(t, EVENT_VARIABLE_LIST, PROFILER_EVENT,
	    "DELETE FROM event_variable_list AS n WHERE n.event_id > %T AND ("
	    NOT_THERE("n.event_id", "profiler_event", "event_id") " OR "
	    NOT_THERE("n.variable_id", "mal_variable", "variable_id") ")");
	drop(t, PREREQUISITE_EVENTS, PREREQUISITE_EVENTS,
	    "DELETE FROM prerequisite_events WHERE "
	    "prerequisite_relation_id > %T AND "
	    NOT_THERE("consequent_event", "profiler_event", "event_id"));
	run(t, PREREQUISITE_EVENTS, "UPDATE prerequisite_events SET "
	    "prerequisite_event = NULL WHERE prerequisite_relation_id > %T "
	    "AND " NOT_THERE("prerequisite_event", "profiler_event",
	    "event_id"));
	drop(t, QUERY, QUERY, "DELETE FROM query WHERE query_id > %T AND "
	    NO_EXECUTION("root_execution_id"));
	drop(t, INITIATES_EXECUTIONS, INITIATES_EXECUTIONS,
	    "DELETE FROM initiates_executions WHERE "
	    "initiates_executions_id > %T AND (" NO_EXECUTION("parent_id")
	    " OR " NO_EXECUTION("child_id") ")");
	drop(t, QUERY_PHASE, QUERY_PHASE, "DELETE FROM query_phase WHERE "
	    "query_phase_id > %T AND " NO_EXECUTION("mal_execution_id"));
	drop(t, CPULOAD, CPULOAD, "DELETE FROM cpuload AS n WHERE "
	    "n.cpuload_id > %T AND "
	    NOT_THERE("n.heartbeat_id", "heartbeat", "heartbeat_id"));
}

void
check_begin(struct trace *t)
{
	database_run(t->database,
	    "CREATE TEMP TABLE same_type (new integer PRIMARY KEY, old, "
	    "subtype); "
	    "CREATE TEMP TABLE same_execution (new integer PRIMARY KEY, "
	    "old); "
	    "CREATE TEMP TABLE same_variable (new integer PRIMARY KEY, "
	    "old);");
}

void
check_finish(struct trace *t)
{
	place_types(t);
	if (database_number(t->database, "SELECT count(*) FROM same_execution") > 0) {
		merge_variables(t);
		merge_events(t);
		merge_links(t);
	}
	reject_events(t, NO_EXECUTION("n.mal_execution_id"),
	    "its execution is not there");
	/* Or it would be that of the next trace that has this number. */
	run(t, REJECTED_PROFILER_EVENT, "UPDATE rejected_profiler_event "
	    "SET mal_execution_id = NULL WHERE rowid > %T AND "
	    NO_EXECUTION("mal_execution_id"));
	drop_dangling(t);
	if (t->n_rejected > 0)
		filter_fail(t->f, "%llu events are in rejected_profiler_event, "
		    "each with the reason", (unsigned long long)t->n_rejected);
	database_run(t->database, "DROP TABLE same_type; "
	    "DROP TABLE same_execution; DROP TABLE same_variable");
}
