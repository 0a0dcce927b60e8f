#pragma once

#include "common/io/output.h"
#include "filters/malload/merge.h"
#include "filters/malload/schema.h"

/*
 * Writes traces as SQL or CSV, for databases other than SQLite.  The statements
 * of merge.h add them to the tables.  Statements that insert rows of one table
 * after the other are the fastest, but rows are read in any order.  So the SQL
 * of each table is kept in a temporary file until the trace ends.
 */
struct filter;
struct rec;

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
