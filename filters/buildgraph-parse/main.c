/* buildgraph-parse - converts build graphs to node records */

#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/buildgraph-parse/formats.h"

static const struct input_format *const formats[] = {
	FORMATS(FORMAT_ADDRESS) NULL
};

static struct {
	struct opt_word format;
	struct format_options reader;
} opt = { .format = OPT_POINTERS(formats) };

static const struct opt options[] = {
	{ 'f', "format", OPT_WORD, &opt.format, "FORMAT",
	    "the format of the graph (guessed)", 0, 0 },
	{ 'd', "deps", OPT_STR, &opt.reader.deps_file, "FILE",
	    "ninja: what 'ninja -t deps' printed", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.name = "buildgraph-parse",
	.operands = "[file ...]",
	.purpose = "Reads a build graph and writes a node record for every "
	    "command.",
	.examples = {
	    "buildgraph-parse graph.json >nodes",
	    "buildgraph-parse --deps deps.txt graph.dot >nodes",
	},
	.reads = "a build graph",
	.formats = formats,
};

int
main(int argc, char **argv)
{
	const struct input_format *format;
	struct filter f;

	filter_begin(&f, &about, options, argc, argv);
	format = format_open(&f, formats, &opt.format);
	if (format != NULL)
		format->read(&f, &opt.reader);
	filter_expect_records(&f,
	    "no node came: is this the graph of a build?");
	return filter_end(&f);
}
