/* merge - the SQL that adds a trace to a database */

#include <stdarg.h>
#include <string.h>

#include "common/base/err.h"
#include "common/mal/type.h"
#include "filters/malload/malload.h"

#define REASON_DUPLICATE						\
	"an event of this execution, pc, state and iteration exists already"
#define REASON_NO_EXECUTION "its execution is missing"

/* What is added to the ids that the trace has for a table. */
#define SHIFT(table) "(SELECT " #table " FROM shift)"

/*
 * A condition: the column refers to a row that is the same as an older one.
 * Databases find out first, and once, that there is none.
 */
#define IS_MERGED(column, table)					\
	"EXISTS (SELECT 1 FROM same_" #table ") AND " column		\
	" IN (SELECT old FROM same_" #table ")"
#define ARE_REJECTED							\
	"EXISTS (SELECT 1 FROM same_profiler_event WHERE NOT is_equal)"
#define TRACES_OVERLAP "EXISTS (SELECT 1 FROM same_profiler_event)"

/*
 * Two rows of a table are the same if these expressions are equal, or null in
 * both, and both rows meet the condition.  Types, and executions of servers
 * that do not name their session, are compared in other ways.
 */
static const struct {
	const char *key, *condition;
} same[N_TABLES] = {
	[SERVER] = { "\"release\", version, host, threads", TRACES_OVERLAP },
	[MAL_EXECUTION] = { "server_session, coalesce(client, ''), tag",
	    "tag IS NOT NULL AND server_session IN "
	    "(SELECT server_session FROM new_mal_execution)" },
	[PROFILER_EVENT] = { "mal_execution_id, pc, execution_state, iteration",
	    IS_MERGED("mal_execution_id", mal_execution) },
	[PREREQUISITE_EVENTS] = { "consequent_event, prerequisite_pc",
	    IS_MERGED("consequent_event", profiler_event) },
	[MAL_VARIABLE] = { "mal_execution_id, name",
	    IS_MERGED("mal_execution_id", mal_execution) },
	[QUERY] = { "root_execution_id",
	    IS_MERGED("root_execution_id", mal_execution) },
	[INITIATES_EXECUTIONS] = { "parent_id, child_id",
	    IS_MERGED("parent_id", mal_execution) },
	[QUERY_PHASE] = { "client, phase, relative_time, usec",
	    TRACES_OVERLAP " AND relative_time IS NOT NULL" },
	[HEARTBEAT] = { "server_session, clk, ctime",
	    TRACES_OVERLAP " AND coalesce(clk, ctime) IS NOT NULL" },
	[CPULOAD] = { "heartbeat_id, core",
	    IS_MERGED("heartbeat_id", heartbeat) },
};

/* The times of an event, as text; null if it has no clock. */
#define TIMES(e)							\
	"coalesce(CAST(" e "relative_time AS text), " e "local_time) "	\
	"|| ' ' || coalesce(" e "usec, -1) || ' ' || "			\
	"coalesce(" e "thread, -1)"

/* Appends to the current step. */
static void PRINTF_LIKE(2, 3)
put(struct merge *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&m->steps[m->n].sql, fmt, ap);
	va_end(ap);
}

static void
end_step(struct merge *m, enum step_count count, enum table_id t)
{
	m->steps[m->n].count = count;
	m->steps[m->n].table = t;
	if (++m->n == MERGE_STEPS_MAX)
		bug("more than %d steps", MERGE_STEPS_MAX - 1);
}

/*
 * Creates the view put_t, which has the rows of new_t with their new ids and
 * references.
 */
static void
put_view(struct merge *m, enum table_id t)
{
	const struct column *c = tables[t].columns;
	enum table_id owner;

	put(m, "CREATE TEMP VIEW put_%s AS SELECT", tables[t].name);
	for (size_t i = 0; i < tables[t].n_columns; i++, c++) {
		struct buf id = { 0 };

		owner = (c->rules & ID) != 0 ? t : c->parent;
		buf_printf(&id, "n.\"%s\"", c->name);
		/* MonetDB's types have the same ids in every database. */
		if (owner != NO_TABLE && owner != MAL_TYPE)
			buf_printf(&id, " + (SELECT %s FROM shift)",
			    tables[owner].name);
		if (c->parent == NO_TABLE)
			put(m, "%s\n\t%s", i > 0 ? "," : "", buf_cstr(&id));
		else
			put(m, "%s\n\tcoalesce((SELECT old FROM same_%s AS s "
			    "WHERE s.id = %s), %s)", i > 0 ? "," : "",
			    tables[owner].name, buf_cstr(&id), buf_cstr(&id));
		put(m, " AS \"%s\"", c->name);
		buf_release(&id);
	}
	put(m, "\nFROM new_%s AS n;\n", tables[t].name);
}

