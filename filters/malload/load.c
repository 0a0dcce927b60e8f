/* load - loads traces into an SQLite database */

#include <stdio.h>

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/malload/references.h"
#include "filters/malload/load.h"
#include "filters/malload/replace.h"
#include "filters/malload/value.h"

static void
prepare(struct load *l, sqlite3_stmt **s, const char *sql)
{
	if (sqlite3_prepare_v3(l->database.handle, sql, -1,
	    SQLITE_PREPARE_PERSISTENT, s, NULL) != SQLITE_OK)
		database_fail(&l->database);
}

void
load_open(struct load *l, struct filter *f, const char *path)
{
	struct buf b = { 0 };

	*l = (struct load){ .trace.f = f, .trace.database = &l->database };
	database_open(&l->database, path);
	references_init(&l->trace);
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++) {
		b.len = 0;
		buf_printf(&b, "INSERT INTO \"%s\" VALUES (", tables[t].name);
		for (size_t i = 0; i < tables[t].n_columns; i++)
			buf_str(&b, i > 0 ? ", ?" : "?");
		buf_str(&b, ")");
		prepare(l, &l->insert[t], t == MAL_TYPE ? REFERENCE_ADD_TYPE :
		    buf_cstr(&b));
	}
	prepare(l, &l->same_type, REFERENCE_SAME_TYPE);
	prepare(l, &l->same_execution, REFERENCE_SAME_EXECUTION);
	buf_release(&b);
}

void
load_close(struct load *l)
{
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		sqlite3_finalize(l->insert[t]);
	sqlite3_finalize(l->same_type);
	sqlite3_finalize(l->same_execution);
	database_close(&l->database);
}

/*
 * Finds the first id that the trace has for a table, and by how much its ids
 * are shifted.  r is the trace record, which states the first id of each table
 * whose ids do not begin at 1; NULL: all begin at 1.  Example: the database has
 * events up to 500.  If the trace's events begin at 1, they are shifted by 500;
 * if they begin at 501 or later, they keep their ids.
 */
static void
find_shift(struct load *l, enum table_id t, const struct rec *r)
{
	struct buf b = { 0 };

	l->trace.first[t] = 1;
	if (!schema_has_id(t))
		return;
	if (r != NULL)
		rec_int(r, schema_key_index(t, 0), &l->trace.first[t]);
	buf_printf(&b, "SELECT max(\"%s\") FROM \"%s\"",
	    tables[t].columns[0].name, tables[t].name);
	l->trace.last_before[t] = database_get_number(&l->database,
	    buf_cstr(&b));
	l->shift[t] = l->trace.first[t] > l->trace.last_before[t] ? 0 :
	    l->trace.last_before[t] + 1 - l->trace.first[t];
	buf_release(&b);
}

static void
begin_trace(struct load *l, const struct rec *r)
{
	l->in_trace = true;
	l->n_begun = filter_n_begun(l->trace.f);
	l->n_read = 0;
	l->trace.n_rows = l->trace.n_rejected = l->trace.n_dropped =
	    l->trace.n_replaced = 0;
	sha1_init(&l->digest);
	database_run(&l->database, "BEGIN IMMEDIATE");
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		find_shift(l, t, r);
	/* references_finish() translates the ids of types. */
	l->shift[MAL_TYPE] = 0;
	l->trace.last_before[REJECTED_PROFILER_EVENT] = database_get_number(
	    &l->database, "SELECT max(rowid) FROM rejected_profiler_event");
}

static void
emit_loaded(struct load *l, int64_t trace_id, bool existed)
{
	struct buf *b = filter_begin_record(l->trace.f, "loaded");

	json_int(b, "trace_id", trace_id);
	json_uint(b, "rows", existed ? 0 : l->trace.n_rows);
	if (!existed && l->trace.n_rejected > 0)
		json_uint(b, "rejected", l->trace.n_rejected);
	if (!existed && l->trace.n_dropped > 0)
		json_uint(b, "dropped", l->trace.n_dropped);
	if (!existed && l->trace.n_replaced > 0)
		json_uint(b, "replaced", l->trace.n_replaced);
	if (existed)
		json_true(b, "existed");
	filter_end_record(l->trace.f);
	/* The trace is committed: report that even if a later one fails. */
	output_flush(&l->trace.f->out);
}

void
load_end(struct load *l)
{
	unsigned char sum[SHA1_DIGEST_SIZE];
	char digest[2 * SHA1_DIGEST_SIZE + 1], sql[160];
	int64_t trace_id;
	bool existed;

	if (!l->in_trace)
		return;
	l->in_trace = false;
	if (l->n_read == 0 || l->trace.f->truncated) {
		database_run(&l->database, "ROLLBACK");
		return;
	}

	sha1_digest(&l->digest, sizeof sum, sum);
	hex_encode(digest, sum, sizeof sum);
	snprintf(sql, sizeof sql, "SELECT trace_id FROM trace "
	    "WHERE digest = '%s'", digest);
	trace_id = database_get_number(&l->database, sql);
	existed = trace_id != 0;
	if (existed) {
		database_run(&l->database, "ROLLBACK");
		err_warn("warning: this trace is in '%s' already; nothing was "
		    "added", l->database.path);
	} else {
		l->trace.n_replaced = replace_partial(&l->trace);
		references_finish(&l->trace);
		snprintf(sql, sizeof sql, "INSERT INTO trace (digest, rows) "
		    "VALUES ('%s', %llu)", digest,
		    (unsigned long long)l->trace.n_rows);
		database_run(&l->database, sql);
		trace_id = sqlite3_last_insert_rowid(l->database.handle);
		database_run(&l->database, "COMMIT");
	}

	emit_loaded(l, trace_id, existed);
}

