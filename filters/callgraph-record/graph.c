/* graph - collects the nodes and modules of a process, and writes them */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/json/json.h"
#include "filters/callgraph-record/graph.h"

bool
graph_add(struct graph *g, const struct graph_node *n)
{
	if (n->parent > g->n || g->n >= UINT32_MAX)
		return false;
	g->nodes = mem_grow(g->nodes, &g->cap, g->n + 1, sizeof *g->nodes);
	g->nodes[g->n++] = *n;
	return true;
}

/*
 * Links siblings and children, computes total times, and returns the number of
 * the first root.  The loop runs backwards, so that the total of a node is
 * complete when it is added to that of its parent.  Each node is linked in
 * front of its later siblings.
 */
static uint32_t
link_nodes(struct graph *g)
{
	struct graph_node *n, *p;
	uint32_t root = 0;

	for (size_t i = g->n; i-- > 0;) {
		n = &g->nodes[i];
		n->total_ns += n->self_ns;
		if (n->parent == 0) {
			n->next_sibling = root;
			root = (uint32_t)i + 1;
			continue;
		}
		p = &g->nodes[n->parent - 1];
		p->total_ns += n->total_ns;
		n->next_sibling = p->first_child;
		p->first_child = (uint32_t)i + 1;
	}
	return root;
}

static void
put_node(struct buf *b, const struct graph_node *n, const uint32_t *positions,
    bool timed, bool sampled)
{
	buf_str(b, positions[0] > 0 ? ",{" : "{");
	if (n->parent != 0)
		json_uint(b, "parent", positions[n->parent] - 1);
	json_address(b, "function", n->function);
	if (n->call_site != 0)
		json_address(b, "call_site", n->call_site);
	json_uint(b, "calls", n->calls);
	if (timed) {
		json_uint(b, "self_ns", n->self_ns);
		json_uint(b, "total_ns", n->total_ns);
	}
	if (sampled)
		json_uint(b, "samples", n->samples);
	buf_char(b, '}');
}

void
graph_put(struct graph *g, bool timed, bool sampled, struct buf *b)
{
	/*
	 * By number of a node: its position in the record, which counts from 1.
	 * positions[0] is the last position so far.
	 */
	uint32_t *positions = mem_zero(g->n + 1, sizeof *positions);
	uint32_t node = link_nodes(g);

	json_open(b, "nodes", '[');
	while (node != 0) {
		put_node(b, &g->nodes[node - 1], positions, timed, sampled);
		positions[node] = ++positions[0];
		if (g->nodes[node - 1].first_child != 0) {
			node = g->nodes[node - 1].first_child;
			continue;
		}
		while (node != 0 && g->nodes[node - 1].next_sibling == 0)
			node = g->nodes[node - 1].parent;
		if (node != 0)
			node = g->nodes[node - 1].next_sibling;
	}
	json_close(b, ']');
	free(positions);
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

void
modules_mark(struct modules *m, uint64_t address)
{
	uint32_t module = intervals_find(&m->index, address);

	if (module != INDEX_NONE)
		m->list[module].is_marked = true;
}

void
modules_mark_graph(struct modules *m, const struct graph *g)
{
	for (size_t i = 0; i < g->n; i++) {
		modules_mark(m, g->nodes[i].function);
		modules_mark(m, g->nodes[i].call_site);
	}
}

void
modules_put(struct modules *m, struct buf *b)
{
	struct module *end = m->list + m->n;

	json_open(b, "modules", '[');
	for (struct module *i = m->list; i < end; i++) {
		if (!i->is_marked)
			continue;
		i->is_marked = false;
		buf_str(b, b->data[b->len - 1] == '[' ? "{" : ",{");
		json_cstr(b, "path", i->path);
		json_address(b, "base", i->base);
		json_address(b, "start", i->start);
		json_address(b, "end", i->end);
		if (i->build_id[0] != '\0')
			json_cstr(b, "build_id", i->build_id);
		buf_char(b, '}');
	}
	json_close(b, ']');
}
