#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"
#include "common/io/output.h"

struct filter;
struct rec;

/* --- database.c ---------------------------------------------------------- */

/* An SQLite database with the tables of schema.c. */
struct database {
	const char *path;
	sqlite3 *handle;
};

/*
 * Opens the database, and creates it if it does not exist and the tables if it
 * is empty.  Ends the program if the database belongs to another program or has
 * another version of the tables.  Borrows the path until database_close().
 */
void database_open(struct database *, const char *path);
void database_close(struct database *);

/* Ends the program with SQLite's last message. */
_Noreturn void database_fail(const struct database *);

/* Runs statements.  Ends the program if one fails. */
void database_run(struct database *, const char *sql);

/*
 * The first column of the first row of the result; 0 if there is no row.  Ends
 * the program if the statement fails.
 */
int64_t database_get_number(struct database *, const char *sql);

/* --- schema.c ------------------------------------------------------------ */

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
 * is the temporary one of merge.c, without foreign keys.
 */
enum dialect { PORTABLE, SQLITE };
void schema_put_table(struct buf *, enum table_id, enum dialect,
    bool is_staged);
void schema_put(struct buf *, enum dialect);

/* Writes the tables and their references as a diagram of Mermaid. */
void schema_put_diagram(struct buf *);

/* --- merge.c ------------------------------------------------------------- */

/*
 * The SQL that adds a trace to a database, as malload(1) and weir-mal(5) say.
 * SQLite, PostgreSQL and DuckDB accept the same text.
 *
 * The rows of the trace are first inserted as they were read into temporary
 * tables (new_server and so on).  The steps then add them to the tables, in the
 * order of enum table_id.  References to a row that is the same as an older one
 * (see merge.c) become references to the old one.
 *
 * If nothing of the trace is in the database, the time does not depend on the
 * size of the database.
 */

/*
 * What the number of rows that the last statement of a step changes means; or
 * COPY: the step only copies rows from a table new_t to t.
 */
enum step_count { COUNT_NOTHING, COUNT_REJECTED, COUNT_DROPPED,
    COUNT_UNTYPED, COPY };

struct step {
	struct buf sql;
	enum step_count count;
	enum table_id table;	/* of the rows counted or copied */
};

enum { MERGE_STEPS_MAX = 4 * N_TABLES };

struct merge {
	struct step steps[MERGE_STEPS_MAX];
	size_t n;
};

void merge_init(struct merge *);

/* Writes the statements that create the temporary tables, or drop them. */
void merge_put_begin(struct buf *, enum dialect);
void merge_put_end(struct buf *);

enum { DIGEST_SIZE = 2 * 20 + 1 };	/* of a SHA-1 in hexadecimal */

/*
 * After the steps: writes the statement that adds the trace to the table
 * "trace", with the number of its rows that the database has.
 */
void merge_put_trace(struct buf *, const char *digest);

/*
 * Writes the query whether all rows of new_t keep their ids and references, as
 * in a first trace.
 */
void merge_put_keeps_ids(struct buf *, enum table_id);

/* Before the steps: removes all rows if the database has the trace already. */
void merge_put_refusal(struct buf *, const char *digest);

/* --- dump.c -------------------------------------------------------------- */

/*
 * Writes traces as SQL or CSV, for databases other than SQLite.  The statements
 * of merge.c add them to the tables.  Statements that insert rows of one table
 * after the other are the fastest, but rows are read in any order.  So the SQL
 * of each table is kept in a temporary file until the trace ends.
 */

struct dump {
	struct filter *f;
	const char *directory;		/* for CSV; NULL: write SQL */
	bool appends;			/* the database has the tables */
	char digest[DIGEST_SIZE];	/* of the last trace; empty: none */
	struct merge merge;
	struct output files[N_TABLES];	/* for SQL temporary ones */
	struct buf path[N_TABLES];	/* of the CSV files */
	uint64_t n_rows[N_TABLES];	/* in these files */
};

void dump_open(struct dump *, struct filter *, const char *directory,
    bool appends);
void dump_row(struct dump *, enum table_id, const struct rec *);

/*
 * Writes the rows of a trace, or forgets them if the digest is NULL.  Ends the
 * program at the second trace with CSV, whose files have the rows of one.
 */
void dump_trace(struct dump *, const char *digest);

/* CSV files appear now, unless the input was truncated. */
void dump_close(struct dump *);

/* --- load.c -------------------------------------------------------------- */

/*
 * Loads traces into an SQLite database.  The rows of a trace, which come in any
 * order, are kept in temporary tables.  At the end of the trace its transaction
 * begins, with BEGIN IMMEDIATE: other programs cannot add rows meanwhile, and
 * so cannot take the ids that the rows get.
 */

struct load {
	struct filter *f;
	struct database database;
	struct merge merge;
	sqlite3_stmt *insert[N_TABLES];
	bool in_trace;
	bool is_merged;		/* the temporary tables have rows of a trace
				   that ended */
	uint64_t n_rejected, n_dropped;	/* rows of the last trace */
};

void load_open(struct load *, struct filter *, const char *path);
void load_close(struct load *);

void load_row(struct load *, enum table_id, const struct rec *);

/* Commits the rows of a trace, or forgets them if the digest is NULL. */
void load_trace(struct load *, const char *digest);

/* --- value.c ------------------------------------------------------------- */

/* A value in a row.  The column's type determines which member holds it. */
struct value {
	bool is_null;
	int64_t integer;	/* BIGINT, INT, BOOLEAN */
	double real;		/* DOUBLE */
	struct span text;	/* TEXT, JSON; borrowed from the record */
};

/*
 * Reads the value of a column.  If it is missing, *value is the column's
 * default or null.  If it breaks a rule of the column, rejects the row and
 * returns false.
 */
bool value_read(struct value *, struct filter *, const struct rec *,
    enum table_id, size_t column);
