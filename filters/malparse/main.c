/* malparse - MonetDB's profiler events as rows of tables, or as tasks */

#include "common/base/err.h"
#include "common/frame/filter.h"
#include "filters/malparse/state.h"
#include "filters/malparse/stream.h"
#include "filters/malparse/trace.h"

static struct {
	const char *state;
	bool tasks, mask, statement, starts;
} opt;

static const struct opt options[] = {
	{ 't', "tasks", OPT_FLAG, &opt.tasks, NULL,
	    "write instructions as tasks, for critpath", 0, 0 },
	{ 'm', "mask", OPT_FLAG, &opt.mask, NULL,
	    "leave out every literal value", 0, 0 },
	{ 's', "statement", OPT_FLAG, &opt.statement, NULL,
	    "rebuild the statements that a server left out", 0, 0 },
	{ 0, "starts", OPT_FLAG, &opt.starts, NULL,
	    "derive the starts where only ends are told", 0, 0 },
	{ 0, "state", OPT_STR, &opt.state, "FILE",
	    "go on with the ids where the last trace ended", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Turns the events of MonetDB's profiler, of any version, "
	    "into rows of tables.",
};

static void
begin_rows(struct rows *rows)
{
	rows->silent = opt.tasks;
	rows->statement.masks = opt.mask;
	rows->rebuilds = opt.statement;
	rows->starts = opt.starts;
	rows->continued = opt.state != NULL && state_read(rows, opt.state);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct stream s;
	struct trace t;
	const struct rec *r;
	const char *why;
	int status;

	filter_begin(&f, &about, options, argc, argv);
	if (opt.mask && f.keeps_rejects)
		die("--rejects would keep the values that --mask hides");
	stream_init(&s, &f);
	trace_init(&t, &f);
	begin_rows(&t.rows);
	while ((r = stream_next(&s)) != NULL) {
		trace_add(&t, r, &why);
		if (why != NULL)
			stream_reject(&s, why);
	}
	trace_end(&t);
	status = filter_end(&f);
	if (opt.state != NULL)		/* now the rows are written */
		state_write(&t.rows, opt.state);
	trace_release(&t);
	stream_release(&s);
	return status;
}
