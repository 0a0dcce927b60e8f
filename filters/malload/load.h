#ifndef MALLOAD_LOAD_H
#define MALLOAD_LOAD_H

#include <nettle/sha1.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"
#include "filters/malload/check.h"
#include "filters/malload/database.h"
#include "filters/malload/schema.h"

/*
 * Loads traces into an SQLite database, each in one transaction: whatever
 * happens, the database has either all of a trace or nothing of it.
 *
 * The transaction begins before the first row, with BEGIN IMMEDIATE: other
 * programs cannot add rows meanwhile, so the ids that the trace gets stay free.
 * It ends with COMMIT if the trace is new, and with ROLLBACK if the database
 * has a trace with the same digest (the SHA-1 of all lines).
 *
 * If ids of a table are in use already, the same number is added to all ids
 * that the trace has for this table (they are shifted), so that they follow
 * those in the database, and references change with them.  A reference must be
 * to a row of the same trace, except to types, which all traces share.
 *
 * Rows come in any order, so foreign keys are checked at the end of the trace.
 */
struct filter;
struct rec;

struct load {
	struct database database;
	sqlite3_stmt *insert[N_TABLES];
	bool in_trace;
	struct trace trace;
	int64_t shift[N_TABLES];	/* added to ids of the trace */
	uint64_t n_read;		/* rows of the trace */
	struct sha1_ctx digest;		/* of the lines of these rows */
};

void load_open(struct load *, struct filter *, const char *path);
void load_close(struct load *);

/* Commits the previous trace, and begins the one of this trace record. */
void load_trace(struct load *, const struct rec *);

/* Adds a row of a table; line is its text, for the digest. */
void load_row(struct load *, enum table_id, const struct rec *,
    struct span line);

/* Commits the last trace. */
void load_end(struct load *);

#endif