/* Finds rows that are the same as older ones, or as others of the trace. */
static void
find_same(struct merge *m, enum table_id t)
{
	const char *name = tables[t].name, *id = tables[t].columns[0].name;
	const char *value = t == PROFILER_EVENT ? TIMES("") : "1";

	put(m, "INSERT INTO same_%s SELECT id, old, "
	    "coalesce(value = old_value, false)\n"
	    "FROM (SELECT %s AS id, first_value(%s) OVER same AS old,\n"
	    "\t%s AS value,\n\tfirst_value(%s) OVER same AS old_value\n"
	    "\tFROM (SELECT * FROM %s WHERE %s\n"
	    "\tUNION ALL SELECT * FROM put_%s WHERE %s) AS either\n"
	    "\tWINDOW same AS (PARTITION BY %s ORDER BY %s)) AS pair\n"
	    "WHERE id <> old AND id > (SELECT %s FROM shift);\n",
	    name, id, id, value, value, name, same[t].condition, name,
	    same[t].condition, same[t].key, id, name);
}

/*
 * Adds to the table "whole" both ids of each older execution that was loaded
 * from a part of the trace, which has all of its events, with the same times.
 */
static void
find_whole(struct merge *m)
{
	put(m, "INSERT INTO whole SELECT id, old FROM same_mal_execution "
	    "WHERE old <= " SHIFT(mal_execution) "\n"
	    "UNION ALL SELECT n.execution_id, o.execution_id\n"
	    "FROM put_mal_execution AS n JOIN mal_execution AS o\n"
	    "ON o.tag = n.tag AND "
	    "coalesce(o.client, '') = coalesce(n.client, '')\n"
	    "WHERE o.server_session IS NULL AND n.server_session IS NULL;\n"
	    "DELETE FROM whole WHERE NOT EXISTS "
	    "(SELECT 1 FROM profiler_event WHERE mal_execution_id = old);\n"
	    "DELETE FROM whole WHERE (id, old) IN\n"
	    "(SELECT w.id, w.old FROM whole AS w\n"
	    "JOIN profiler_event AS o ON o.mal_execution_id = w.old\n"
	    "LEFT JOIN new_profiler_event AS n ON n.mal_execution_id = "
	    "w.id - " SHIFT(mal_execution) "\n"
	    "AND n.pc = o.pc AND n.execution_state = o.execution_state "
	    "AND n.iteration = o.iteration\n"
	    "AND " TIMES("n.") " =\n" TIMES("o.") "\n"
	    "WHERE n.event_id IS NULL);\n"
	    "INSERT INTO same_mal_execution SELECT id, min(old), true "
	    "FROM whole AS w\n"
	    "WHERE NOT EXISTS (SELECT 1 FROM same_mal_execution AS s "
	    "WHERE s.id = w.id) GROUP BY id;\n"
	    "DELETE FROM whole AS w WHERE NOT EXISTS "
	    "(SELECT 1 FROM same_mal_execution AS s "
	    "WHERE s.id = w.id AND s.old = w.old);\n"
	    "DELETE FROM rejected_profiler_event WHERE mal_execution_id IN "
	    "(SELECT old FROM whole);\n");
}

/* Gives older rows of executions in "whole" the values of the new rows. */
static void
update_whole(struct merge *m, enum table_id t, const char *execution)
{
	const struct column *c = tables[t].columns;
	const char *id = c->name, *name = tables[t].name, *before = "SET";
	struct buf quoted = { 0 };

	put(m, "UPDATE %s ", name);
	for (size_t i = 1; i < tables[t].n_columns; i++) {
		quoted.len = 0;
		buf_printf(&quoted, "\"%s\"", c[i].name);
		/* DuckDB updates no key that others refer to. */
		if (c[i].parent != NO_TABLE ||
		    strstr(tables[t].unique, buf_cstr(&quoted)) != NULL)
			continue;
		put(m, "%s %s = n.%s", before, c[i].name, c[i].name);
		before = ",";
	}
	put(m, "\nFROM put_%s AS n JOIN same_%s AS s ON s.id = n.%s\n"
	    "WHERE EXISTS (SELECT 1 FROM whole) AND %s.%s = s.old\n"
	    "AND %s IN (SELECT old FROM whole);\n", name, name, id, name, id,
	    execution);
	buf_release(&quoted);
}

/*
 * Removes rows of the trace that refer to rows that it does not have, or sets
 * the reference to null.  If the ids of a table have no gaps, which is usual,
 * comparing a reference with the first and last one spares a search.
 */
