#ifndef MALLOAD_DUMP_H
#define MALLOAD_DUMP_H

#include "common/io/output.h"
#include "filters/malload/schema.h"

/*
 * Rows as SQL or CSV for databases other than SQLite.  Ids are written as they
 * are; keys are the database's to check.  As rows come in any order, but what
 * is referred to must be there first, SQL waits in temporary files, one for
 * each table, until all is read.
 */
struct filter;
struct rec;

struct dump {
	struct filter *f;
	const char *directory;		/* for CSV, or NULL */
	struct output csv[N_TABLES];
	struct buf path[N_TABLES];	/* of the CSV files */
	void *spool[N_TABLES];		/* temporary FILEs, or NULL */
	uint64_t n_rows[N_TABLES];
	struct buf row;
};

void dump_open(struct dump *, struct filter *, const char *directory);
void dump_row(struct dump *, enum table_id, const struct rec *);
void dump_close(struct dump *);

#endif