void
load_trace(struct load *l, const struct rec *r)
{
	/*
	 * load_end() does not notice that this trace was truncated, because the
	 * filter sets `truncated` only at the end of the input.
	 */
	if (l->in_trace && !filter_have_ended(l->trace.f, l->n_begun)) {
		l->in_trace = false;
		database_run(&l->database, "ROLLBACK");
		filter_fail(l->trace.f, "a trace is truncated and was not "
		    "loaded: another one begins before the end record");
	}
	load_end(l);
	begin_trace(l, r);
}

/*
 * Shifts an id of the trace, or a reference to one.  If the id is not one of
 * the trace, rejects the row and returns false.
 */
static bool
shift_id(struct load *l, const struct column *c, enum table_id t,
    struct value *v)
{
	enum table_id owner = (c->rules & ID) != 0 ? t : c->parent;

	if (owner == NO_TABLE || owner == MAL_TYPE || v->is_null)
		return true;
	if (v->integer < l->trace.first[owner] || v->integer >
	    (INT64_C(1) << REC_INT_BITS)) {
		filter_reject(l->trace.f,
		    "%s: %s %lld is not an id of this trace", tables[t].name,
		    c->name, (long long)v->integer);
		return false;
	}
	v->integer += l->shift[owner];
	return true;
}

static void
bind(sqlite3_stmt *s, int parameter, const struct column *c,
    const struct value *v)
{
	if (v->is_null)
		sqlite3_bind_null(s, parameter);
	else if (c->type == DOUBLE)
		sqlite3_bind_double(s, parameter, v->real);
	else if (c->type == TEXT || c->type == JSON)
		sqlite3_bind_text64(s, parameter,
		    v->text.n > 0 ? v->text.p : "", v->text.n, SQLITE_STATIC,
		    SQLITE_UTF8);
	else
		sqlite3_bind_int64(s, parameter, v->integer);
}

/* Binds the columns of the row, or as many as the statement has parameters. */
static bool
bind_row(struct load *l, sqlite3_stmt *s, enum table_id t,
    const struct rec *r)
{
	const struct column *c = tables[t].columns;
	int n = sqlite3_bind_parameter_count(s);
	struct value v;

	for (int i = 0; i < n; i++, c++) {
		if (!value_read(&v, l->trace.f, r, t, (size_t)i) ||
		    !shift_id(l, c, t, &v))
			return false;
		bind(s, i + 1, c, &v);
	}
	return true;
}

/* Runs a prepared statement; false if it violates a key. */
static bool
step(struct load *l, sqlite3_stmt *s)
{
	int status = sqlite3_step(s);

	sqlite3_reset(s);
	if (status != SQLITE_DONE && status != SQLITE_CONSTRAINT)
		database_fail(&l->database);
	return status == SQLITE_DONE;
}

/* Inserts an event whose key exists already into rejected_profiler_event. */
static void
reject_event(struct load *l, const struct rec *r)
{
	enum table_id t = REJECTED_PROFILER_EVENT;

	if (!bind_row(l, l->insert[t], t, r))
		return;
	/* The last column is the reason. */
	sqlite3_bind_text(l->insert[t], (int)tables[t].n_columns,
	    REASON_DUPLICATE, -1, SQLITE_STATIC);
	if (step(l, l->insert[t]))
		l->trace.n_rejected++;
}

/* Runs one of the statements of references.h; true if it added a row. */
static bool
relate(struct load *l, sqlite3_stmt *s)
{
	return step(l, s) && sqlite3_changes(l->database.handle) > 0;
}

static bool
add_type(struct load *l, const struct rec *r)
{
	if (!bind_row(l, l->same_type, MAL_TYPE, r) ||
	    !bind_row(l, l->insert[MAL_TYPE], MAL_TYPE, r))
		return false;
	step(l, l->insert[MAL_TYPE]);
	if (relate(l, l->same_type))
		return true;
	filter_reject(l->trace.f, "mal_type: type_id occurs twice");
	return false;
}

/* True if the row was added, or merged with a row of another trace. */
static bool
add_row(struct load *l, enum table_id t, const struct rec *r)
{
	if (t == MAL_TYPE)
		return add_type(l, r);
	if (!bind_row(l, l->insert[t], t, r))
		return false;
	if (step(l, l->insert[t]))
		return true;
	/* Another id may have the same session, client and tag. */
	if (t == MAL_EXECUTION && bind_row(l, l->same_execution, t, r) &&
	    relate(l, l->same_execution))
		return true;
	if (t == MAL_EXECUTION)
		filter_reject(l->trace.f,
		    "mal_execution: execution_id occurs twice");
	else if (t == PROFILER_EVENT)
		reject_event(l, r);
	else
		filter_reject(l->trace.f,
		    "%s: a row with this key exists already", tables[t].name);
	return false;
}

void
load_row(struct load *l, enum table_id t, const struct rec *r,
    struct span line)
{
	if (!l->in_trace)
		begin_trace(l, NULL);
	/* Without the line's ending, which differs between files. */
	while (line.n > 0 && (line.p[line.n - 1] == '\n' ||
	    line.p[line.n - 1] == '\r'))
		line.n--;
	sha1_update(&l->digest, line.n, (const uint8_t *)line.p);
	sha1_update(&l->digest, 1, (const uint8_t *)"\n");
	l->n_read++;
	l->trace.n_rows += add_row(l, t, r);
}
