/* dump - writes rows as SQL or CSV */

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/filter/filter.h"
#include "filters/malload/malload.h"

enum { ROWS_PER_INSERT_MAX = 500 };	/* bounds the size of a statement */

/* The path of a file in the directory, ended by a NUL.  The caller frees it. */
static struct buf
path_in(const struct dump *d, const char *name, const char *ending)
{
	struct buf path = { 0 };

	buf_printf(&path, "%s/%s%s", d->directory, name, ending);
	buf_cstr(&path);
	return path;
}

/* Doubles quotes.  NUL, which databases reject in text, becomes U+FFFD. */
static void
put_text(struct buf *b, struct span s, char quote)
{
	buf_char(b, quote);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == quote)
			buf_char(b, quote);
		if (s.p[i] == '\0')
			buf_str(b, "\xef\xbf\xbd");
		else
			buf_char(b, s.p[i]);
	}
	buf_char(b, quote);
}

static void
put_value(struct buf *b, const struct column *c, const struct value *v,
    bool is_csv)
{
	if (v->is_null)
		buf_str(b, is_csv ? "" : "NULL");
	else if (c->type == TEXT || c->type == JSON)
		put_text(b, v->text, is_csv ? '"' : '\'');
	else if (c->type == DOUBLE)
		buf_printf(b, "%.17g", v->real);
	else if (c->type == BOOLEAN)
		buf_str(b, v->integer != 0 ? "true" : "false");
	else
		buf_i64(b, v->integer);
}

static void
open_files(struct dump *d)
{
	struct buf *b;

	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++) {
		d->n_rows[t] = 0;
		if (d->directory == NULL) {
			output_open_spool(&d->files[t]);
			continue;
		}
		/* output.c borrows the path until output_close(). */
		buf_release(&d->path[t]);
		d->path[t] = path_in(d, tables[t].name, ".csv");
		output_open(&d->files[t], d->path[t].data);
		b = &d->files[t].buf;
		for (size_t i = 0; i < tables[t].n_columns; i++) {
			buf_str(b, i > 0 ? "," : "");
			buf_str(b, tables[t].columns[i].name);
		}
		buf_char(b, '\n');
	}
}

void
dump_open(struct dump *d, struct filter *f, const char *directory,
    bool appends)
{
	*d = (struct dump){ .f = f, .directory = directory,
	    .appends = appends };
	if (directory != NULL && mkdir(directory, 0777) == -1 &&
	    errno != EEXIST)
		die_errno("cannot make '%s'", directory);
	merge_init(&d->merge);
	open_files(d);
}

/*
 * A statement is "INSERT INTO new_t VALUES\n(1,2),\n(3,4);\n", for example.
 * The ";" is written when the next one begins, or at the end.
 */
void
dump_row(struct dump *d, enum table_id t, const struct rec *r)
{
	bool is_csv = d->directory != NULL;
	bool is_first = d->n_rows[t] % ROWS_PER_INSERT_MAX == 0;
	struct buf *b = &d->files[t].buf;
	size_t start = b->len;
	struct value v;

	if (!is_csv && is_first)
		buf_printf(b, "%sINSERT INTO new_%s VALUES\n",
		    d->n_rows[t] > 0 ? ";\n" : "", tables[t].name);
	if (!is_csv)
		buf_str(b, is_first ? "(" : ",\n(");
	for (size_t i = 0; i < tables[t].n_columns; i++) {
		if (!value_read(&v, d->f, r, t, i)) {
			b->len = start;
			return;
		}
		if (i > 0)
			buf_char(b, ',');
		put_value(b, &tables[t].columns[i], &v, is_csv);
	}
	buf_char(b, is_csv ? '\n' : ')');
	output_done(&d->files[t]);
	d->n_rows[t]++;
}

