/* schema - describes the tables of traces, and writes them as SQL */

#include <string.h>

#include "common/base/err.h"
#include "common/mal/type.h"
#include "filters/malload/malload.h"

static const struct column server[] = {
	{ "server_id", BIGINT, ID, 0 },
	{ "release", TEXT, 0, 0 },
	{ "version", TEXT, 0, 0 },
	{ "host", TEXT, 0, 0 },
	{ "threads", INT, 0, 0 },
	{ "memory", TEXT, 0, 0 },
	{ "oid", INT, 0, 0 },
	{ "packages", JSON, 0, 0 },
};

static const struct column mal_type[] = {
	{ "type_id", BIGINT, ID, 0 },
	{ "tname", TEXT, NOT_NULL, 0 },
	{ "base_size", INT, 0, 0 },
	{ "subtype_id", BIGINT, 0, MAL_TYPE },
};

static const struct column mal_execution[] = {
	{ "execution_id", BIGINT, ID, 0 },
	{ "server_session", TEXT, 0, 0 },
	{ "client", TEXT, 0, 0 },
	{ "tag", BIGINT, 0, 0 },
	{ "server_version", TEXT, 0, 0 },
	{ "user_function", TEXT, 0, 0 },
	{ "user_id", TEXT, 0, 0 },
};

/* The columns that an event and a rejected event share after the state. */
#define EVENT_COLUMNS							\
	{ "iteration", INT, DEFAULT_1, 0 },				\
	{ "relative_time", BIGINT, 0, 0 },				\
	{ "absolute_time", BIGINT, 0, 0 },				\
	{ "local_time", TEXT, 0, 0 },					\
	{ "thread", BIGINT, 0, 0 },					\
	{ "mal_function", TEXT, 0, 0 },					\
	{ "usec", BIGINT, 0, 0 },					\
	{ "rss", BIGINT, 0, 0 },					\
	{ "type_size", BIGINT, 0, 0 },					\
	{ "inblock", BIGINT, 0, 0 },					\
	{ "oublock", BIGINT, 0, 0 },					\
	{ "majflt", BIGINT, 0, 0 },					\
	{ "nswap", BIGINT, 0, 0 },					\
	{ "nvcsw", BIGINT, 0, 0 },					\
	{ "caller", BIGINT, 0, 0 },					\
	{ "barrier", TEXT, 0, 0 },					\
	{ "operator", TEXT, 0, 0 },					\
	{ "algorithm", TEXT, 0, 0 },					\
	{ "numa", JSON, 0, 0 },						\
	{ "server_event", BIGINT, 0, 0 },				\
	{ "long_statement", TEXT, 0, 0 },				\
	{ "short_statement", TEXT, 0, 0 },				\
	{ "instruction", TEXT, 0, 0 },					\
	{ "mal_module", TEXT, 0, 0 },					\
	{ "derived", BOOLEAN, DEFAULT_0, 0 }

static const struct column profiler_event[] = {
	{ "event_id", BIGINT, ID, 0 },
	{ "mal_execution_id", BIGINT, NOT_NULL, MAL_EXECUTION },
	{ "pc", INT, NOT_NULL, 0 },
	{ "execution_state", INT, NOT_NULL, 0 },
	EVENT_COLUMNS,
};

static const struct column rejected_profiler_event[] = {
	{ "mal_execution_id", BIGINT, NOT_FOREIGN | SET_NULL, MAL_EXECUTION },
	{ "pc", INT, 0, 0 },
	{ "execution_state", INT, 0, 0 },
	EVENT_COLUMNS,
	{ "rejection_reason", TEXT, 0, 0 },
};

static const struct column prerequisite_events[] = {
	{ "prerequisite_relation_id", BIGINT, ID, 0 },
	{ "prerequisite_event", BIGINT, SET_NULL, PROFILER_EVENT },
	{ "consequent_event", BIGINT, NOT_NULL, PROFILER_EVENT },
	{ "prerequisite_pc", INT, 0, 0 },
};

