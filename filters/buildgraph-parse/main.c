/* buildgraph-parse - build graphs to node records */

#include <string.h>

#include "common/base/err.h"
#include "common/frame/filter.h"
#include "common/json/scan.h"
#include "filters/buildgraph-parse/formats.h"

static struct {
	const char *format, *deps_file;
} opt;

static const struct opt options[] = {
	{ 'f', "format", OPT_STR, &opt.format, "FORMAT",
	    "ya or ninja (guessed)", 0, 0 },
	{ 'd', "deps", OPT_STR, &opt.deps_file, "FILE",
	    "ninja: what 'ninja -t deps' printed", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Reads a build graph - ya's graph.json or what 'ninja -t "
	    "graph' prints -\nand writes a node record for every command.",
	.keys = ya_keys,
};

int
main(int argc, char **argv)
{
	struct filter f;

	filter_begin(&f, &about, options, argc, argv);
	if (!filter_next_file(&f))
		return filter_end(&f);
	if (opt.format == NULL)
		opt.format = scan_peek(&f.input) == '{' ? "ya" : "ninja";
	if (opt.deps_file != NULL && strcmp(opt.format, "ninja") != 0)
		die("--deps goes with ninja's graph");
	if (strcmp(opt.format, "ya") == 0)
		ya_read(&f);
	else if (strcmp(opt.format, "ninja") == 0)
		ninja_read(&f, opt.deps_file);
	else
		die("--format is ya or ninja, not '%s'", opt.format);
	return filter_end(&f);
}
