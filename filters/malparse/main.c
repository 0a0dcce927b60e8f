/* malparse - turns MonetDB's profiler events into rows of tables or tasks */

#include "common/base/err.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/malparse/malparse.h"

static struct {
	uint64_t query;
	bool tasks, mask, statement, starts;
} opt;

static struct stream stream;
static struct trace trace;

static const struct opt options[] = {
	{ 't', "tasks", OPT_FLAG, &opt.tasks, NULL,
	    "write instructions as tasks, for critpath", 0, 0 },
	{ 0, "query", OPT_NUM, &opt.query, "ID",
	    "only the tasks of this execution's query", 1,
	    UINT64_C(1) << REC_INT_BITS },
	{ 'm', "mask", OPT_FLAG, &opt.mask, NULL,
	    "omit every literal value", 0, 0 },
	{ 's', "statement", OPT_FLAG, &opt.statement, NULL,
	    "rebuild statements that the server did not write", 0, 0 },
	{ 0, "starts", OPT_FLAG, &opt.starts, NULL,
	    "derive starts if the server writes only ends", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.name = "malparse",
	.operands = "[file ...]",
	.purpose = "Turns the events of MonetDB's profiler, of any version, "
	    "into rows of tables.",
	.examples = {
	    "malparse trace.json | malstat",
	    "malparse --tasks trace.json | critpath",
	},
	.reads = "a trace of MonetDB's profiler",
};

int
main(int argc, char **argv)
{
	struct filter f;
	const struct rec *r;
	const char *why;

	filter_begin(&f, &about, options, argc, argv);
	if (opt.mask && f.rejecting.is_kept)
		die("--mask and --rejects exclude each other: rejected "
		    "objects contain values");
	if (opt.query != 0 && !opt.tasks)
		die("--query needs --tasks");
	stream_init(&stream, &f);
	trace_init(&trace, &f);
	trace.query = opt.query;
	trace.rows.discards_rows = opt.tasks;
	trace.rows.statement.is_masked = opt.mask;
	trace.rows.rebuilds_statements = opt.statement;
	trace.rows.derives_starts = opt.starts;
	while ((r = stream_next(&stream)) != NULL) {
		trace_add(&trace, r, &why);
		if (why != NULL)
			stream_reject(&stream, why);
	}
	trace_end(&trace);
	if (opt.query != 0 && f.n_records == 0)
		filter_fail(&f, "no task is of the query with the "
		    "execution_id %llu", (unsigned long long)opt.query);
	return filter_end(&f);
}