static void
drop_orphans(struct merge *m, enum table_id t)
{
	const struct column *c = tables[t].columns;
	const struct table *parent;
	struct buf orphans = { 0 };
	const char *id;
	bool is_kept;

	for (size_t i = 0; i < tables[t].n_columns; i++, c++) {
		if (c->parent == NO_TABLE || c->parent == MAL_TYPE)
			continue;
		parent = &tables[c->parent];
		is_kept = (c->rules & SET_NULL) != 0;
		if (is_kept)
			put(m, "UPDATE new_%s AS n SET %s = NULL WHERE ",
			    tables[t].name, c->name);
		else if (orphans.len > 0)
			buf_str(&orphans, " OR ");
		id = parent->columns[0].name;
		buf_printf(is_kept ? &m->steps[m->n].sql : &orphans,
		    "n.%s IS NOT NULL\nAND NOT coalesce(n.%s "
		    "BETWEEN (SELECT min(%s) FROM new_%s) "
		    "AND (SELECT max(%s) FROM new_%s)\n"
		    "AND (SELECT count(*) = max(%s) - min(%s) + 1 "
		    "FROM new_%s), false)\nAND NOT EXISTS "
		    "(SELECT 1 FROM new_%s AS p WHERE p.%s = n.%s)%s",
		    c->name, c->name, id, parent->name, id, parent->name, id,
		    id, parent->name, parent->name, id, c->name,
		    is_kept ? ";\n" : "");
	}
	if (orphans.len > 0) {
		put(m, "DELETE FROM new_%s AS n WHERE %s;\n", tables[t].name,
		    buf_cstr(&orphans));
		end_step(m, COUNT_DROPPED, t);
	}
	buf_release(&orphans);
}

/* New types get the next ids, in the order of the trace. */
static void
merge_types(struct merge *m)
{
	put(m, "UPDATE new_mal_variable AS n SET type_id = NULL\n"
	    "WHERE type_id NOT BETWEEN 1 AND %d AND NOT EXISTS\n"
	    "(SELECT 1 FROM new_mal_type AS t WHERE t.type_id = n.type_id);\n",
	    N_MAL_TYPES);
	end_step(m, COUNT_UNTYPED, MAL_VARIABLE);
	put(m, "INSERT INTO same_mal_type SELECT n.type_id, "
	    "coalesce(o.type_id, " SHIFT(mal_type) " + row_number()\n"
	    "OVER (PARTITION BY o.type_id IS NULL ORDER BY n.type_id)), true\n"
	    "FROM new_mal_type AS n "
	    "LEFT JOIN mal_type AS o ON o.tname = n.tname;\n"
	    "INSERT INTO mal_type SELECT s.old, n.tname, n.base_size,\n"
	    "(SELECT old FROM same_mal_type AS b WHERE b.id = n.subtype_id)\n"
	    "FROM new_mal_type AS n "
	    "JOIN same_mal_type AS s ON s.id = n.type_id\n"
	    "WHERE s.old > " SHIFT(mal_type) ";\n");
}

static void
reject_events(struct merge *m)
{
	const struct table *event = &tables[PROFILER_EVENT];

	put(m, "INSERT INTO same_profiler_event\n"
	    "SELECT event_id + " SHIFT(profiler_event) ", NULL, false "
	    "FROM new_profiler_event AS n\nWHERE NOT EXISTS "
	    "(SELECT 1 FROM new_mal_execution AS p\n"
	    "WHERE p.execution_id = n.mal_execution_id);\n");
	find_same(m, PROFILER_EVENT);
	put(m, "INSERT INTO rejected_profiler_event SELECT CASE "
	    "WHEN s.old IS NOT NULL THEN n.mal_execution_id END");
	for (size_t i = 2; i < event->n_columns; i++)
		put(m, ", n.\"%s\"", event->columns[i].name);
	put(m, ",\nCASE WHEN s.old IS NOT NULL THEN '" REASON_DUPLICATE "'\n"
	    "ELSE '" REASON_NO_EXECUTION "' END\n"
	    "FROM put_profiler_event AS n "
	    "JOIN same_profiler_event AS s ON s.id = n.event_id\n"
	    "WHERE " ARE_REJECTED " AND NOT s.is_equal;\n"
	    "DELETE FROM new_profiler_event WHERE " ARE_REJECTED "\n"
	    "AND event_id + " SHIFT(profiler_event) " IN\n"
	    "(SELECT id FROM same_profiler_event WHERE NOT is_equal);\n");
	end_step(m, COUNT_REJECTED, PROFILER_EVENT);
	put(m, "DELETE FROM same_profiler_event WHERE NOT is_equal;\n");
}

