/* load - traces into an SQLite database */

#include <stdio.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/frame/filter.h"
#include "filters/malload/check.h"
#include "filters/malload/load.h"
#include "filters/malload/value.h"

static void
prepare_insert(struct load *l, enum table_id t)
{
	struct buf b = { 0 };

	buf_printf(&b, "INSERT INTO \"%s\" VALUES (", tables[t].name);
	for (size_t i = 0; i < tables[t].n_columns; i++)
		buf_str(&b, i > 0 ? ", ?" : "?");
	buf_str(&b, ")");
	if (sqlite3_prepare_v3(l->database.handle, b.data, (int)b.len,
	    SQLITE_PREPARE_PERSISTENT, &l->insert[t], NULL) != SQLITE_OK)
		database_fail(&l->database);
	buf_release(&b);
}

void
load_open(struct load *l, struct filter *f, const char *path)
{
	*l = (struct load){ .trace.f = f, .trace.database = &l->database };
	database_open(&l->database, path);
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		prepare_insert(l, t);
}

void
load_close(struct load *l)
{
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		sqlite3_finalize(l->insert[t]);
	database_close(&l->database);
}

/* Where the ids of a table begin: the record says so if it is not 1. */
static void
place_ids(struct load *l, enum table_id t, const struct rec *r)
{
	struct buf b = { 0 };

	l->trace.first[t] = 1;
	if (!table_has_id(t))
		return;
	if (r != NULL)
		rec_int(r, schema_key(t, 0), &l->trace.first[t]);
	buf_printf(&b, "SELECT max(\"%s\") FROM \"%s\"",
	    tables[t].columns[0].name, tables[t].name);
	l->trace.last_before[t] = database_number(&l->database,
	    buf_cstr(&b));
	l->shift[t] = l->trace.first[t] > l->trace.last_before[t] ? 0 :
	    l->trace.last_before[t] + 1 - l->trace.first[t];
	buf_release(&b);
}

static void
begin_trace(struct load *l, const struct rec *r)
{
	l->in_trace = true;
	l->n_read = l->trace.n_rows = l->trace.n_rejected = l->trace.n_dropped = 0;
	sha1_init(&l->digest);
	database_run(&l->database, "BEGIN IMMEDIATE");
	check_begin(&l->trace);
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		place_ids(l, t, r);
	l->shift[MAL_TYPE] = 0;
	l->trace.last_before[REJECTED_PROFILER_EVENT] = database_number(&l->database,
	    "SELECT max(rowid) FROM rejected_profiler_event");
}

static void
emit_loaded(struct load *l, int64_t trace, bool existed)
{
	struct buf *b = filter_out(l->trace.f);

	json_begin(b, "loaded");
	json_int(b, "trace_id", trace);
	json_uint(b, "rows", existed ? 0 : l->trace.n_rows);
	if (!existed && l->trace.n_rejected > 0)
		json_uint(b, "rejected", l->trace.n_rejected);
	if (!existed && l->trace.n_dropped > 0)
		json_uint(b, "dropped", l->trace.n_dropped);
	if (existed)
		json_true(b, "existed");
	json_end(b);
	/* It is true now, whatever happens next. */
	output_flush(&l->trace.f->out);
}

/* The trace that has this digest; 0 if none has. */
static int64_t
find_trace(struct load *l, const char *digest)
{
	char sql[128];

	snprintf(sql, sizeof sql, "SELECT trace_id FROM trace "
	    "WHERE digest = '%s'", digest);
	return database_number(&l->database, sql);
}

static void
remember_trace(struct load *l, const char *digest)
{
	char sql[160];

	snprintf(sql, sizeof sql, "INSERT INTO trace (digest, rows) "
	    "VALUES ('%s', %llu)", digest, (unsigned long long)l->trace.n_rows);
	database_run(&l->database, sql);
}

static void
end_trace(struct load *l)
{
	unsigned char sum[SHA1_DIGEST_SIZE];
	char digest[2 * SHA1_DIGEST_SIZE + 1];
	int64_t trace;

	if (!l->in_trace)
		return;
	l->in_trace = false;
	if (l->n_read == 0) {
		database_run(&l->database, "ROLLBACK");
		return;
	}
	sha1_digest(&l->digest, sizeof sum, sum);
	hex_encode(digest, sum, sizeof sum);
	trace = find_trace(l, digest);
	if (trace != 0) {
		database_run(&l->database, "ROLLBACK");
		err_warn("warning: this trace is in '%s' already: nothing was "
		    "added", l->database.path);
	} else {
		check_finish(&l->trace);
		remember_trace(l, digest);
		database_run(&l->database, "COMMIT");
	}
	emit_loaded(l, trace != 0 ? trace : find_trace(l, digest),
	    trace != 0);
}

/* The line as it is, but for its end, which differs between files. */
static void
digest_line(struct load *l, struct span line)
{
	while (line.n > 0 && (line.p[line.n - 1] == '\n' ||
	    line.p[line.n - 1] == '\r'))
		line.n--;
	sha1_update(&l->digest, line.n, (const uint8_t *)line.p);
	sha1_update(&l->digest, 1, (const uint8_t *)"\n");
}