static const struct column mal_variable[] = {
	{ "variable_id", BIGINT, ID, 0 },
	{ "name", TEXT, NOT_NULL, 0 },
	{ "mal_execution_id", BIGINT, NOT_NULL, MAL_EXECUTION },
	{ "alias", TEXT, 0, 0 },
	{ "type_id", BIGINT, 0, MAL_TYPE },
	{ "is_persistent", BOOLEAN, DEFAULT_0, 0 },
	{ "bid", BIGINT, 0, 0 },
	{ "var_count", BIGINT, 0, 0 },
	{ "var_size", BIGINT, 0, 0 },
	{ "seqbase", BIGINT, 0, 0 },
	{ "hghbase", BIGINT, 0, 0 },
	{ "mal_value", TEXT, 0, 0 },
	{ "parent", BIGINT, 0, 0 },
	{ "is_view", BOOLEAN, DEFAULT_0, 0 },
	{ "is_constant", BOOLEAN, DEFAULT_0, 0 },
	{ "width", BIGINT, 0, 0 },
	{ "hash_size", BIGINT, 0, 0 },
	{ "vheap_size", BIGINT, 0, 0 },
	{ "imprints_size", BIGINT, 0, 0 },
	{ "is_sorted", BOOLEAN, DEFAULT_0, 0 },
	{ "is_revsorted", BOOLEAN, DEFAULT_0, 0 },
	{ "is_nonil", BOOLEAN, DEFAULT_0, 0 },
	{ "has_nil", BOOLEAN, DEFAULT_0, 0 },
	{ "is_key", BOOLEAN, DEFAULT_0, 0 },
	{ "file", TEXT, 0, 0 },
	{ "minpos", BIGINT, 0, 0 },
	{ "maxpos", BIGINT, 0, 0 },
	{ "nestimate", DOUBLE, 0, 0 },
	{ "is_udf", BOOLEAN, DEFAULT_0, 0 },
};

static const struct column event_variable_list[] = {
	{ "event_id", BIGINT, NOT_NULL, PROFILER_EVENT },
	{ "variable_list_index", INT, NOT_NULL, 0 },
	{ "variable_id", BIGINT, NOT_NULL, MAL_VARIABLE },
	{ "created", BOOLEAN, DEFAULT_0, 0 },
	{ "reassigned", BOOLEAN, DEFAULT_0, 0 },
	{ "eol", BOOLEAN, DEFAULT_0, 0 },
};

static const struct column query[] = {
	{ "query_id", BIGINT, ID, 0 },
	{ "query_text", TEXT, 0, 0 },
	{ "query_label", TEXT, 0, 0 },
	{ "root_execution_id", BIGINT, 0, MAL_EXECUTION },
};

static const struct column initiates_executions[] = {
	{ "initiates_executions_id", BIGINT, ID, 0 },
	{ "parent_id", BIGINT, 0, MAL_EXECUTION },
	{ "child_id", BIGINT, 0, MAL_EXECUTION },
	{ "remote", BOOLEAN, NOT_NULL, 0 },
};

static const struct column query_phase[] = {
	{ "query_phase_id", BIGINT, ID, 0 },
	{ "mal_execution_id", BIGINT, 0, MAL_EXECUTION },
	{ "client", TEXT, 0, 0 },
	{ "phase", TEXT, 0, 0 },
	{ "relative_time", BIGINT, 0, 0 },
	{ "usec", BIGINT, 0, 0 },
	{ "thread", BIGINT, 0, 0 },
	{ "tstart", BIGINT, 0, 0 },
	{ "tend", BIGINT, 0, 0 },
	{ "failed", BOOLEAN, DEFAULT_0, 0 },
};

static const struct column heartbeat[] = {
	{ "heartbeat_id", BIGINT, ID, 0 },
	{ "server_session", TEXT, 0, 0 },
	{ "clk", BIGINT, 0, 0 },
	{ "ctime", BIGINT, 0, 0 },
	{ "rss", BIGINT, 0, 0 },
	{ "inblock", BIGINT, 0, 0 },
	{ "oublock", BIGINT, 0, 0 },
	{ "majflt", BIGINT, 0, 0 },
	{ "nswap", BIGINT, 0, 0 },
	{ "nvcsw", BIGINT, 0, 0 },
};

static const struct column cpuload[] = {
	{ "cpuload_id", BIGINT, ID, 0 },
	{ "heartbeat_id", BIGINT, 0, HEARTBEAT },
	{ "core", INT, 0, 0 },
	{ "val", DOUBLE, 0, 0 },
};

#define TABLE(t) .name = #t, .columns = t, .n_columns = sizeof t / sizeof *t