static void
merge_table(struct merge *m, enum table_id t)
{
	const char *name = tables[t].name;

	if (t == MAL_TYPE) {
		merge_types(m);
		return;
	}
	if (t == PROFILER_EVENT)
		reject_events(m);
	else
		drop_orphans(m, t);
	if (t != PROFILER_EVENT && same[t].key != NULL)
		find_same(m, t);
	if (t == MAL_EXECUTION) {
		find_whole(m);
		update_whole(m, t, "s.old");
	}
	if (t == MAL_VARIABLE)
		update_whole(m, t, "n.mal_execution_id");

	end_step(m, COUNT_NOTHING, t);
	put(m, "INSERT INTO %s SELECT * FROM put_%s AS n WHERE ", name, name);
	if (schema_has_id(t))
		put(m, "NOT EXISTS\n(SELECT 1 FROM same_%s AS s "
		    "WHERE s.id = n.%s);\n", name, tables[t].columns[0].name);
	else
		put(m, "true%s;\n", tables[t].primary_key != NULL ?
		    " ON CONFLICT DO NOTHING" : "");
	end_step(m, COPY, t);
}

static void
put_keeps_ids(struct buf *b, enum table_id t)
{
	if (t != MAL_TYPE)
		buf_printf(b, " AND " SHIFT(%s) " = 0", tables[t].name);
	buf_printf(b, " AND NOT EXISTS (SELECT 1 FROM same_%s "
	    "WHERE old IS NULL OR old <> id)", tables[t].name);
}

void
merge_put_keeps_ids(struct buf *b, enum table_id t)
{
	const struct column *c = tables[t].columns;

	buf_printf(b, "SELECT NOT EXISTS (SELECT 1 FROM %s)", tables[t].name);
	if (schema_has_id(t))
		put_keeps_ids(b, t);
	for (size_t i = 0; i < tables[t].n_columns; i++)
		if (c[i].parent != NO_TABLE)
			put_keeps_ids(b, c[i].parent);
}

void
merge_init(struct merge *m)
{
	*m = (struct merge){ .n = 0 };
	put(m, "CREATE TEMP TABLE whole (id bigint, old bigint);\n"
	    "CREATE TEMP TABLE shift AS SELECT");
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		if (schema_has_id(t))
			put(m, "%s\n\t(SELECT coalesce(max(%s), 0) FROM %s) "
			    "AS %s", t > NO_TABLE + 1 ? "," : "",
			    tables[t].columns[0].name, tables[t].name,
			    tables[t].name);
	put(m, ";\n");
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		put_view(m, t);

	/*
	 * In format P of weir-mal(5) the row of an execution comes after its
	 * events, so those of a truncated trace were rejected.
	 */
	put(m, "DELETE FROM rejected_profiler_event "
	    "WHERE mal_execution_id IS NULL\n"
	    "AND rejection_reason = '" REASON_NO_EXECUTION "'\n"
	    "AND (pc, execution_state, iteration, relative_time, usec) IN\n"
	    "(SELECT pc, execution_state, iteration, relative_time, usec "
	    "FROM new_profiler_event);\n");
	for (enum table_id t = SERVER + 1; t < N_TABLES; t++)
		merge_table(m, t);
	/* Only the events show whether traces overlap. */
	merge_table(m, SERVER);
}

void
merge_put_begin(struct buf *b, enum dialect dialect)
{
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++) {
		schema_put_table(b, t, dialect, true);
		if (schema_has_id(t))
			buf_printf(b, "CREATE TEMP TABLE same_%s (id %s "
			    "PRIMARY KEY, old bigint, is_equal boolean);\n",
			    tables[t].name, dialect == SQLITE ? "integer" :
			    "bigint");
	}
}

void
merge_put_end(struct buf *b)
{
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		buf_printf(b, "DROP VIEW put_%s;\n", tables[t].name);
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++) {
		buf_printf(b, "DROP TABLE new_%s;\n", tables[t].name);
		if (schema_has_id(t))
			buf_printf(b, "DROP TABLE same_%s;\n", tables[t].name);
	}
	buf_str(b, "DROP TABLE whole;\nDROP TABLE shift;\n");
}

void
merge_put_trace(struct buf *b, const char *digest)
{
	buf_printf(b, "INSERT INTO trace "
	    "SELECT coalesce(max(trace_id), 0) + 1, '%s',", digest);
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		buf_printf(b, "%s\n(SELECT count(*) FROM new_%s)",
		    t > NO_TABLE + 1 ? " +" : "", tables[t].name);
	buf_printf(b, "\nFROM trace HAVING "
	    "count(CASE WHEN digest = '%s' THEN 1 END) = 0;\n", digest);
}

void
merge_put_refusal(struct buf *b, const char *digest)
{
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		buf_printf(b, "DELETE FROM new_%s WHERE EXISTS "
		    "(SELECT 1 FROM trace WHERE digest = '%s');\n",
		    tables[t].name, digest);
}
