#ifndef MALLOAD_SCHEMA_H
#define MALLOAD_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The tables, described once: SQL, CSV and the reading of rows are all made
 * from this.  A table comes after those that it refers to.
 */
enum table_id { NO_TABLE, SERVER, MAL_TYPE, MAL_EXECUTION, PROFILER_EVENT,
    PREREQUISITE_EVENTS, MAL_VARIABLE, EVENT_VARIABLE_LIST, QUERY,
    INITIATES_EXECUTIONS, QUERY_PHASE, HEARTBEAT, CPULOAD,
    REJECTED_PROFILER_EVENT, N_TABLES };

enum column_type { BIGINT, INT, DOUBLE, BOOLEAN, TEXT, JSON };

enum column_rules {
	ID = 1,			/* the primary key */
	NEEDED = 2,		/* not null */
	ELSE_0 = 4,		/* what it is if the row does not say: false */
	ELSE_1 = 8,
	PART_OF_KEY = 16,	/* of the primary key */
	SAME_TRACE = 32,	/* refers to a row of its own trace only */
	UNCHECKED = 64		/* refers, but is no foreign key */
};

struct column {
	const char *name;
	enum column_type type;
	unsigned rules;
	enum table_id parent;	/* that it refers to, or NO_TABLE */
};

struct table {
	const char *name;
	const struct column *columns;	/* the ID, if it has one, is first */
	size_t n_columns;
	const char *unique;	/* the columns of another key, or NULL */
	const char *unique_in_sqlite;	/* the same, where SQL has no words */
};

enum { COLUMNS_MAX = 32, DISTINCT_COLUMNS_MAX = 112 };

extern const struct table tables[N_TABLES];

bool table_has_id(enum table_id);

struct buf;

/* The declared keys of records, and the place of each column among them. */
const char *const *schema_keys(void);
unsigned schema_key(enum table_id, size_t column);

/*
 * CREATE TABLE of one table, and CREATE VIEW.  For SQLite ids are those of its
 * rows; elsewhere they are bigint.
 */
enum dialect { PORTABLE, SQLITE };
void schema_put_table(struct buf *, enum table_id, enum dialect);
void schema_put_view(struct buf *);

#endif
