/* references - merges a loaded trace with older ones and checks its keys */

#include "common/base/buf.h"
#include "common/base/num.h"
#include "common/filter/filter-reject.h"
#include "filters/malload/references.h"

uint64_t
trace_run(struct trace *t, enum table_id id, const char *sql)
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

/* Changes the trace's type_ids to those of the database. */
static void
translate_types(struct trace *t)
{
	/*
	 * A type_id without a mal_type row in the trace must be one of the
	 * fixed 24 of common/mal/type.h.  In a trace that continues another
	 * (its ids do not begin at 1) it may also be that of any type in the
	 * database.
	 */
	bool is_continued = t->first[MAL_VARIABLE] > 1;
	uint64_t n = trace_run(t, MAL_VARIABLE, is_continued ?
	    "UPDATE mal_variable SET type_id = NULL WHERE variable_id > %T "
	    "AND type_id NOT IN (SELECT new FROM same_type UNION ALL "
	    "SELECT type_id FROM mal_type)" :
	    "UPDATE mal_variable SET type_id = NULL WHERE variable_id > %T "
	    "AND type_id NOT IN (SELECT new FROM same_type) "
	    "AND type_id NOT BETWEEN 1 AND 24");

	if (n > 0)
		filter_fail(t->f, "%llu row%s of mal_variable %s an unknown "
		    "type_id, which was set to null", (unsigned long long)n,
		    plural(n, "", "s"), plural(n, "has", "have"));

	/* same_type has the subtype as an id of the trace. */
	trace_run(t, MAL_TYPE, "UPDATE mal_type SET subtype_id = "
	    "(SELECT sub.old FROM same_type AS t, same_type AS sub "
	    "WHERE t.old = type_id AND sub.new = t.subtype) "
	    "WHERE type_id IN (SELECT old FROM same_type) "
	    "AND subtype_id IS NULL");
	trace_run(t, MAL_VARIABLE, "UPDATE mal_variable SET type_id = "
	    "(SELECT old FROM same_type WHERE new = type_id) "
	    "WHERE variable_id > %T AND type_id IN "
	    "(SELECT new FROM same_type WHERE new <> old)");
}

/*
 * In the trace's rows, changes a column that refers to a merged execution so
 * that it refers to the older one, except if the key of the row would then
 * equal that of another row.
 */
#define RELINK(table, id, column)					\
	"UPDATE OR IGNORE " table " SET " column " = "			\
	"(SELECT old FROM same_execution WHERE new = " column ") "	\
	"WHERE " id " > %T AND " column " IN "				\
	"(SELECT new FROM same_execution)"

/*
 * Moves variables of merged executions to the older executions.  A variable
 * that cannot be moved has the name of an older one, which takes its place.
 */
static void
merge_variables(struct trace *t)
{
	trace_run(t, MAL_VARIABLE, RELINK("mal_variable", "variable_id",
	    "mal_execution_id"));
	database_run(t->database, "INSERT INTO same_variable "
	    "SELECT n.variable_id, o.variable_id "
	    "FROM same_execution AS x "
	    "JOIN mal_variable AS n ON n.mal_execution_id = x.new "
	    "JOIN mal_variable AS o ON o.mal_execution_id = x.old "
	    "AND o.name = n.name");
	trace_run(t, PROFILER_EVENT, "UPDATE event_variable_list "
	    "SET variable_id = "
	    "(SELECT old FROM same_variable WHERE new = variable_id) "
	    "WHERE event_id > %T AND variable_id IN "
	    "(SELECT new FROM same_variable)");
	database_run(t->database, "DELETE FROM mal_variable "
	    "WHERE variable_id IN (SELECT new FROM same_variable)");
}

/*
 * Moves the trace's events that meet the condition to rejected_profiler_event.
 * The condition calls an event n.  The table has the columns of profiler_event
 * without the id, and the reason.
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
	n = trace_run(t, PROFILER_EVENT, buf_cstr(&b));
	t->n_rejected += n;
	t->n_rows -= n;
	b.len = 0;
	buf_printf(&b, "DELETE FROM profiler_event AS n WHERE "
	    "n.event_id > %%T AND %s", condition);
	trace_run(t, PROFILER_EVENT, buf_cstr(&b));
	buf_release(&b);
}

static void
merge_events(struct trace *t)
{
	trace_run(t, PROFILER_EVENT, RELINK("profiler_event", "event_id",
	    "mal_execution_id"));
	/* Events that RELINK did not change have the key of an older one. */
	reject_events(t, "n.mal_execution_id IN "
	    "(SELECT new FROM same_execution)", REASON_DUPLICATE);
	trace_run(t, REJECTED_PROFILER_EVENT, RELINK("rejected_profiler_event",
	    "rowid", "mal_execution_id"));
}

