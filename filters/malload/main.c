/* malload - loads rows of MonetDB traces into a database */

#include <nettle/sha1.h>

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/filter/expect.h"
#include "filters/malload/malload.h"

static struct {
	bool sql, schema, append;
	const char *csv;
} opt;

static struct load load;
static struct dump dump;

static struct {
	uint64_t n_rows;	/* of the current trace so far */
	int64_t n_begun;	/* streams begun before its first row, all of
				   which must have ended when it ends */
	struct sha1_ctx digest;	/* of the lines of its rows */
} trace;

static const struct opt options[] = {
	{ 0, "sql", OPT_FLAG, &opt.sql, NULL,
	    "write SQL instead of filling a database", 0, 0 },
	{ 0, "csv", OPT_STR, &opt.csv, "DIR",
	    "write a CSV file for each table into DIR", 0, 0 },
	{ 0, "append", OPT_FLAG, &opt.append, NULL,
	    "the tables exist: write SQL or CSV that adds to them", 0, 0 },
	{ 0, "schema", OPT_FLAG, &opt.schema, NULL,
	    "only draw the tables, as a diagram of Mermaid", 0, 0 },
	{ 0 }
};

/* Whether traces are written, not loaded into a database of SQLite. */
static bool
is_dump(void)
{
	return opt.sql || opt.csv != NULL;
}

static enum output_kind
choose_output(void)
{
	return opt.schema || is_dump() ? OUTPUT_TEXT : OUTPUT_RECORDS;
}

static struct about about = {
	.operands = "[database] [file ...]",
	.purpose = "Loads the rows that malparse writes into an SQLite "
	    "database, or writes\nthem as SQL or CSV for other databases.",
	.examples = {
	    "malparse trace.json | malload traces.db",
	    "malparse trace.json | malload --sql | sqlite3 other.db",
	},
	.reads = "rows of malparse",
	.output = choose_output,
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

/* Ends the trace if it has rows: its digest is that of their lines. */
static void
end_trace(bool is_whole)
{
	unsigned char sum[SHA1_DIGEST_SIZE];
	char digest[DIGEST_SIZE];

	if (trace.n_rows == 0)
		return;
	trace.n_rows = 0;
	sha1_digest(&trace.digest, sizeof sum, sum);
	hex_encode(digest, sum, sizeof sum);
	if (is_dump())
		dump_trace(&dump, is_whole ? digest : NULL);
	else
		load_trace(&load, is_whole ? digest : NULL);
}

static void
add_row(struct filter *f, enum table_id t, const struct rec *r)
{
	struct span line = f->current;

	if (trace.n_rows++ == 0) {
		trace.n_begun = filter_n_begun(f);
		sha1_init(&trace.digest);
	}
	/* Without the line's ending, which differs between files. */
	while (line.n > 0 && (line.p[line.n - 1] == '\n' ||
	    line.p[line.n - 1] == '\r'))
		line.n--;
	sha1_update(&trace.digest, line.n, (const uint8_t *)line.p);
	sha1_update(&trace.digest, 1, (const uint8_t *)"\n");
	if (is_dump())
		dump_row(&dump, t, r);
	else
		load_row(&load, t, r);
}

static void
read_all(struct filter *f)
{
	struct expect expect = { 0 };
	const struct rec *r;
	enum table_id t;
	bool is_whole;

	while ((r = filter_next(f)) != NULL) {
		t = table_of(r);
		if (t == NO_TABLE && !rec_is(r, "trace")) {
			expect_other(&expect, f, r);
			continue;
		}
		expect.came = true;
		if (t != NO_TABLE) {
			add_row(f, t, r);
			continue;
		}
		/* The filter sets `truncated` only at the end of the input. */
		is_whole = trace.n_rows == 0 ||
		    filter_have_ended(f, trace.n_begun);
		end_trace(is_whole);
		if (!is_whole)
			filter_fail(f, "a trace is truncated and was not "
			    "loaded: another one begins before the end record");
	}
	expect_end(&expect, f, "row", "the output of malparse");
	end_trace(!f->truncated);
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
		schema_put_diagram(filter_out(&f));
		filter_emit(&f);
		return filter_end(&f);
	}
	if (is_dump()) {
		dump_open(&dump, &f, opt.csv, opt.append);
		read_all(&f);
		dump_close(&dump);
		return filter_end(&f);
	}
	database = filter_operand(&f);
	if (database == NULL || *database == '\0')
		die("no database is given, and neither is --sql or --csv");
	load_open(&load, &f, database);
	read_all(&f);
	load_close(&load);
	return filter_end(&f);
}