const struct table tables[N_TABLES] = {
	[SERVER] = { TABLE(server) },
	[MAL_TYPE] = { TABLE(mal_type), .unique = "\"tname\"" },
	/*
	 * In SQLite the index treats null clients as equal.  Rows with a null
	 * session or tag are never equal, as in standard SQL.
	 */
	[MAL_EXECUTION] = { TABLE(mal_execution),
	    .unique = "\"server_session\", \"client\", \"tag\"",
	    .unique_in_sqlite = "server_session, coalesce(client, ''), tag" },
	[PROFILER_EVENT] = { TABLE(profiler_event),
	    .unique = "\"mal_execution_id\", \"pc\", \"execution_state\", "
	    "\"iteration\"" },
	[PREREQUISITE_EVENTS] = { TABLE(prerequisite_events) },
	[MAL_VARIABLE] = { TABLE(mal_variable),
	    .unique = "\"mal_execution_id\", \"name\"" },
	[EVENT_VARIABLE_LIST] = { TABLE(event_variable_list),
	    .primary_key = "\"event_id\", \"variable_list_index\"" },
	[QUERY] = { TABLE(query) },
	[INITIATES_EXECUTIONS] = { TABLE(initiates_executions) },
	[QUERY_PHASE] = { TABLE(query_phase) },
	[HEARTBEAT] = { TABLE(heartbeat) },
	[CPULOAD] = { TABLE(cpuload) },
	[REJECTED_PROFILER_EVENT] = { TABLE(rejected_profiler_event) },
};

static struct {
	const char *names[DISTINCT_COLUMNS_MAX + 1];
	size_t n;
	unsigned index[N_TABLES][COLUMNS_MAX];	/* in names, of each column */
} keys;

bool
schema_has_id(enum table_id t)
{
	return (tables[t].columns[0].rules & ID) != 0;
}

/* The index of a name in keys.names, to which it is added if it is new. */
static unsigned
find_key(const char *name)
{
	size_t i = 0;

	while (i < keys.n && strcmp(keys.names[i], name) != 0)
		i++;
	if (i == DISTINCT_COLUMNS_MAX)
		bug("more than %d columns", DISTINCT_COLUMNS_MAX);
	if (i == keys.n)
		keys.names[keys.n++] = name;
	return (unsigned)i;
}

const char *const *
schema_collect_keys(void)
{
	find_key("type");
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		for (size_t i = 0; i < tables[t].n_columns; i++)
			keys.index[t][i] = find_key(tables[t].columns[i].name);
	return keys.names;
}

unsigned
schema_key_index(enum table_id t, size_t column)
{
	return keys.index[t][column];
}

/* The NOT NULL constraint, with the default value if there is one. */
static const char *
null_constraint(const struct column *c)
{
	if ((c->rules & DEFAULT_1) != 0)
		return " NOT NULL DEFAULT 1";
	if ((c->rules & DEFAULT_0) != 0)
		return " NOT NULL DEFAULT false";
	return (c->rules & NOT_NULL) != 0 ? " NOT NULL" : "";
}

void
schema_put_table(struct buf *b, enum table_id id, enum dialect dialect,
    bool is_staged)
{
	static const char *const types[] = { [BIGINT] = "bigint",
	    [INT] = "int", [DOUBLE] = "double precision",
	    [BOOLEAN] = "boolean", [TEXT] = "text", [JSON] = "text" };
	const struct table *t = &tables[id], *parent;
	const struct column *c = t->columns;
	bool is_id;

	buf_printf(b, is_staged ? "CREATE TEMP TABLE \"new_%s\" (" :
	    "CREATE TABLE \"%s\" (", t->name);
	for (size_t i = 0; i < t->n_columns; i++, c++) {
		parent = &tables[c->parent];
		is_id = (c->rules & ID) != 0;
		/* SQLite uses only an "integer" primary key as rowid. */
		buf_printf(b, "%s\n\t\"%s\" %s%s%s", i > 0 ? "," : "", c->name,
		    dialect == SQLITE && is_id ? "integer" : types[c->type],
		    is_id ? " PRIMARY KEY" : "", null_constraint(c));
		/*
		 * Portable references to the same table are not checked: DuckDB
		 * would check a row before it has inserted the other rows of
		 * the same statement.
		 */
		if (!is_staged && c->parent != NO_TABLE &&
		    (c->rules & NOT_FOREIGN) == 0 &&
		    (dialect == SQLITE || parent != t))
			buf_printf(b, " REFERENCES \"%s\" (\"%s\")",
			    parent->name, parent->columns[0].name);
	}
	if (t->primary_key != NULL)
		buf_printf(b, ",\n\tPRIMARY KEY (%s)", t->primary_key);
	/* A trace may have an execution twice, which merge.c merges. */
	if (t->unique != NULL && (t->unique_in_sqlite == NULL ||
	    (dialect == PORTABLE && !is_staged)))
		buf_printf(b, ",\n\tUNIQUE (%s)", t->unique);
	buf_str(b, t->primary_key != NULL && dialect == SQLITE ?
	    "\n) WITHOUT ROWID;\n" : "\n);\n");
	if (t->unique_in_sqlite != NULL && dialect == SQLITE && !is_staged)
		buf_printf(b, "CREATE UNIQUE INDEX \"%s_key\" ON \"%s\" "
		    "(%s);\n", t->name, t->name, t->unique_in_sqlite);
}

