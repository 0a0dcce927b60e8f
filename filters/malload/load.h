#ifndef MALLOAD_LOAD_H
#define MALLOAD_LOAD_H

#include <nettle/sha1.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"
#include "filters/malload/references.h"
#include "filters/malload/database.h"
#include "filters/malload/schema.h"

/*
 * Loads traces into an SQLite database, each in one transaction: whatever
 * happens, the database has either all of a trace or nothing of it.
 *
 * The transaction begins before the first row, with BEGIN IMMEDIATE: other
 * programs cannot add rows meanwhile, and so cannot take the ids that the rows
 * of the trace get.  It ends with COMMIT if the trace is new, and with ROLLBACK
 * if the database has a trace with the same digest (the SHA-1 of the lines of
 * its rows).
 *
 * Each table of the database has its own ids.  If those of the trace are not
 * greater than all ids that the table already has, they are shifted: the same
 * number is added to each, so that they follow the old ids, and references to
 * them change in the same way.  A row may refer only to rows of the same trace,
 * and to types, which all traces share.
 *
 * Rows come in any order, so foreign keys are checked at the end of the trace.
 */
struct filter;
struct rec;

struct load {
	struct database database;
	sqlite3_stmt *insert[N_TABLES];
	sqlite3_stmt *same_type, *same_execution;	/* see references.h */
	bool in_trace;
	int64_t n_begun;		/* streams begun when the trace began;
					   all must have ended when it is
					   committed */
	struct trace trace;
	int64_t shift[N_TABLES];	/* added to ids of the trace */
	uint64_t n_read;		/* rows of the trace so far, also those
					   that were not added */
	struct sha1_ctx digest;		/* of the lines of these rows */
};

void load_open(struct load *, struct filter *, const char *path);
void load_close(struct load *);

/*
 * Commits the previous trace if its stream has ended, and begins the one that
 * this record announces.
 */
void load_trace(struct load *, const struct rec *);

/* Adds a row to a table; line is the text of the row, for the digest. */
void load_row(struct load *, enum table_id, const struct rec *,
    struct span line);

/* Commits the last trace, or rolls it back if the input was truncated. */
void load_end(struct load *);

#endif
