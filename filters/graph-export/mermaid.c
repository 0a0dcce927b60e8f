/* mermaid - writes a picture as a flowchart of Mermaid */

#include "common/base/num.h"
#include "filters/graph-export/graph-export.h"

static bool
is_word(char c)
{
	return text_is_digit(c) || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z');
}

/*
 * Whether a character of a label stands for itself in Mermaid and in the
 * Markdown and HTML that it accepts in labels.  A period or a hyphen may belong
 * to a list or a link, unless it is within a word, and spaces at the beginning
 * of a line to code.
 */
static bool
is_plain(uint32_t c, char before, char after)
{
	if (c > 0x7f)
		return true;
	if (c == '.' || c == '-')
		return is_word(before) && is_word(after) && before != 'w';
	if (c == ' ' || c == '/' || c == ',')
		return before != '\n';
	return is_word((char)c);
}

/*
 * Writes a text within quotes: all but plain characters become references,
 * which Mermaid resolves last.  But if the text had any markup, even <br/>, it
 * would resolve them first, and what they stand for would be Markdown.  Until
 * then it writes them as texts that begin with U+FB02 and end with U+00B6
 * U+00DF, so these are replaced.
 */
static void
put_text(struct buf *b, struct span text)
{
	char before = '\n', after;
	size_t from;
	uint32_t c;

	for (size_t at = 0; at < text.n; before = text.p[at - 1]) {
		from = at;
		c = caption_char(text, &at);
		after = at < text.n ? text.p[at] : '\n';
		if (c == 0xfffd || c == 0xb6)
			buf_str(b, "\xef\xbf\xbd");
		else if (c == 0xfb02)
			buf_str(b, "fl");
		else if (c == '\n' || is_plain(c, before, after))
			buf_add(b, text.p + from, at - from);
		else
			buf_printf(b, "#%lu;", (unsigned long)c);
	}
}

/*
 * Writes the title as a string of YAML, in one line.  Mermaid removes what
 * looks like HTML from it, so characters of HTML become their wide forms.
 */
static void
put_title(struct buf *b, const struct chart *p)
{
	struct buf text = { 0 };
	size_t from;
	uint32_t c;

	caption_title(&text, p);
	buf_str(b, "---\ntitle: \"");
	for (size_t at = 0; at < text.len;) {
		from = at;
		c = caption_char(buf_span(&text), &at);
		if (c == '"' || c == '\\')
			buf_char(b, '\\');
		if (c == '\n')
			buf_str(b, ". ");
		else if (c == 0xfffd)
			buf_str(b, "\xef\xbf\xbd");
		else if (c == '<' || c == '>' || c == '&')
			buf_str(b, c == '<' ? "\xef\xbc\x9c" : c == '>' ?
			    "\xef\xbc\x9e" : "\xef\xbc\x86");
		else
			buf_add(b, text.data + from, at - from);
	}
	buf_str(b, "\"\nconfig:\n  flowchart:\n    wrappingWidth: 500\n"
	    "---\n");
	buf_release(&text);
}

static void
put_nodes(struct buf *b, const struct chart *p)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < p->n_shown; i++) {
		text.len = 0;
		caption_node(&text, p, chart_node(p, i));
		buf_printf(b, "n%u[\"", p->shown[i] + 1);
		put_text(b, buf_span(&text));
		buf_printf(b, "\"]:::heat%u\n",
		    caption_heat(p, chart_node(p, i)));
	}
	if (p->n_more > 0) {
		text.len = 0;
		caption_more(&text, p);
		buf_str(b, "more[\"");
		put_text(b, buf_span(&text));
		buf_str(b, "\"]:::heat0\n");
	}
	buf_release(&text);
}

static void
put_edges(struct buf *b, const struct chart *p)
{
	const struct edge *e;

	for (e = p->edges; e < p->edges + p->n_edges; e++)
		buf_printf(b, "n%u %s n%u\n",
		    p->shown[p->points_to_needs ? e->to : e->from] + 1,
		    e->is_indirect ? "-.->" : "-->",
		    p->shown[p->points_to_needs ? e->from : e->to] + 1);
}

/* Writes a number of a list, after a comma unless it is the first. */
static void
put_item(struct buf *b, const char *prefix, size_t number, size_t *n)
{
	buf_printf(b, "%s%s%zu", (*n)++ > 0 ? "," : " ", prefix, number);
}

/* Sets the style of the edges with a width, on the path or not on it. */
static void
put_styles(struct buf *b, const struct chart *p, unsigned width,
    bool is_critical)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_edges; i++) {
		if (p->edges[i].is_critical != is_critical ||
		    chart_edge_width(p, &p->edges[i]) != width)
			continue;
		if (n == 0)
			buf_str(b, "linkStyle");
		put_item(b, "", i, &n);
	}
	if (n > 0)
		buf_printf(b, " stroke-width:%upx%s\n", width, is_critical ?
		    ",stroke:#d55e00" : "");
}

void
mermaid_put(struct buf *b, const struct chart *p)
{
	size_t n = 0;

	put_title(b, p);
	/* What was first is below, wherever the arrows point. */
	buf_str(b, p->points_to_needs ? "flowchart TB\n" : "flowchart BT\n");
	put_nodes(b, p);
	put_edges(b, p);

	for (unsigned heat = 0; heat <= HEAT_MAX; heat++)
		buf_printf(b, "classDef heat%u fill:%s,color:#000,"
		    "stroke:#666,font-size:%upx\n", heat, heat_fills[heat],
		    12 + 2 * heat);
	if (p->n_path > 0) {
		buf_str(b, "classDef path stroke:#d55e00,stroke-width:4px\n"
		    "class");
		for (size_t i = 0; i < p->n_shown; i++)
			if (chart_node(p, i)->n_critical > 0)
				put_item(b, "n", p->shown[i] + 1, &n);
		buf_str(b, " path\n");
	}
	for (unsigned width = 1; width <= EDGE_WIDTH_MAX; width++) {
		put_styles(b, p, width, false);
		put_styles(b, p, width, true);
	}
}