static void
put_view(struct buf *b)
{
	buf_str(b, "CREATE VIEW \"instructions\" AS SELECT\n"
	    "\tended.\"pc\",\n"
	    "\tcoalesce(ended.\"short_statement\", "
	    "began.\"short_statement\") AS \"short_statement\",\n"
	    "\tcoalesce(began.\"relative_time\", ended.\"relative_time\" - "
	    "ended.\"usec\") AS \"start_time\",\n"
	    "\tended.\"relative_time\" AS \"end_time\",\n"
	    "\tcoalesce(began.\"absolute_time\", ended.\"absolute_time\" - "
	    "ended.\"usec\") AS \"astart_time\",\n"
	    "\tended.\"absolute_time\" AS \"aend_time\",\n"
	    "\tended.\"relative_time\" - coalesce(began.\"relative_time\", "
	    "ended.\"relative_time\" - ended.\"usec\") AS \"duration\",\n"
	    "\tended.\"thread\",\n"
	    "\tended.\"mal_execution_id\",\n"
	    "\tbegan.\"event_id\" AS \"start_event_id\",\n"
	    "\tended.\"event_id\" AS \"end_event_id\",\n"
	    "\tended.\"mal_module\",\n"
	    "\tended.\"instruction\",\n"
	    "\tended.\"usec\"\n"
	    "FROM \"profiler_event\" AS ended\n"
	    "LEFT JOIN \"profiler_event\" AS began\n"
	    "\tON began.\"mal_execution_id\" = ended.\"mal_execution_id\"\n"
	    "\tAND began.\"pc\" = ended.\"pc\"\n"
	    "\tAND began.\"iteration\" = ended.\"iteration\"\n"
	    "\tAND began.\"execution_state\" = 0\n"
	    "WHERE ended.\"execution_state\" = 1\n"
	    "ORDER BY \"start_time\";\n");
}

void
schema_put(struct buf *b, enum dialect dialect)
{
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		schema_put_table(b, t, dialect, false);
	put_view(b);
	buf_printf(b, "CREATE TABLE trace (trace_id %s PRIMARY KEY, "
	    "digest text NOT NULL UNIQUE, rows bigint NOT NULL);\n",
	    dialect == SQLITE ? "integer" : "bigint");
	for (int i = 0; i < N_MAL_TYPES; i++) {
		buf_printf(b, "INSERT INTO mal_type VALUES (%d, '%s', %d, ",
		    i + 1, mal_types[i].name, mal_types[i].size);
		if (mal_types[i].subtype > 0)
			buf_printf(b, "%d);\n", mal_types[i].subtype);
		else
			buf_str(b, "NULL);\n");
	}
}

/* The types are single words in a diagram. */
void
schema_put_diagram(struct buf *b)
{
	static const char *const types[] = { [BIGINT] = "bigint",
	    [INT] = "int", [DOUBLE] = "double", [BOOLEAN] = "boolean",
	    [TEXT] = "text", [JSON] = "json" };
	const struct table *t;
	const struct column *c;

	buf_str(b, "erDiagram\n");
	for (t = tables + 1; t < tables + N_TABLES; t++)
		for (c = t->columns; c < t->columns + t->n_columns; c++)
			if (c->parent != NO_TABLE)
				buf_printf(b, "    %s %s--o{ %s : %s\n",
				    tables[c->parent].name,
				    (c->rules & NOT_NULL) != 0 ? "||" : "|o",
				    t->name, c->name);
	for (t = tables + 1; t < tables + N_TABLES; t++) {
		buf_printf(b, "    %s {\n", t->name);
		for (c = t->columns; c < t->columns + t->n_columns; c++)
			buf_printf(b, "        %s %s%s\n", types[c->type],
			    c->name, (c->rules & ID) != 0 ? " PK" :
			    c->parent != NO_TABLE ? " FK" : "");
		buf_str(b, "    }\n");
	}
}
