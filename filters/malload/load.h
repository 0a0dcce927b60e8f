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
 * Loads traces into an SQLite database, each in one transaction.
 *
 * Ids of a trace that are in use already are moved up by one number for each
 * table, so that all of a trace's ids of a table follow those before.  What
 * refers to a row is moved alike; it must be a row of the same trace, but for
 * types, which are the database's own.
 *
 * Keys are checked when all rows are there, as they may come in any order.
 */
struct filter;
struct rec;

struct load {
	struct database database;
	sqlite3_stmt *insert[N_TABLES];
	bool in_trace;
	struct trace trace;
	int64_t shift[N_TABLES];	/* ids of the trace are moved by this */
	uint64_t n_read;		/* rows of the trace */
	struct sha1_ctx digest;
};

void load_open(struct load *, struct filter *, const char *path);
void load_close(struct load *);

/* A trace begins: the one before it ends. */
void load_trace(struct load *, const struct rec *);

/* A row of a table, and the line that it came in. */
void load_row(struct load *, enum table_id, const struct rec *,
    struct span line);

/* The last trace ends. */
void load_end(struct load *);

#endif
