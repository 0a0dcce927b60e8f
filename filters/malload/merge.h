#pragma once

#include "common/base/buf.h"
#include "filters/malload/schema.h"

/*
 * The SQL that adds a trace to a database.  SQLite, PostgreSQL and DuckDB
 * accept the same text.
 *
 * The rows of the trace are first inserted as they were read into temporary
 * tables (new_server and so on).  The steps then add them to the tables, in the
 * order of enum table_id:
 *
 * - Ids of the trace are shifted: the greatest id that the table had before is
 *   added to each.
 * - A row that has the key of an older one (see merge.c) is not added: both are
 *   the same row, and references to the new one become references to the old.
 *   An event must also have the same times, or else it is rejected.
 * - Rows that refer to rows that the trace does not have are removed: events
 *   are moved to rejected_profiler_event, others are deleted.
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
void merge_release(struct merge *);

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
