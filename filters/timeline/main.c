/* timeline - draws when and where tasks ran */

#include "common/base/err.h"
#include "common/build/attempts.h"
#include "common/build/build.h"
#include "common/build/builds.h"
#include "common/build/paths.h"
#include "common/build/wrong-input.h"
#include "common/filter/filter.h"
#include "filters/timeline/timeline.h"

/* So a picture has less than 2 MB. */
enum { BARS_MAX = 8000 };

/* A page also has the data of its tasks. */
enum { PAGE_BARS_MAX = 3000 };

static struct {
	const char *graph, *path;
	bool html;
} opt;

static const struct opt options[] = {
	{ 'g', "graph", OPT_STR, &opt.graph, "FILE",
	    "read nodes from FILE first", 0, 0 },
	{ 'p', "path", OPT_STR, &opt.path, "FILE",
	    "read the critical path from FILE first", 0, 0 },
	{ 'H', "html", OPT_FLAG, &opt.html, NULL,
	    "write a page with zoom, search and details", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Draws when and where tasks ran, from task records, as an "
	    "SVG picture: lanes by\nhost or thread, the critical path, and how "
	    "many tasks ran at once.",
	.examples = {
	    "timeline -g nodes -p path tasks >build.svg",
	    "execlog-parse build.log | timeline --html >build.html",
	},
	.reads = "task records",
	.keys = build_keys,
	.output = filter_writes_text,
};

int
main(int argc, char **argv)
{
	struct pictures pictures;
	struct builds builds;
	struct build *build;
	const struct path_step *steps;
	struct paths paths;
	struct buf svg = { 0 };
	struct filter f;
	size_t n;

	filter_begin(&f, &about, options, argc, argv);
	pictures_init(&pictures);
	builds_keep(&f, picture_keys);
	paths_begin(&paths, &builds, &f, opt.graph, opt.path);
	while ((build = builds_next(&builds)) != NULL) {
		build_resolve_attempts(build);
		steps = paths_find(&paths, build, &n);
		pictures_add(&pictures, build, steps, n,
		    opt.html ? PAGE_TASKS_MAX : BARS_MAX);
	}
	if (f.current_line > 0) {
		pictures_rank(&pictures);
		svg_put(opt.html ? &svg : filter_out(&f), &pictures,
		    opt.html ? PAGE_BARS_MAX : BARS_MAX);
		if (opt.html)
			page_put(filter_out(&f), &pictures, buf_span(&svg));
		filter_emit(&f);
	}
	buf_release(&svg);
	pictures_release(&pictures);
	paths_release(&paths);
	return filter_end(&f);
}
