/* edges - what a build would save without a dependency of its path */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/build-names.h"
#include "common/build/dag-drag.h"
#include "common/filter/filter.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "filters/critpath/critpath.h"

enum { ROWS_MAX = 20 };	/* of a report */

struct edge {
	uint32_t from, to;	/* vertices: `to` depends on `from` */
	size_t step;
	int64_t potential_us;
};

/* The n dependencies along the path, placeholders included. */
static struct edge *
find_edges(const struct answer *a, size_t *n)
{
	const struct network *net = a->net;
	size_t n_vertices;
	uint32_t *path = dag_path_to(&net->dag, a->paths[0].end, &n_vertices);
	int64_t *drag = mem_zero(n_vertices, sizeof *drag);
	struct edge *edges = mem_zero(n_vertices, sizeof *edges);

	dag_edge_drag(&net->dag, net->is_end, path, n_vertices, drag);
	*n = n_vertices - 1;
	for (size_t i = 0; i < *n; i++)
		edges[i] = (struct edge){ path[i], path[i + 1], i, drag[i] };
	free(path);
	free(drag);
	return edges;
}

/* Writes the id of a vertex and, if it has another name, that. */
static void
put_vertex(struct buf *b, const struct network *net, uint32_t vertex,
    const char *id_key, const char *name_key)
{
	struct buf id = { 0 }, name = { 0 };

	network_put_id(net, vertex, &id);
	network_put_name(net, vertex, &name);
	json_str(b, id_key, buf_span(&id));
	if (span_compare(buf_span(&id), buf_span(&name)) != 0)
		json_str(b, name_key, buf_span(&name));
	buf_release(&id);
	buf_release(&name);
}

void
edges_emit(const struct answer *a, struct filter *f)
{
	size_t n;
	struct edge *edges = find_edges(a, &n);
	struct buf *b;

	for (size_t i = 0; i < n; i++) {
		b = emit_begin(a->net->build, f, "edge");
		put_vertex(b, a->net, edges[i].from, "from", "from_name");
		put_vertex(b, a->net, edges[i].to, "to", "to_name");
		if (a->knows_savings)
			json_int(b, "potential_us", edges[i].potential_us);
		filter_end_record(f);
	}
	free(edges);
}

static int
compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return cmp_i64(y->potential_us, x->potential_us) ?:
	    cmp_u64(x->step, y->step);
}

static void
describe(struct buf *text, const struct network *net, uint32_t vertex)
{
	const struct task *t = network_task(net, vertex);

	if (t != NULL)
		build_describe(net->build, t, text);
	else
		network_put_name(net, vertex, text);
}

void
edges_report(const struct answer *a, struct buf *out)
{
	static const char *const heads[] = { "could save", "without" };
	size_t n, n_saving = 0, from;
	struct edge *edges = find_edges(a, &n);
	struct buf text = { 0 };
	struct table t;

	sort(edges, n, sizeof *edges, compare_edges);
	while (a->knows_savings && n_saving < n &&
	    edges[n_saving].potential_us > 0)
		n_saving++;
	report_heading(out, "\nDependencies of the path");
	from = out->len;
	if (n_saving == 0) {
		buf_str(out, a->knows_savings ? "without any one of them, the "
		    "path would be as long" : "what the build would save "
		    "without one of them is not known");
		report_item(out, from, 1);
		free(edges);
		return;
	}

	table_init(&t, "Rl", heads);
	for (size_t i = 0; i < n_saving && i < ROWS_MAX; i++) {
		table_us(&t, edges[i].potential_us);
		text.len = 0;
		describe(&text, a->net, edges[i].from);
		buf_str(&text, "  -> ");
		describe(&text, a->net, edges[i].to);
		table_text(&t, buf_span(&text));
	}
	table_print(&t, out);
	report_more(out, n_saving > ROWS_MAX ? n_saving - ROWS_MAX : 0, "");
	buf_release(&text);
	free(edges);
}
