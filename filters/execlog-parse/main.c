/* execlog-parse - converts the execution log of a build to task records */

#include "common/frame/filter.h"
#include "filters/execlog-parse/formats.h"

static struct {
	const char *format;
	struct format_options reader;
} opt;

static const struct opt options[] = {
	{ 'f', "format", OPT_STR, &opt.format, "FORMAT",
	    "the format of the log (guessed)", 0, 0 },
	{ 'a', "all-outputs", OPT_FLAG, &opt.reader.all_outputs, NULL,
	    "ninja: the last record of every output", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Reads the execution log of a build and writes a "
	    "record for each task.",
	.formats = formats,
};

int
main(int argc, char **argv)
{
	struct filter f;

	filter_begin(&f, &about, options, argc, argv);
	format_read(&f, formats, opt.format, &opt.reader);
	return filter_end(&f);
}
