/* execlog-stat - reports where the time of a build went */

#include "common/build/attempts.h"
#include "common/build/build-names.h"
#include "common/build/builds.h"
#include "common/filter/filter.h"
#include "filters/execlog-stat/execlog-stat.h"

static struct {
	const char *graph;
	uint64_t top, bins;
} opt = { .top = 10, .bins = 60 };

static const struct opt options[] = {
	{ 'g', "graph", OPT_STR, &opt.graph, "FILE",
	    "read nodes from FILE first", 0, 0 },
	{ 'k', "top", OPT_NUM, &opt.top, "K",
	    "how many tasks to list (10)", 1, 1000000 },
	{ 0, "bins", OPT_NUM, &opt.bins, "N",
	    "into how many parts to split the time (60)", 1, 100000 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Reports where the time of a build went, from task and node "
	    "records: longest\ntasks, biggest copies, time by type and stage, "
	    "cache, failures, parallelism.",
	.examples = {
	    "execlog-parse build.log | execlog-stat -g nodes",
	    "execlog-stat --top 20 tasks",
	},
	.reads = "task and node records",
	.keys = build_keys,
	.reports = true,
};

int
main(int argc, char **argv)
{
	struct build_stat stat;
	struct builds builds;
	struct build *build;
	struct filter f;

	filter_begin(&f, &about, options, argc, argv);
	builds_begin(&builds, &f, opt.graph);
	while ((build = builds_next(&builds)) != NULL) {
		build_resolve_attempts(build);
		stat_make(&stat, build, opt.top, opt.bins);
		if (f.text) {
			build_put_run(build, filter_out(&f));
			stat_report(&stat, &f);
		} else {
			stat_emit(&stat, &f);
		}
		stat_release(&stat);
	}
	return filter_end(&f);
}
