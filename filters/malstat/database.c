/* database - reads the rows of traces from a database that malload filled */

#include <errno.h>
#include <sqlite3.h>

#include "common/base/err.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/json/recio.h"
#include "filters/malstat/malstat.h"

enum { BUSY_MS = 60000 };	/* how long to wait for a lock of malload */

/* The columns have the names of the keys that executions_add() reads. */
static const char *const selects[] = {
	"SELECT 'mal_execution' AS type, execution_id, server_session, "
	    "client, tag, user_function FROM mal_execution",
	"SELECT 'profiler_event' AS type, event_id, mal_execution_id, pc, "
	    "execution_state, relative_time, absolute_time, local_time, "
	    "thread, usec, short_statement, long_statement, instruction, "
	    "mal_module "
	    "FROM profiler_event ORDER BY event_id",
	"SELECT 'query' AS type, query_text, root_execution_id FROM query",
	"SELECT 'initiates_executions' AS type, parent_id, child_id "
	    "FROM initiates_executions",
	"SELECT 'server' AS type, threads FROM server",
	"SELECT 'heartbeat' AS type, heartbeat_id, server_session, "
	    "count(cpuload_id) AS cores FROM heartbeat "
	    "LEFT JOIN cpuload USING (heartbeat_id) GROUP BY heartbeat_id",
	"SELECT 'query_phase' AS type, mal_execution_id, failed "
	    "FROM query_phase WHERE failed"
};
static const char *const selects_of_variables[] = {
	"SELECT 'event_variable_list' AS type, event_id, variable_id, "
	    "created, reassigned FROM event_variable_list",
	"SELECT 'mal_variable' AS type, variable_id, var_count, nestimate "
	    "FROM mal_variable"
};

static _Noreturn void
fail(sqlite3 *db, const char *path)
{
	/* SQLite calls a file damaged, too, from which it cannot read. */
	if (err_is_failure(errno))
		die_errno("cannot read '%s': %s", path, sqlite3_errmsg(db));
	die("cannot read '%s': %s", path, sqlite3_errmsg(db));
}

/*
 * Passes the rows of a result to executions_add() as records, without nulls.
 * Only numbers, texts and nulls occur.
 */
static void
read_select(struct trace *t, struct filter *f, sqlite3 *db, const char *path,
    const char *sql)
{
	struct recio *recio = recio_new(executions_keys);
	struct buf row = { 0 };
	const struct rec *r;
	const char *key, *why;
	sqlite3_stmt *s;

	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		fail(db, path);
	while (sqlite3_step(s) == SQLITE_ROW) {
		row.len = 0;
		buf_char(&row, '{');
		for (int i = 0; i < sqlite3_column_count(s); i++) {
			key = sqlite3_column_name(s, i);
			if (sqlite3_column_type(s, i) == SQLITE_INTEGER)
				json_int(&row, key, sqlite3_column_int64(s, i));
			else if (sqlite3_column_type(s, i) == SQLITE_FLOAT)
				json_ratio(&row, key,
				    sqlite3_column_double(s, i));
			else if (sqlite3_column_type(s, i) == SQLITE_TEXT)
				json_str(&row, key, span_of((const char *)
				    sqlite3_column_text(s, i),
				    (size_t)sqlite3_column_bytes(s, i)));
		}
		buf_char(&row, '}');

		f->current = buf_span(&row);
		r = recio_parse(recio, f->current, &why);
		if (r != NULL)
			executions_add(t, f, r);
		else
			filter_reject(f, "%s", why);
	}
	if (sqlite3_finalize(s) != SQLITE_OK)
		fail(db, path);
	buf_release(&row);
	recio_free(recio);
}

void
trace_read_database(struct trace *t, struct filter *f, const char *path)
{
	sqlite3 *db;

	errno = 0;
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) !=
	    SQLITE_OK)
		fail(db, path);
	sqlite3_busy_timeout(db, BUSY_MS);
	f->input.name = path;
	for (size_t i = 0; i < sizeof selects / sizeof *selects; i++)
		read_select(t, f, db, path, selects[i]);
	for (size_t i = 0; t->has_variables && i < 2; i++)
		read_select(t, f, db, path, selects_of_variables[i]);
	sqlite3_close(db);
}
