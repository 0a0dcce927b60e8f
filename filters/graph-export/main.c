/* graph-export - draws what a query or build did, and in what order */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/build/attempts.h"
#include "common/build/builds.h"
#include "common/build/missing.h"
#include "common/build/paths.h"
#include "common/build/wrong-input.h"
#include "common/filter/filter.h"
#include "filters/graph-export/graph-export.h"

/* Mermaid refuses larger diagrams; dot takes minutes for them. */
static const struct format formats[] = {
	{ "dot", dot_put, 2000, SIZE_MAX, false },
	{ "mermaid", mermaid_put, 500, 50000, true },
	{ 0 }
};

static struct {
	struct opt_word format;
	const char *graph, *path, *run;
	uint64_t nodes;
	bool each, needs;
} opt = { .format = OPT_WORDS(formats), .nodes = 200 };

static const struct opt options[] = {
	{ 'f', "format", OPT_WORD, &opt.format, "FORMAT",
	    "dot (the default) or mermaid", 0, 0 },
	{ 'g', "graph", OPT_STR, &opt.graph, "FILE",
	    "read nodes from FILE first", 0, 0 },
	{ 'p', "path", OPT_STR, &opt.path, "FILE",
	    "read the critical path from FILE", 0, 0 },
	{ 'n', "nodes", OPT_NUM, &opt.nodes, "N",
	    "show at most N nodes (200)", 1, 2000 },
	{ 'r', "run", OPT_STR, &opt.run, "RUN", "draw only this run", 0, 0 },
	{ 'e', "each", OPT_FLAG, &opt.each, NULL,
	    "a node for each task, with its host: fold nothing", 0, 0 },
	{ 0, "needs", OPT_FLAG, &opt.needs, NULL,
	    "arrows point from a task to what it needs", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Draws the plan of a query, or a build, from task and node "
	    "records: tasks that do\nthe same after the same are one node, and "
	    "the critical path is outlined.",
	.examples = {
	    "graph-export -g nodes -p path tasks >build.dot",
	    "malparse --tasks trace.json | graph-export -f mermaid >plan.mmd",
	},
	.reads = "task and node records",
	.keys = build_keys,
	.output = filter_writes_text,
};

/* What is drawn. */
struct drawing {
	const struct format *format;
	const struct fold *fold;
	const uint32_t *path;
	size_t n_path;
};

/* Writes a picture of n_max nodes; nothing if the format does not allow it. */
static bool
try_picture(struct buf *b, const struct drawing *d, size_t n_max)
{
	size_t before = b->len;
	struct chart p;
	bool is_allowed;

	chart_make(&p, d->fold, d->path, d->n_path, n_max, opt.needs);
	d->format->put(b, &p);
	is_allowed = p.n_edges <= d->format->edges_max &&
	    b->len - before <= d->format->bytes_max;
	chart_release(&p);
	if (!is_allowed)
		b->len = before;
	return is_allowed;
}

/*
 * Writes a picture of as many nodes as were asked for or, if the format does
 * not allow it, of as many as it allows, by bisection.  One is always allowed.
 */
static void
put_picture(struct buf *b, const struct drawing *d)
{
	size_t most = d->fold->n < opt.nodes ? d->fold->n : opt.nodes;
	size_t allowed = 1, middle, before = b->len;

	if (try_picture(b, d, most))
		return;
	while (most - allowed > 1) {
		middle = allowed + (most - allowed) / 2;
		if (try_picture(b, d, middle))
			allowed = middle;
		else
			most = middle;
		b->len = before;
	}
	try_picture(b, d, allowed);
	err_warn("warning: only %zu of %zu nodes are drawn: %s draws %zu "
	    "edges%s", allowed, d->fold->n, d->format->name,
	    d->format->edges_max, d->format->bytes_max < SIZE_MAX ?
	    " and 50,000 characters" : "");
}

/* The vertices of a path that have one, first to last: to be freed. */
static uint32_t *
find_path(struct paths *paths, const struct network *net, size_t *n)
{
	size_t n_steps;
	const struct path_step *steps = paths_find(paths, net->build,
	    &n_steps);
	uint32_t *path = mem_resize(NULL, n_steps, sizeof *path);
	uint32_t *vertex_of = mem_ones(net->build->n_tasks,
	    sizeof *vertex_of);

	for (uint32_t v = 0; v < net->n_tasks; v++)
		vertex_of[net->task_of[v]] = v;
	*n = 0;
	for (size_t i = 0; i < n_steps; i++)
		if (vertex_of[steps[i].task] != INDEX_NONE)
			path[(*n)++] = vertex_of[steps[i].task];
	free(vertex_of);
	return path;
}

static void
put_graph(struct filter *f, const struct format *format, struct paths *paths,
    const struct build *build)
{
	struct network net;
	struct fold fold;
	struct drawing d = { .format = format, .fold = &fold };
	uint32_t *path;

	network_make(&net, build, true, f);
	if (net.n_tasks > 0) {
		d.path = path = find_path(paths, &net, &d.n_path);
		fold_make(&fold, &net, opt.each, path, d.n_path);
		put_picture(filter_out(f), &d);
		filter_emit(f);
		fold_release(&fold);
		free(path);
	}
	network_release(&net);
}

int
main(int argc, char **argv)
{
	const struct format *format;
	struct builds builds;
	struct build *build;
	struct paths paths;
	size_t n_graphs = 0;
	struct filter f;

	filter_begin(&f, &about, options, argc, argv);
	format = &formats[opt.format.index];
	paths_begin(&paths, &builds, &f, opt.graph, opt.path);
	while ((build = builds_next(&builds)) != NULL) {
		if (opt.run != NULL && (build->run_name == NULL ||
		    strcmp(build->run_name, opt.run) != 0))
			continue;
		build_resolve_attempts(build);
		build_need_graph(build);
		put_graph(&f, format, &paths, build);
		n_graphs++;
	}
	if (n_graphs > 1 && format->is_one_per_file)
		err_warn("warning: there are %zu graphs, but a file of Mermaid "
		    "has one: choose with --run", n_graphs);
	if (n_graphs == 0)
		err_warn("warning: there is no run '%s'", opt.run);
	wrong_input_no_graph(&builds);
	paths_release(&paths);
	return filter_end(&f);
}
