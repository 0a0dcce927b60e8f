/* dot - writes a picture in DOT, the language of graphviz */

#include "filters/graph-export/graph-export.h"

/*
 * Writes a text as a label, in double quotes, and empties it.  Graphviz also
 * reads \N, \l and others as escapes, and &lt; as a character: so backslashes
 * are doubled, and & is written as a reference.
 */
static void
put_label(struct buf *b, struct buf *text)
{
	uint32_t c;
	size_t from;

	buf_str(b, "label=\"");
	for (size_t at = 0; at < text->len;) {
		from = at;
		c = caption_char(buf_span(text), &at);
		if (c == '"' || c == '\\') {
			buf_char(b, '\\');
			buf_char(b, (char)c);
		} else if (c == '\n') {
			buf_str(b, "\\n");
		} else if (c == '&') {
			buf_str(b, "&amp;");
		} else if (c == 0xfffd) {
			buf_str(b, "\xef\xbf\xbd");
		} else {
			buf_add(b, text->data + from, at - from);
		}
	}
	buf_char(b, '"');
	text->len = 0;
}

/* The costly nodes and those on the path are larger. */
static void
put_node(struct buf *b, const struct chart *p, size_t i, struct buf *text)
{
	const struct folded *n = chart_node(p, i);
	unsigned heat = caption_heat(p, n);

	buf_printf(b, "\tn%u [", p->shown[i] + 1);
	caption_node(text, p, n);
	put_label(b, text);
	buf_printf(b, ", fillcolor=\"%s\", fontsize=%u", heat_fills[heat],
	    n->n_critical > 0 && heat == 0 ? 12 : 10 + 2 * heat);
	if (n->n_critical > 0)
		buf_str(b, ", color=\"#d55e00\", penwidth=4");
	buf_printf(b, ", tasks=%llu, sum_us=%lld, max_us=%lld",
	    (unsigned long long)n->n_tasks, (long long)n->sum_us,
	    (long long)n->max_us);
	if (n->n_critical > 0)
		buf_printf(b, ", critical=%llu, critical_us=%lld",
		    (unsigned long long)n->n_critical,
		    (long long)n->critical_us);
	buf_str(b, "];\n");
}

static void
put_edge(struct buf *b, const struct chart *p, const struct edge *e)
{
	buf_printf(b, "\tn%u -> n%u [",
	    p->shown[p->points_to_needs ? e->to : e->from] + 1,
	    p->shown[p->points_to_needs ? e->from : e->to] + 1);
	if (e->is_critical)
		buf_str(b, "color=\"#d55e00\", weight=8, ");
	if (e->is_indirect)
		buf_str(b, "style=dashed, ");
	buf_printf(b, "penwidth=%u];\n", chart_edge_width(p, e));
}

void
dot_put(struct buf *b, const struct chart *p)
{
	struct buf text = { 0 };

	/* What was first is below, wherever the arrows point. */
	buf_printf(b, "digraph plan {\n"
	    "\tgraph [rankdir=%s, labelloc=t, fontname=\"sans-serif\", "
	    "fontsize=16, ", p->points_to_needs ? "TB" : "BT");
	caption_title(&text, p);
	put_label(b, &text);
	buf_str(b, "];\n\tnode [shape=box, style=filled, color=\"#666666\", "
	    "fontname=\"sans-serif\"];\n\tedge [color=\"#666666\"];\n");
	for (size_t i = 0; i < p->n_shown; i++)
		put_node(b, p, i, &text);
	if (p->n_more > 0) {
		caption_more(&text, p);
		buf_str(b, "\tmore [shape=plaintext, style=\"\", ");
		put_label(b, &text);
		buf_str(b, "];\n");
	}
	for (size_t i = 0; i < p->n_edges; i++)
		put_edge(b, p, &p->edges[i]);
	buf_str(b, "}\n");
	buf_release(&text);
}
