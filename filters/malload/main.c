/* malload - loads rows of MonetDB traces into a database */

#include "common/base/err.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter.h"
#include "common/filter/expect.h"
#include "filters/malload/dump.h"
#include "filters/malload/load.h"

static struct {
	bool sql, schema;
	const char *csv;
} opt;

static struct expect expect;

static const struct opt options[] = {
	{ 0, "sql", OPT_FLAG, &opt.sql, NULL,
	    "write SQL instead of filling a database", 0, 0 },
	{ 0, "csv", OPT_STR, &opt.csv, "DIR",
	    "write a CSV file for each table into DIR", 0, 0 },
	{ 0, "schema", OPT_FLAG, &opt.schema, NULL,
	    "only draw the tables, as a diagram of Mermaid", 0, 0 },
	{ 0 }
};

static struct about about = {
	.operands = "[database] [file ...]",
	.purpose = "Loads the rows that malparse writes into an SQLite "
	    "database, or writes\nthem as SQL or CSV for other databases.",
	.reads = "rows of malparse",
};

/* The table that a record is a row of; NO_TABLE if it is not a row. */
static enum table_id
table_of(const struct rec *r)
{
	for (enum table_id t = NO_TABLE + 1; t < N_TABLES; t++)
		if (rec_is(r, tables[t].name))
			return t;
	return NO_TABLE;
}

/*
 * Returns the next row, and sets *t to its table, or the next trace record, and
 * sets *t to NO_TABLE.  NULL at the end.
 */
static const struct rec *
next_row(struct filter *f, enum table_id *t)
{
	const struct rec *r;

	while ((r = filter_next(f)) != NULL) {
		*t = table_of(r);
		if (*t != NO_TABLE || rec_is(r, "trace")) {
			expect.came = true;
			return r;
		}
		expect_other(&expect, f, r);
	}
	expect_end(&expect, f, "row", "the output of malparse");
	return NULL;
}

static void
load_all(struct filter *f, const char *path)
{
	const struct rec *r;
	enum table_id t;
	struct load l;

	load_open(&l, f, path);
	while ((r = next_row(f, &t)) != NULL)
		if (t != NO_TABLE)
			load_row(&l, t, r, f->current);
		else
			load_trace(&l, r);
	load_end(&l);
	load_close(&l);
}

static void
dump_all(struct filter *f)
{
	const struct rec *r;
	enum table_id t;
	struct dump d;

	filter_write_text(f);
	dump_open(&d, f, opt.csv);
	while ((r = next_row(f, &t)) != NULL)
		if (t != NO_TABLE)
			dump_row(&d, t, r);
	dump_close(&d);
}

int
main(int argc, char **argv)
{
	const char *database;
	struct filter f;

	about.keys = schema_collect_keys();
	filter_begin(&f, &about, options, argc, argv);
	if (opt.sql + opt.schema + (opt.csv != NULL) > 1)
		die("--sql, --csv and --schema exclude each other");
	if (opt.schema) {
		filter_write_text(&f);
		schema_put_diagram(filter_out(&f));
		filter_emit(&f);
		return filter_end(&f);
	}
	if (opt.sql || opt.csv != NULL) {
		dump_all(&f);
		return filter_end(&f);
	}
	database = filter_operand(&f);
	if (database == NULL || *database == '\0')
		die("no database is given, and neither is --sql or --csv");
	load_all(&f, database);
	return filter_end(&f);
}
