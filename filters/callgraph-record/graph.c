/* graph - collects the nodes and modules of a process, and writes them */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/json/json.h"
#include "common/program/tree.h"
#include "filters/callgraph-record/callgraph-record.h"

bool
graph_add(struct graph *g, const struct counted_node *n)
{
	if (n->parent > g->n || g->n >= INDEX_NONE - 1)
		return false;
	g->nodes = mem_grow(g->nodes, &g->cap, g->n + 1, sizeof *g->nodes);
	g->nodes[g->n++] = *n;
	return true;
}

/*
 * Makes a tree of the nodes, subtracts the estimated cost of the probes, and
 * computes total times.  The loop runs backwards, so that the total of a node
 * is complete when it is added to that of its parent.
 */
static void
link_nodes(struct graph *g, struct tree *t, uint64_t probe_ps)
{
	struct counted_node *n, *p;
	double added;	/* to the self time, by the probes */
	uint64_t on_cpu;

	tree_init(t, g->n);
	for (size_t i = g->n; i-- > 0;) {
		n = &g->nodes[i];
		/*
		 * Self time is measured in intervals from one hook to the next,
		 * each of which is too long by probe_ps.  A call has one from
		 * its entry, and one after each call that it makes.
		 */
		added = ((double)n->calls + (double)n->calls_made) *
		    (double)probe_ps / 1000;
		if (n->off_ns > n->self_ns)
			n->off_ns = n->self_ns;
		on_cpu = n->self_ns - n->off_ns;
		n->probe_ns = added < (double)on_cpu ? (uint64_t)added : on_cpu;
		n->total_ns += n->self_ns - n->probe_ns;
		n->total_off_ns += n->off_ns;

		/* A reference of 0 becomes INDEX_NONE. */
		tree_prepend(t, (uint32_t)i, n->parent - 1);
		if (n->parent == 0)
			continue;
		p = &g->nodes[n->parent - 1];
		p->total_ns += n->total_ns;
		p->total_off_ns += n->total_off_ns;
		p->calls_made += n->calls;
	}
}

void
graph_put(struct graph *g, const struct snapshot *snap, struct buf *b)
{
	/* By node: its position in the record. */
	uint32_t *positions = mem_resize(NULL, g->n + 1, sizeof *positions);
	uint32_t n_written = 0;
	const struct counted_node *n;
	uint64_t probe_ns = 0;
	struct tree t;

	link_nodes(g, &t, snap->probe_ps);
	json_open(b, "nodes", '[');
	while (tree_next(&t)) {
		if (!t.enters)
			continue;
		n = &g->nodes[t.node];
		buf_str(b, n_written > 0 ? ",{" : "{");
		if (n->parent != 0)
			json_uint(b, "parent", positions[n->parent - 1]);
		json_address(b, "function", n->function);
		if (n->call_site != 0)
			json_address(b, "call_site", n->call_site);
		json_uint(b, "calls", n->calls);
		if (snap->timed) {
			json_uint(b, "self_ns", n->self_ns - n->probe_ns);
			json_uint(b, "total_ns", n->total_ns);
			json_uint(b, "measured_ns", n->self_ns);
		}
		if (snap->timed && snap->has_off_time) {
			json_uint(b, "self_off_ns", n->off_ns);
			json_uint(b, "total_off_ns", n->total_off_ns);
		}
		if (snap->sampled)
			json_uint(b, "samples", n->samples);
		buf_char(b, '}');
		probe_ns += n->probe_ns;
		positions[t.node] = n_written++;
	}
	json_close(b, ']');
	tree_release(&t);
	free(positions);
	if (snap->timed)
		json_uint(b, "probe_ns", probe_ns);
	g->n = 0;
}

void
modules_add(struct modules *m, const struct module *new)
{
	m->list = mem_grow(m->list, &m->cap, m->n + 1, sizeof *m->list);
	intervals_assign(&m->index, new->start, new->end, (uint32_t)m->n);
	m->list[m->n++] = *new;
}

void
modules_release(struct modules *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->list[i].path);
		free(m->list[i].build_id);
	}
	free(m->list);
	intervals_release(&m->index);
	*m = (struct modules){ 0 };
}

static void
modules_mark(struct modules *m, uint64_t address)
{
	uint32_t module = intervals_find(&m->index, address);

	if (module != INDEX_NONE)
		m->list[module].is_marked = true;
}

void
modules_mark_call(struct modules *m, uint64_t function, uint64_t call_site)
{
	modules_mark(m, function);
	/* The byte before a return address is part of the call.  If it is
	   unknown, 0, no module contains the last address. */
	modules_mark(m, call_site - 1);
}

void
modules_mark_graph(struct modules *m, const struct graph *g)
{
	for (size_t i = 0; i < g->n; i++)
		modules_mark_call(m, g->nodes[i].function,
		    g->nodes[i].call_site);
}

void
modules_put(struct modules *m, struct buf *b)
{
	struct module *end = m->list + m->n;

	json_open(b, "modules", '[');
	for (struct module *module = m->list; module < end; module++) {
		if (!module->is_marked)
			continue;
		module->is_marked = false;
		buf_str(b, b->data[b->len - 1] == '[' ? "{" : ",{");
		json_cstr(b, "path", module->path);
		json_address(b, "base", module->base);
		json_address(b, "start", module->start);
		json_address(b, "end", module->end);
		json_text(b, "build_id", span_str(module->build_id));
		buf_char(b, '}');
	}
	json_close(b, ']');
}
