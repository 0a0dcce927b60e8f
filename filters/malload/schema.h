#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * The tables.  This is their only description: the SQL, the CSV files and the
 * reading of rows all use it.  A table comes after those that it refers to.
 */
enum table_id { NO_TABLE, SERVER, MAL_TYPE, MAL_EXECUTION, PROFILER_EVENT,
    PREREQUISITE_EVENTS, MAL_VARIABLE, EVENT_VARIABLE_LIST, QUERY,
    INITIATES_EXECUTIONS, QUERY_PHASE, HEARTBEAT, CPULOAD,
    REJECTED_PROFILER_EVENT, N_TABLES };

enum column_type { BIGINT, INT, DOUBLE, BOOLEAN, TEXT, JSON };

enum column_rules {
	ID = 1,			/* is the primary key: the table's id */
	NOT_NULL = 2,
	DEFAULT_0 = 4,		/* false if the row has no value */
	DEFAULT_1 = 8,		/* 1 if the row has no value */
	NOT_FOREIGN = 16,	/* the database need not check it */
	SET_NULL = 32		/* is set to null if the parent's row is
				   missing, and the row is kept */
};

struct column {
	const char *name;
	enum column_type type;
	unsigned rules;
	enum table_id parent;	/* the table that it refers to, or NO_TABLE */
};

struct table {
	const char *name;
	const struct column *columns;	/* the ID first, if there is one */
	size_t n_columns;
	const char *primary_key;	/* its columns if there is no ID, or
					   NULL */
	const char *unique;		/* columns of a second key, or NULL */
	const char *unique_in_sqlite;	/* columns or expressions of an index
					   that replaces it; or NULL */
};

/*
 * The greatest numbers of columns of a table, and of distinct names of columns
 * in all tables.  The second must not exceed KEYS_MAX (rec.h).
 */
enum { COLUMNS_MAX = 32, DISTINCT_COLUMNS_MAX = 112 };

extern const struct table tables[N_TABLES];

struct buf;

/* Whether the first column of the table is its id. */
bool schema_has_id(enum table_id);

/*
 * schema_collect_keys() returns the names of all columns as the keys of records
 * for filter_begin().  After it has been called, schema_key_index() returns the
 * index of a column's name among these keys.
 */
const char *const *schema_collect_keys(void);
unsigned schema_key_index(enum table_id, size_t column);

/*
 * Write the SQL that creates one table, or all tables, the view "instructions",
 * the table "trace", which has a digest of each trace, and MonetDB's types.  In
 * SQLite an id is the rowid; elsewhere it is a bigint.  A table that is staged
 * is the temporary one of merge.h, without foreign keys.
 */
enum dialect { PORTABLE, SQLITE };
void schema_put_table(struct buf *, enum table_id, enum dialect,
    bool is_staged);
void schema_put(struct buf *, enum dialect);

/* Writes the tables and their references as a diagram of Mermaid. */
void schema_put_diagram(struct buf *);