void
load_trace(struct load *l, const struct rec *r)
{
	end_trace(l);
	begin_trace(l, r);
}

void
load_end(struct load *l)
{
	end_trace(l);
}

/* An id of the trace, or what refers to one, as the database has it. */
static bool
move_id(struct load *l, const struct column *c, enum table_id t,
    struct value *v)
{
	enum table_id of = (c->rules & ID) != 0 ? t : c->parent;

	if (of == NO_TABLE || of == MAL_TYPE || v->is_null)
		return true;
	if (v->integer < l->trace.first[of] || v->integer >
	    (INT64_C(1) << REC_INT_BITS)) {
		filter_reject(l->trace.f, "%s: %s %lld is none of this trace's",
		    tables[t].name, c->name, (long long)v->integer);
		return false;
	}
	v->integer += l->shift[of];
	return true;
}

static void
bind(sqlite3_stmt *s, int place, const struct column *c,
    const struct value *v)
{
	if (v->is_null)
		sqlite3_bind_null(s, place);
	else if (c->type == DOUBLE)
		sqlite3_bind_double(s, place, v->real);
	else if (c->type == TEXT || c->type == JSON)
		sqlite3_bind_text64(s, place, v->text.n > 0 ? v->text.p : "",
		    v->text.n, SQLITE_STATIC, SQLITE_UTF8);
	else
		sqlite3_bind_int64(s, place, v->integer);
}

static bool
bind_row(struct load *l, enum table_id t, const struct rec *r)
{
	const struct column *c = tables[t].columns;
	struct value v;

	for (size_t i = 0; i < tables[t].n_columns; i++, c++) {
		if (!value_read(&v, l->trace.f, r, t, i) || !move_id(l, c, t, &v))
			return false;
		bind(l->insert[t], (int)i + 1, c, &v);
	}
	return true;
}

/* The statement is run; false if a key stood against it. */
static bool
step(struct load *l, sqlite3_stmt *s)
{
	int status = sqlite3_step(s);

	sqlite3_reset(s);
	if (status != SQLITE_DONE && status != SQLITE_CONSTRAINT)
		database_fail(&l->database);
	return status == SQLITE_DONE;
}

/* An event that is there already is kept apart, with the reason. */
static void
keep_apart(struct load *l, const struct rec *r)
{
	static const char reason[] = "there is such an event of this "
	    "execution, pc, state and iteration";
	enum table_id t = REJECTED_PROFILER_EVENT;

	if (!bind_row(l, t, r))
		return;
	sqlite3_bind_text(l->insert[t], (int)tables[t].n_columns, reason, -1,
	    SQLITE_STATIC);
	if (step(l, l->insert[t]))
		l->trace.n_rejected++;
}

/*
 * Runs a statement whose parameters are the first four columns of the row;
 * returns how many rows it added.
 */
static int
run_for(struct load *l, const char *sql, enum table_id t, const struct rec *r)
{
	const struct column *c = tables[t].columns;
	sqlite3_stmt *s;
	struct value v;
	bool done;

	if (sqlite3_prepare_v2(l->database.handle, sql, -1, &s, NULL) != SQLITE_OK)
		database_fail(&l->database);
	for (int i = 0; i < 4; i++, c++) {
		value_read(&v, l->trace.f, r, t, (size_t)i);
		move_id(l, c, t, &v);
		bind(s, i + 1, c, &v);
	}
	done = step(l, s);
	sqlite3_finalize(s);
	return done ? sqlite3_changes(l->database.handle) : 0;
}

/* An execution that the database has from another trace becomes that one. */
static bool
merge_execution(struct load *l, const struct rec *r)
{
	if (run_for(l, CHECK_SAME_EXECUTION, MAL_EXECUTION, r) > 0)
		return true;
	filter_reject(l->trace.f, "mal_execution: execution_id comes twice");
	return false;
}

static bool
add_type(struct load *l, const struct rec *r)
{
	struct value v;

	for (size_t i = 0; i < tables[MAL_TYPE].n_columns; i++)
		if (!value_read(&v, l->trace.f, r, MAL_TYPE, i))
			return false;
	run_for(l, CHECK_ADD_TYPE, MAL_TYPE, r);
	if (run_for(l, CHECK_SAME_TYPE, MAL_TYPE, r) > 0)
		return true;
	filter_reject(l->trace.f, "mal_type: type_id comes twice");
	return false;
}

/* True if the database has the row now, or the same from another trace. */
static bool
take_row(struct load *l, enum table_id t, const struct rec *r)
{
	if (t == MAL_TYPE)
		return add_type(l, r);
	if (!bind_row(l, t, r))
		return false;
	if (step(l, l->insert[t]))
		return true;
	if (t == MAL_EXECUTION)
		return merge_execution(l, r);
	if (t == PROFILER_EVENT)
		keep_apart(l, r);
	else
		filter_reject(l->trace.f, "%s: a row with this key is there already",
		    tables[t].name);
	return false;
}

void
load_row(struct load *l, enum table_id t, const struct rec *r,
    struct span line)
{
	if (!l->in_trace)
		begin_trace(l, NULL);
	digest_line(l, line);
	l->n_read++;
	l->trace.n_rows += take_row(l, t, r);
}
