/* load - loads traces into an SQLite database */

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/malload/malload.h"

/* Runs the statements that were written to b, and empties it. */
static void
run(struct load *l, struct buf *b)
{
	database_run(&l->database, buf_cstr(b));
	b->len = 0;
}

void
load_open(struct load *l, struct filter *f, const char *path)
{
	struct buf b = { 0 };

	*l = (struct load){ .f = f };
	database_open(&l->database, path);
	merge_init(&l->merge);
	merge_put_begin(&b, SQLITE);
	run(l, &b);
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++) {
		b.len = 0;
		buf_printf(&b, "INSERT INTO new_%s VALUES (", tables[t].name);
		for (size_t i = 0; i < tables[t].n_columns; i++)
			buf_str(&b, i > 0 ? ", ?" : "?");
		buf_str(&b, ")");
		if (sqlite3_prepare_v3(l->database.handle, buf_cstr(&b), -1,
		    SQLITE_PREPARE_PERSISTENT, &l->insert[t], NULL) !=
		    SQLITE_OK)
			database_fail(&l->database);
	}
	buf_release(&b);
}

void
load_close(struct load *l)
{
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		sqlite3_finalize(l->insert[t]);
	database_close(&l->database);
}

/* SQLite copies a whole table much faster than the rows of a view. */
static void
run_step(struct load *l, struct step *s)
{
	struct buf b = { 0 };
	bool keeps_ids = false;

	if (s->count == COPY) {
		merge_put_keeps_ids(&b, s->table);
		keeps_ids = database_get_number(&l->database, buf_cstr(&b));
		b.len = 0;
		buf_printf(&b, "INSERT INTO %s SELECT * FROM new_%s",
		    tables[s->table].name, tables[s->table].name);
	}
	database_run(&l->database, buf_cstr(keeps_ids ? &b : &s->sql));
	buf_release(&b);
}

/* Adds the rows of the trace to the tables, and reports what was left out. */
static void
add_rows(struct load *l)
{
	uint64_t n_dropped[N_TABLES] = { 0 }, n;
	struct step *s = l->merge.steps;

	l->n_dropped = 0;
	for (; s < l->merge.steps + l->merge.n; s++) {
		run_step(l, s);
		n = (uint64_t)sqlite3_changes64(l->database.handle);
		if (s->count == COUNT_DROPPED)
			n_dropped[s->table] += n;
		if (s->count == COUNT_REJECTED)
			l->n_rejected = n;
		if (s->count == COUNT_UNTYPED && n > 0)
			filter_fail(l->f, "%llu row%s of mal_variable %s an "
			    "unknown type_id, which was set to null",
			    (unsigned long long)n, plural(n, "", "s"),
			    plural(n, "has", "have"));
	}
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++) {
		n = n_dropped[t];
		l->n_dropped += n;
		if (n > 0)
			filter_fail(l->f, n == 1 ? "%llu row of %s refers to "
			    "missing rows and was left out" : "%llu rows of %s "
			    "refer to missing rows and were left out",
			    (unsigned long long)n, tables[t].name);
	}
	if (l->n_rejected > 0)
		filter_fail(l->f, "%llu events were moved to "
		    "rejected_profiler_event, with the reason",
		    (unsigned long long)l->n_rejected);
}

void
load_trace(struct load *l, const char *digest)
{
	struct buf sql = { 0 }, *b;
	int64_t id, n_rows = 0, n_replaced = 0;
	bool existed;

	if (!l->in_trace)
		return;
	l->in_trace = false;
	if (digest == NULL) {
		database_run(&l->database, "ROLLBACK");
		return;
	}
	database_run(&l->database, "COMMIT; BEGIN IMMEDIATE");
	buf_printf(&sql, "SELECT trace_id FROM trace WHERE digest = '%s'",
	    digest);
	id = database_get_number(&l->database, buf_cstr(&sql));
	existed = id != 0;
	sql.len = 0;
	if (existed) {
		merge_put_refusal(&sql, digest);
		run(l, &sql);
		err_warn("warning: this trace is in '%s' already; nothing was "
		    "added", l->database.path);
	} else {
		add_rows(l);
		merge_put_trace(&sql, digest);
		run(l, &sql);
		id = sqlite3_last_insert_rowid(l->database.handle);
		n_rows = database_get_number(&l->database,
		    "SELECT rows FROM trace ORDER BY trace_id DESC LIMIT 1");
		n_replaced = database_get_number(&l->database,
		    "SELECT count(*) FROM whole");
		l->is_merged = true;
	}
	database_run(&l->database, "COMMIT");

	b = filter_begin_record(l->f, "loaded");
	json_int(b, "trace_id", id);
	json_int(b, "rows", n_rows);
	if (!existed && l->n_rejected > 0)
		json_uint(b, "rejected", l->n_rejected);
	if (!existed && l->n_dropped > 0)
		json_uint(b, "dropped", l->n_dropped);
	if (n_replaced > 0)
		json_int(b, "replaced", n_replaced);
	json_flag(b, "existed", existed);
	filter_end_record(l->f);
	/* The trace is committed: report that even if a later one fails. */
	output_flush(&l->f->out);
	buf_release(&sql);
}

void
load_row(struct load *l, enum table_id t, const struct rec *r)
{
	const struct column *c = tables[t].columns;
	sqlite3_stmt *s = l->insert[t];
	struct buf b = { 0 };
	struct value v;
	int status;

	if (!l->in_trace) {
		if (l->is_merged) {
			merge_put_end(&b);
			merge_put_begin(&b, SQLITE);
		}
		buf_str(&b, "BEGIN");
		run(l, &b);
		buf_release(&b);
		l->in_trace = true;
		l->is_merged = false;
	}
	for (int i = 0; i < (int)tables[t].n_columns; i++, c++) {
		if (!value_read(&v, l->f, r, t, (size_t)i))
			return;
		if (v.is_null)
			sqlite3_bind_null(s, i + 1);
		else if (c->type == DOUBLE)
			sqlite3_bind_double(s, i + 1, v.real);
		else if (c->type == TEXT || c->type == JSON)
			sqlite3_bind_text64(s, i + 1, v.text.n > 0 ? v.text.p :
			    "", v.text.n, SQLITE_STATIC, SQLITE_UTF8);
		else
			sqlite3_bind_int64(s, i + 1, v.integer);
	}
	status = sqlite3_step(s);
	sqlite3_reset(s);
	if (status == SQLITE_CONSTRAINT)
		filter_reject(l->f, "%s: a row with this key exists already",
		    tables[t].name);
	else if (status != SQLITE_DONE)
		database_fail(&l->database);
}
