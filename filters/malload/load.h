#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "filters/malload/database.h"
#include "filters/malload/merge.h"

/*
 * Loads traces into an SQLite database, each in one transaction: whatever
 * happens, the database has either all of a trace or nothing of it.
 *
 * The rows of a trace, which come in any order, are kept in temporary tables.
 * At the end of the trace the transaction begins, with BEGIN IMMEDIATE: other
 * programs cannot add rows meanwhile, and so cannot take the ids that the rows
 * get.  Nothing is added if the database has a trace with the same digest.
 */
struct filter;
struct rec;

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