static void
merge_links(struct trace *t)
{
	trace_run(t, QUERY, RELINK("query", "query_id", "root_execution_id"));
	trace_run(t, QUERY, "DELETE FROM query WHERE query_id > %T AND "
	    "root_execution_id IN (SELECT root_execution_id FROM query "
	    "WHERE query_id <= %T)");
	trace_run(t, INITIATES_EXECUTIONS, RELINK("initiates_executions",
	    "initiates_executions_id", "parent_id"));
	trace_run(t, INITIATES_EXECUTIONS, RELINK("initiates_executions",
	    "initiates_executions_id", "child_id"));
	trace_run(t, INITIATES_EXECUTIONS, "DELETE FROM initiates_executions "
	    "WHERE initiates_executions_id > %T AND (parent_id, child_id) "
	    "IN (SELECT parent_id, child_id FROM initiates_executions "
	    "WHERE initiates_executions_id <= %T)");
	trace_run(t, QUERY_PHASE, RELINK("query_phase", "query_phase_id",
	    "mal_execution_id"));
}

/*
 * Deletes rows of a table that refer to missing rows, and reports how many.
 * %T in sql is the last id that the table `bound` had before the trace.
 */
static void
drop_rows(struct trace *t, enum table_id id, enum table_id bound,
    const char *sql)
{
	uint64_t n = trace_run(t, bound, sql);

	if (n == 0)
		return;
	t->n_dropped += n;
	t->n_rows -= n;
	filter_fail(t->f, n == 1 ? "%llu row of %s refers to missing rows and "
	    "was left out" : "%llu rows of %s refer to missing rows and were "
	    "left out", (unsigned long long)n, tables[id].name);
}

/*
 * A condition: the column refers to a missing row of the table.  If the column
 * has the name of the table's id, it must be qualified (n.column).
 */
#define IS_ORPHAN(column, table, id)					\
	column " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM " table	\
	" AS parent WHERE parent." id " = " column ")"
#define NO_EXECUTION(column) IS_ORPHAN(column, "mal_execution", "execution_id")

static void
drop_orphans(struct trace *t)
{
	drop_rows(t, MAL_VARIABLE, MAL_VARIABLE,
	    "DELETE FROM mal_variable WHERE variable_id > %T AND "
	    NO_EXECUTION("mal_execution_id"));
	drop_rows(t, EVENT_VARIABLE_LIST, PROFILER_EVENT,
	    "DELETE FROM event_variable_list AS n WHERE n.event_id > %T AND ("
	    IS_ORPHAN("n.event_id", "profiler_event", "event_id") " OR "
	    IS_ORPHAN("n.variable_id", "mal_variable", "variable_id") ")");
	drop_rows(t, PREREQUISITE_EVENTS, PREREQUISITE_EVENTS,
	    "DELETE FROM prerequisite_events WHERE "
	    "prerequisite_relation_id > %T AND "
	    IS_ORPHAN("consequent_event", "profiler_event", "event_id"));
	trace_run(t, PREREQUISITE_EVENTS, "UPDATE prerequisite_events SET "
	    "prerequisite_event = NULL WHERE prerequisite_relation_id > %T "
	    "AND " IS_ORPHAN("prerequisite_event", "profiler_event",
	    "event_id"));
	drop_rows(t, QUERY, QUERY, "DELETE FROM query WHERE query_id > %T AND "
	    NO_EXECUTION("root_execution_id"));
	drop_rows(t, INITIATES_EXECUTIONS, INITIATES_EXECUTIONS,
	    "DELETE FROM initiates_executions WHERE "
	    "initiates_executions_id > %T AND (" NO_EXECUTION("parent_id")
	    " OR " NO_EXECUTION("child_id") ")");
	drop_rows(t, QUERY_PHASE, QUERY_PHASE, "DELETE FROM query_phase WHERE "
	    "query_phase_id > %T AND " NO_EXECUTION("mal_execution_id"));
	drop_rows(t, CPULOAD, CPULOAD, "DELETE FROM cpuload AS n WHERE "
	    "n.cpuload_id > %T AND "
	    IS_ORPHAN("n.heartbeat_id", "heartbeat", "heartbeat_id"));
}

void
references_init(struct trace *t)
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
references_finish(struct trace *t)
{
	translate_types(t);
	if (database_get_number(t->database,
	    "SELECT count(*) FROM same_execution") > 0) {
		merge_variables(t);
		merge_events(t);
		merge_links(t);
	}
	reject_events(t, NO_EXECUTION("n.mal_execution_id"),
	    REASON_NO_EXECUTION);
	/* Clear ids of missing executions: a later trace may use them. */
	trace_run(t, REJECTED_PROFILER_EVENT, "UPDATE rejected_profiler_event "
	    "SET mal_execution_id = NULL WHERE rowid > %T AND "
	    NO_EXECUTION("mal_execution_id"));
	drop_orphans(t);
	if (t->n_rejected > 0)
		filter_fail(t->f, "%llu events were moved to "
		    "rejected_profiler_event, with the reason",
		    (unsigned long long)t->n_rejected);
	database_run(t->database, "DELETE FROM same_type; "
	    "DELETE FROM same_execution; DELETE FROM same_variable");
}
