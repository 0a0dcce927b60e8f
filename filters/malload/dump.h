#ifndef MALLOAD_DUMP_H
#define MALLOAD_DUMP_H

#include "common/io/output.h"
#include "filters/malload/schema.h"

/*
 * Writes rows as SQL or CSV, for databases other than SQLite.  Ids are written
 * as they were read, and the database has to check keys.  A row must be written
 * before those that refer to it, but rows are read in any order.  So the SQL of
 * each table is kept in a temporary file until all rows have been read.
 */
struct filter;
struct rec;

struct dump {
	struct filter *f;
	const char *directory;		/* for CSV; NULL: write SQL */
	struct output files[N_TABLES];	/* for SQL temporary ones */
	struct buf path[N_TABLES];	/* of the CSV files */
	uint64_t n_rows[N_TABLES];	/* in these files */
};

void dump_open(struct dump *, struct filter *, const char *directory);
void dump_row(struct dump *, enum table_id, const struct rec *);

/* Writes what was kept, or nothing if the input was truncated. */
void dump_close(struct dump *);

#endif