static void
put_spooled_rows(struct dump *d, enum table_id t)
{
	char block[1 << 16];
	struct output *spool = &d->files[t];
	struct buf *b = filter_out(d->f);
	ssize_t n = 1;

	output_flush(spool);
	if (lseek(spool->fd, 0, SEEK_SET) != 0)
		die_errno("cannot read '%s'", spool->name);
	while (n != 0) {
		n = read(spool->fd, block, sizeof block);
		if (n < 0 && errno != EINTR)
			die_errno("cannot read '%s'", spool->name);
		if (n > 0)
			buf_add(b, block, (size_t)n);
		output_done(&d->f->out);
	}
	buf_str(b, d->n_rows[t] > 0 ? ";\n" : "");
	output_close(spool);
}

/* Writes what adds the rows in new_server and so on to the tables. */
static void
put_merge(struct dump *d, struct buf *b)
{
	const struct step *s = d->merge.steps;

	merge_put_refusal(b, d->digest);
	for (; s < d->merge.steps + d->merge.n; s++)
		buf_add(b, s->sql.data, s->sql.len);
	merge_put_trace(b, d->digest);
	merge_put_end(b);
	buf_str(b, "COMMIT;\n");
}

/*
 * Writes the script that loads the CSV files into one kind of database: for
 * each table "BEFORE table FROM 'table.csv' AFTER".
 */
static void
write_script(struct dump *d, const char *name, const char *before,
    const char *after)
{
	struct buf path = path_in(d, name, ".sql"), *b;
	struct output out;

	output_open(&out, path.data);
	b = &out.buf;
	buf_str(b, "BEGIN;\n");
	merge_put_begin(b, PORTABLE);
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		buf_printf(b, "%snew_%s FROM '%s.csv'%s\n", before,
		    tables[t].name, tables[t].name, after);
	put_merge(d, b);
	output_close(&out);
	buf_release(&path);
}

/* MonetDB has no temporary views: its script only fills empty tables. */
static void
write_monetdb_script(struct dump *d)
{
	struct buf path = path_in(d, "monetdb", ".sql");
	struct output out;
	uint64_t n = 0;

	output_open(&out, path.data);
	buf_str(&out.buf, "DELETE FROM mal_type;\n");
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++) {
		buf_printf(&out.buf, "COPY OFFSET 2 INTO \"%s\" FROM '%s.csv' "
		    "ON CLIENT USING DELIMITERS ',', E'\\n', '\"' NO ESCAPE "
		    "NULL AS '';\n", tables[t].name, tables[t].name);
		n += d->n_rows[t];
	}
	buf_printf(&out.buf, "INSERT INTO trace VALUES (1, '%s', %llu);\n",
	    d->digest, (unsigned long long)n);
	output_close(&out);
	buf_release(&path);
}

static void
abandon_files(struct dump *d)
{
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		output_abandon(&d->files[t]);
}

void
dump_trace(struct dump *d, const char *digest)
{
	struct buf *b = filter_out(d->f);

	if (d->directory != NULL && d->digest[0] != '\0')
		die("--csv takes one trace, but another one begins");
	if (digest == NULL) {
		abandon_files(d);
		open_files(d);
		return;
	}
	snprintf(d->digest, sizeof d->digest, "%s", digest);
	if (d->directory != NULL)
		return;
	buf_str(b, "BEGIN;\n");
	if (!d->appends)
		schema_put(b, PORTABLE);
	d->appends = true;
	merge_put_begin(b, PORTABLE);
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		put_spooled_rows(d, t);
	put_merge(d, b);
	open_files(d);
}

void
dump_close(struct dump *d)
{
	struct buf path;
	struct output out;

	if (d->directory == NULL || d->digest[0] == '\0' || d->f->truncated) {
		abandon_files(d);
		return;
	}
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		output_close(&d->files[t]);
	if (!d->appends) {
		path = path_in(d, "schema", ".sql");
		output_open(&out, path.data);
		schema_put(&out.buf, PORTABLE);
		output_close(&out);
		buf_release(&path);
		write_monetdb_script(d);
	}
	write_script(d, "duckdb", "COPY ",
	    " (HEADER, ALLOW_QUOTED_NULLS false);");
	write_script(d, "postgresql", "\\copy ", " CSV HEADER");
}
