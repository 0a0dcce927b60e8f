/* malstat - reports the costliest MonetDB operations and the use of cores */

#include "common/base/err.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/filter/expect.h"
#include "filters/malstat/costs.h"
#include "filters/malstat/database.h"
#include "filters/malstat/emit.h"
#include "filters/malstat/measure.h"
#include "filters/malstat/report.h"
#include "filters/malstat/tables.h"

static struct {
	const char *database;
	uint64_t top, query;
	bool queries;
} opt = { .top = 10 };

static struct expect expect;

static const struct opt options[] = {
	{ 'd', "db", OPT_STR, &opt.database, "DB",
	    "read a database that malload filled", 0, 0 },
	{ 'q', "queries", OPT_FLAG, &opt.queries, NULL,
	    "also answer for each query", 0, 0 },
	{ 0, "query", OPT_NUM, &opt.query, "ID",
	    "answer only for the query with this root execution", 1,
	    UINT64_C(1) << REC_INT_BITS },
	{ 'k', "top", OPT_NUM, &opt.top, "K",
	    "list K instances, and K queries (default 10)", 0, 1 << 30 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Reports which operations of MonetDB queries cost the most, "
	    "and how well\nthe cores were used, from rows of malparse.",
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
costs_all(struct filter *f, struct trace *t)
{
	struct pieces pieces = { 0 };
	struct scopes scopes;
	struct queries queries;
	const struct scope *s;
	bool is_selected, is_found = false;

	trace_measure(t, &pieces);
	scopes_make(&scopes, t, &pieces);
	queries_make(&queries, t, &scopes);

	if (opt.query == 0)
		answer(f, t, &scopes.list[0], &queries);
	for (s = scopes.list + 1; s < scopes.list + scopes.n; s++) {
		is_selected = opt.query != 0 &&
		    t->executions[s->root].key.id == (int64_t)opt.query;
		if (opt.queries || is_selected)
			answer(f, t, s, is_selected ? &queries : NULL);
		is_found = is_found || is_selected;
	}
	if (opt.query != 0 && !is_found)
		die("there is no query with the execution_id %llu",
		    (unsigned long long)opt.query);

	queries_release(&queries);
	scopes_release(&scopes);
}

int
main(int argc, char **argv)
{
	const struct rec *r;
	struct filter f;
	struct trace t;
	bool has_rows = false;

	filter_begin(&f, &about, options, argc, argv);
	if (opt.queries && opt.query != 0)
		die("--queries and --query exclude each other");
	if (opt.database != NULL && filter_operand(&f) != NULL)
		die("--db and files exclude each other");

	executions_init(&t);
	if (opt.database != NULL) {
		trace_read_database(&t, &f, opt.database);
	} else {
		while ((r = filter_next(&f)) != NULL)
			if (executions_add(&t, &f, r))
				expect.came = true;
			else
				expect_other(&expect, &f, r);
		has_rows = expect.came;
		expect_end(&expect, &f, "row", "the output of malparse");
	}

	executions_finish(&t);
	if (t.n_events > 0) {
		costs_all(&f, &t);
		(f.text ? summary_report : summary_emit)(&t, &f);
	} else if (f.text) {
		buf_str(filter_out(&f), "There are no events.\n");
		filter_emit(&f);
	} else if (has_rows) {
		filter_expect_records(&f, "there are no events");
	}
	executions_release(&t);
	return filter_end(&f);
}
