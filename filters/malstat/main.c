/* malstat - reports the costliest MonetDB operations and the use of cores */

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/err.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/filter/expect.h"
#include "filters/malstat/malstat.h"

static struct {
	const char *database, *before;
	uint64_t top, query;
	bool queries;
} opt = { .top = 10 };

static struct measured measured[N_SIDES];
static struct diff diff;

static const struct opt options[] = {
	{ 'd', "db", OPT_STR, &opt.database, "FILE",
	    "read a database that malload filled", 0, 0 },
	{ 'q', "queries", OPT_FLAG, &opt.queries, NULL,
	    "also answer for each query", 0, 0 },
	{ 0, "query", OPT_NUM, &opt.query, "ID",
	    "answer only for the query with this root execution", 1,
	    UINT64_C(1) << REC_INT_BITS },
	{ 0, "diff", OPT_STR, &opt.before, "FILE",
	    "the changes since the trace or database FILE", 0, 0 },
	{ 'k', "top", OPT_NUM, &opt.top, "K",
	    "list K instances, and K queries (default 10)", 0, 1 << 30 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Reports which operations of MonetDB queries cost the most, "
	    "and how well\nthe cores were used, from rows of malparse.",
	.examples = {
	    "malparse trace.json | malstat",
	    "malstat --db traces.db --queries",
	},
	.reads = "rows of malparse",
	.keys = executions_keys,
	.reports = true,
};

/*
 * Answers about a scope.  If roots is not NULL, it lists what each root used,
 * which comes first.
 */
static void
answer(struct filter *f, const struct trace *t, const struct scope *s,
    const struct queries *roots)
{
	struct costs a;

	costs_make(&a, t, s, roots);
	if (f->text && roots != NULL)
		queries_report(roots, &a, f, opt.top);
	else if (roots != NULL)
		queries_emit(roots, &a, f);
	if (f->text)
		costs_report(&a, f, opt.top);
	else
		costs_emit(&a, f, opt.top);
	costs_release(&a);
}

static void
costs_all(struct filter *f, const struct measured *m)
{
	const struct trace *t = &m->trace;
	const struct scope *all = m->scopes.list, *s;
	bool is_selected, is_found = false;

	if (opt.query == 0)
		answer(f, t, all, &m->queries);
	for (s = all + 1; s < all + m->scopes.n; s++) {
		is_selected = opt.query != 0 &&
		    t->executions[s->root].key.id == (int64_t)opt.query;
		if (opt.queries || is_selected)
			answer(f, t, s, is_selected ? &m->queries : NULL);
		is_found = is_found || is_selected;
	}
	if (opt.query != 0 && !is_found)
		die("there is no query with the execution_id %llu",
		    (unsigned long long)opt.query);
	(f->text ? summary_report : summary_emit)(t, f);
}

static bool
looks_like_database(const char *path)
{
	char head[16] = "";
	struct stat st;
	FILE *file;
	bool is_it;

	/* A pipe can be read only once; reading a file that is not says why. */
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (file = fopen(path, "rb")) == NULL)
		return false;
	is_it = fread(head, sizeof head, 1, file) == 1 &&
	    memcmp(head, "SQLite format 3", sizeof head) == 0;
	fclose(file);
	return is_it;
}

/*
 * Reads the trace of a database or, if that is NULL, of the input.  Returns
 * whether it has rows.
 */
static bool
read_trace(struct filter *f, struct measured *m, const char *database)
{
	struct expect expect = { 0 };
	const struct rec *r;
	bool has_rows = true;

	executions_init(&m->trace);
	m->trace.has_variables = opt.before != NULL;
	if (database != NULL) {
		trace_read_database(&m->trace, f, database);
	} else {
		f->current_line = 0;	/* of this trace none has come */
		while ((r = filter_next(f)) != NULL)
			if (executions_add(&m->trace, f, r))
				expect.came = true;
			else
				expect_other(&expect, f, r);
		has_rows = expect.came;
		expect_end(&expect, f, "row", "the output of malparse");
	}
	executions_finish(&m->trace);
	if (m->trace.n_events > 0) {
		scopes_make(&m->scopes, &m->trace);
		queries_make(&m->queries, &m->trace, &m->scopes);
	}
	return has_rows;
}

/* Says that one of the traces has no events, although it may have rows. */
static void
report_nothing(struct filter *f, bool is_before, bool has_rows)
{
	struct buf *b = filter_out(f), why = { 0 };

	buf_str(&why, "there are no events");
	if (is_before)
		buf_printf(&why, " in '%s'", opt.before);
	if (opt.before != NULL && has_rows)
		filter_cannot_answer(f, buf_cstr(&why));
	if (f->text) {
		buf_printf(b, "T%s.\n", buf_cstr(&why) + 1);
		filter_emit(f);
	} else if (has_rows && opt.before == NULL) {
		filter_expect_records(f, buf_cstr(&why));
	}
	buf_release(&why);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct measured *now = &measured[NOW], *before = &measured[BEFORE];
	bool is_database, has_rows[N_SIDES] = { false };

	filter_begin(&f, &about, options, argc, argv);
	if (opt.queries && opt.query != 0)
		die("--queries and --query exclude each other");
	if (opt.before != NULL && (opt.queries || opt.query != 0))
		die("--diff cannot be combined with --queries or --query");
	if (opt.database != NULL && filter_operand(&f) != NULL)
		die("--db and files exclude each other");

	if (opt.before != NULL)
		filter_need_whole(&f);
	has_rows[NOW] = read_trace(&f, now, opt.database);
	if (opt.before != NULL) {
		is_database = looks_like_database(opt.before);
		if (!is_database)
			filter_read_next(&f, opt.before, true);
		has_rows[BEFORE] = read_trace(&f, before,
		    is_database ? opt.before : NULL);
	}

	if (now->trace.n_events == 0)
		report_nothing(&f, false, has_rows[NOW]);
	else if (opt.before == NULL)
		costs_all(&f, now);
	else if (before->trace.n_events == 0) {
		report_nothing(&f, true, has_rows[BEFORE]);
	} else {
		diff_make(&diff, measured);
		if (f.text)
			diff_report(&diff, &f, opt.top);
		else
			diff_emit(&diff, &f);
	}
	return filter_end(&f);
}
