#ifndef MALLOAD_DUMP_H
#define MALLOAD_DUMP_H

#include <stdio.h>

#include "common/io/output.h"
#include "filters/malload/schema.h"

/*
 * Writes rows as SQL or CSV, for databases other than SQLite.  Ids are written
 * as they were read, and the database has to check keys.  It needs a row before
 * those that refer to it, but rows come in any order: so the SQL of each table
 * is kept in a temporary file until all rows have been read.
 */
struct filter;
struct rec;

struct dump {
	struct filter *f;
	const char *directory;		/* for CSV; NULL: write SQL */
	struct output csv[N_TABLES];
	struct buf path[N_TABLES];	/* of the CSV files */
	FILE *spool[N_TABLES];		/* temporary files, or NULL */
	uint64_t n_rows[N_TABLES];
	struct buf row;			/* the current one, as text */
};

void dump_open(struct dump *, struct filter *, const char *directory);
void dump_row(struct dump *, enum table_id, const struct rec *);
void dump_close(struct dump *);

#endif
