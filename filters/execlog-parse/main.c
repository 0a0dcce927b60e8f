/* execlog-parse - converts the execution log of a build to task records */

#include "common/base/err.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/records.h"

static const struct input_format *const formats[] = {
	FORMATS(FORMAT_ADDRESS) NULL
};

enum { LAST_RUN, ALL_RUNS };
static const char *const runs[] = { [LAST_RUN] = "last", [ALL_RUNS] = "all",
    NULL };

static struct {
	struct opt_word format, runs;
	const char *run;
	bool each;
	struct format_options reader;
} opt = { .format = OPT_POINTERS(formats), .runs = OPT_WORDS(runs) };

static const struct opt options[] = {
	{ 'f', "format", OPT_WORD, &opt.format, "FORMAT",
	    "the format of the log (guessed)", 0, 0 },
	{ 'a', "all-outputs", OPT_FLAG, &opt.reader.all_outputs, NULL,
	    "ninja: the last record of every output", 0, 0 },
	{ 0, "nested", OPT_FLAG, &opt.reader.nested, NULL,
	    "chrome: events within others are tasks, too", 0, 0 },
	{ 'e', "each", OPT_FLAG, &opt.each, NULL,
	    "each file is a run, which has its name", 0, 0 },
	{ 'r', "run", OPT_STR, &opt.run, "NAME",
	    "the name of the run", 0, 0 },
	{ 0, "runs", OPT_WORD, &opt.runs, "WHICH",
	    "ninja: all runs of ninja, or the last (last)", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.name = "execlog-parse",
	.operands = "[file ...]",
	.purpose = "Reads the execution log of a build and writes a "
	    "record for each task.",
	.examples = {
	    "execlog-parse build.log | critpath -g nodes",
	    "execlog-parse --runs all ninja_log | critpath --summary",
	},
	.reads = "the log of a build",
	.formats = formats,
};

static const char no_task[] = "no task came: is this the execution log of a "
    "build?";

int
main(int argc, char **argv)
{
	const struct input_format *format;
	struct filter f;
	int64_t n_before;

	filter_begin(&f, &about, options, argc, argv);
	opt.reader.all_runs = opt.runs.index == ALL_RUNS;
	if (opt.reader.all_runs && opt.reader.all_outputs)
		die("--runs all and --all-outputs exclude each other");
	if (opt.each && opt.run != NULL)
		die("--each and --run exclude each other");
	if (opt.run != NULL && *opt.run == '\0')
		die("--run needs a name");

	if (opt.each)
		filter_read_each(&f);
	if (opt.run != NULL)
		run_set_given(span_str(opt.run));
	while ((format = format_open(&f, formats, &opt.format)) != NULL) {
		if (opt.each)
			run_set_given(span_str(f.input.name));
		n_before = f.n_records;
		format->read(&f, &opt.reader);
		if (opt.each && f.n_records == n_before && !f.input.unreadable)
			filter_warn(&f, "%s", no_task);
	}

	run_release();
	if (!opt.each || f.rejected)
		filter_expect_records(&f, no_task);
	return filter_end(&f);
}
