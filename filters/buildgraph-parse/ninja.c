/* ninja - reads what `ninja -t graph` and `ninja -t deps` print */

#define _GNU_SOURCE	/* memmem() */
#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/buildgraph-parse/formats.h"

/*
 * In ninja's DOT graph, files and commands are vertices named by addresses:
 *
 *	"0x10" [label="main.c"]
 *	"0x20" [label="cc", shape=ellipse]	a command, by its rule
 *	"0x10" -> "0x20" [arrowhead=none]	an input
 *	"0x20" -> "0x30"			an output
 *	"0x10" -> "0x30" [label=" cc"]		a command with one input and
 *						one output is only an edge
 *
 * A vertex may be used before its label is known, so the `node` records, one
 * for each command, are written at the end.  The id of a node is the smallest
 * output of its command in the order of bytes, relative paths before absolute
 * ones; execlog-parse chooses the id of a command's task in the same way.
 */
struct vertex {
	sym label;		/* path of a file, rule of a command */
	bool is_command;
	uint32_t producer;	/* of a file: its command, or INDEX_NONE */
	sym id;			/* of a command: a label, or SYM_NONE; set by
				   index_graph() */
};

struct edge {
	uint32_t command;
	uint32_t file;		/* a vertex; after resolve_files() a label */
};

struct edges {
	struct edge *list;
	size_t n, cap;
};

static struct {
	struct filter *f;
	struct intern addresses, labels;
	struct vertex *vertices;
	size_t n, cap;
	struct edges inputs, outputs;
	uint32_t *file_of;		/* by label: the vertex of the file with
					   this path, or INDEX_NONE */
	uint64_t n_stale;		/* outputs with stale deps */
	bool is_open;			/* the graph has begun, and its '}' has
					   not been read */
} graph;

/*
 * Finds or adds the vertex of an address.  The number of the address in
 * graph.addresses is the index of the vertex.
 */
static uint32_t
vertex_of(struct span address)
{
	sym s = intern_add(&graph.addresses, address);

	if (s == graph.n) {
		graph.vertices = mem_grow(graph.vertices, &graph.cap,
		    ++graph.n, sizeof *graph.vertices);
		graph.vertices[s] = (struct vertex){ .label = SYM_NONE,
		    .producer = INDEX_NONE, .id = SYM_NONE };
	}
	return s;
}

static void
add_edge(struct edges *edges, uint32_t command, uint32_t file)
{
	edges->list = mem_grow(edges->list, &edges->cap, edges->n + 1,
	    sizeof *edges->list);
	edges->list[edges->n++] = (struct edge){ command, file };
}

static void
set_label(uint32_t vertex, bool is_command, struct span label)
{
	graph.vertices[vertex].label = intern_add(&graph.labels, label);
	graph.vertices[vertex].is_command = is_command;
}

/*
 * Returns whether s has this prefix and suffix, and sets middle to the text
 * between them.
 */
static bool
strip(struct span s, const char *prefix, const char *suffix,
    struct span *middle)
{
	size_t before = strlen(prefix), after = strlen(suffix);

	if (s.n < before + after || memcmp(s.p, prefix, before) != 0 ||
	    memcmp(s.p + s.n - after, suffix, after) != 0)
		return false;
	*middle = span_of(s.p + before, s.n - before - after);
	return true;
}

/*
 * Reads the edge in line.  `from` is the address of its source; rest begins
 * with the address of its target, without the opening quote.
 */
static bool
read_edge(struct span line, struct span from, struct span rest)
{
	struct span to, rule;
	const char *quote = memchr(rest.p, '"', rest.n);
	uint32_t source, target, command;

	if (quote == NULL)
		return false;
	to = span_of(rest.p, (size_t)(quote - rest.p));
	rest = span_of(quote + 1, rest.n - to.n - 1);
	source = vertex_of(from);
	target = vertex_of(to);
	if (rest.n == 0) {
		add_edge(&graph.outputs, source, target);
		return true;
	}
	if (strip(rest, " [arrowhead=none", "]", &rule)) {
		add_edge(&graph.inputs, target, source);
		return true;
	}
	if (!strip(rest, " [label=\" ", "\"]", &rule))
		return false;
	/*
	 * A command that ninja prints only as an edge has no address; the line,
	 * which is unique, serves as one.
	 */
	command = vertex_of(line);
	set_label(command, true, rule);
	add_edge(&graph.inputs, command, source);
	add_edge(&graph.outputs, command, target);
	return true;
}

/* Reads a line that begins with a quote: a vertex or an edge. */
static bool
read_quoted(struct span line)
{
	const char *quote = memchr(line.p + 1, '"', line.n - 1);
	struct span address, rest, target, label;
	bool is_command;

	if (quote == NULL)
		return false;
	address = span_of(line.p + 1, (size_t)(quote - line.p) - 1);
	rest = span_of(quote + 1, line.n - address.n - 2);
	if (strip(rest, " -> \"", "", &target))
		return read_edge(line, address, target);

	/* Ninja does not escape quotes in a label, so the label ends only at
	   the end of the line. */
	is_command = strip(rest, " [label=\"", "\", shape=ellipse]", &label);
	if (!is_command && !strip(rest, " [label=\"", "\"]", &label))
		return false;
	set_label(vertex_of(address), is_command, label);
	return true;
}

static void
read_graph_line(const struct line *line)
{
	struct span text = span_of(line->p, line->len), middle;
	bool is_valid = true;

	if (!filter_check_text(graph.f, line))
		return;
	if (*text.p == '"')
		is_valid = read_quoted(text);
	else if (span_eq(text, "digraph ninja {"))
		graph.is_open = true;
	else if (span_eq(text, "}"))
		graph.is_open = false;
	else
		is_valid = strip(text, "rankdir=", "", &middle) ||
		    strip(text, "node [", "]", &middle) ||
		    strip(text, "edge [", "]", &middle);
	if (!is_valid)
		filter_reject(graph.f, "the line is not from 'ninja -t graph'");
}

/* Whether `name` rather than `other` should be the id of a command. */
static bool
is_better_name(sym name, sym other)
{
	bool absolute, other_absolute;

	if (name == SYM_NONE || other == SYM_NONE)
		return other == SYM_NONE;
	absolute = *intern_str(&graph.labels, name) == '/';
	other_absolute = *intern_str(&graph.labels, other) == '/';
	if (absolute != other_absolute)
		return other_absolute;
	return intern_cmp(&graph.labels, name, other) < 0;
}

/*
 * Sets the file of each label, the producer of each file, and the id of each
 * command.
 */
static void
index_graph(void)
{
	struct vertex *v;
	const struct edge *e;

	graph.file_of = mem_ones(graph.labels.n, sizeof *graph.file_of);
	for (uint32_t i = 0; i < graph.n; i++) {
		v = &graph.vertices[i];
		if (!v->is_command && v->label != SYM_NONE)
			graph.file_of[v->label] = i;
	}
	for (e = graph.outputs.list; e < graph.outputs.list + graph.outputs.n;
	    e++) {
		v = &graph.vertices[e->command];
		graph.vertices[e->file].producer = e->command;
		if (is_better_name(graph.vertices[e->file].label, v->id))
			v->id = graph.vertices[e->file].label;
	}
}

static uint32_t
find_file(struct span path)
{
	sym s = intern_find(&graph.labels, path);

	return s == SYM_NONE ? INDEX_NONE : graph.file_of[s];
}

/* Where `what` is last in a text, or NULL. */
static const char *
find_last(struct span text, const char *what)
{
	size_t n = strlen(what);

	for (size_t i = text.n < n ? 0 : text.n - n + 1; i-- > 0;)
		if (memcmp(text.p + i, what, n) == 0)
			return text.p + i;
	return NULL;
}

/*
 * Reads a line "out: #deps 3, deps mtime 17 (VALID)", or one of those that
 * follow it, with four spaces and the path of an input.  *command is the
 * command that makes the last out and so has these inputs, or INDEX_NONE if
 * they are to be ignored.
 */
static void
read_deps_line(const struct line *line, uint32_t *command)
{
	struct span text = span_of(line->p, line->len), rest;
	const char *end;
	uint32_t file;

	if (!filter_check_text(graph.f, line))
		return;
	if (strip(text, "    ", "", &rest)) {
		file = find_file(rest);
		if (*command != INDEX_NONE && file != INDEX_NONE)
			add_edge(&graph.inputs, *command, file);
		return;
	}

	/* A path may contain ": #deps ", so out ends at the last one. */
	*command = INDEX_NONE;
	end = find_last(text, ": #deps ");
	if (end == NULL || text.p[text.n - 1] != ')') {
		filter_reject(graph.f, "the line is not from 'ninja -t deps'");
		return;
	}
	if (!strip(text, "", "(VALID)", &rest)) {
		graph.n_stale++;
		return;
	}
	file = find_file(span_of(text.p, (size_t)(end - text.p)));
	if (file != INDEX_NONE)
		*command = graph.vertices[file].producer;
}

static int
compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return cmp_u64(x->command, y->command) ?:
	    intern_cmp(&graph.labels, x->file, y->file);
}

/*
 * Replaces the file of each edge by a label: the path of the file or, if
 * by_command is true, the id of the command that makes the file.  Edges for
 * which there is no label are dropped.
 */
static void
resolve_files(struct edges *edges, bool by_command)
{
	const struct vertex *file;
	size_t n = 0;
	sym name;

	for (size_t i = 0; i < edges->n; i++) {
		file = &graph.vertices[edges->list[i].file];
		name = file->label;
		/* A command may read a header that it makes itself. */
		if (by_command)
			name = file->producer == INDEX_NONE || file->producer ==
			    edges->list[i].command ? SYM_NONE :
			    graph.vertices[file->producer].id;
		if (name != SYM_NONE)
			edges->list[n++] = (struct edge){
			    edges->list[i].command, name };
	}
	edges->n = n;
	sort(edges->list, n, sizeof *edges->list, compare_edges);
}

/*
 * Writes the labels of a command's edges, each once, as an array.  *i is at
 * most the index of the first edge of this command, and becomes that of the
 * first edge of a later one.
 */
static void
put_names(struct buf *b, const char *key, const struct edges *edges,
    uint32_t command, size_t *i)
{
	sym last = SYM_NONE;

	while (*i < edges->n && edges->list[*i].command < command)
		++*i;
	if (*i == edges->n || edges->list[*i].command != command)
		return;
	json_open(b, key, '[');
	for (; *i < edges->n && edges->list[*i].command == command; ++*i) {
		if (edges->list[*i].file != last)
			json_item(b, intern_span(&graph.labels,
			    edges->list[*i].file));
		last = edges->list[*i].file;
	}
	json_close(b, ']');
}

/* Whether a word is a configuration that CMake has by itself. */
static bool
is_configuration(struct span word)
{
	static const char *const names[] = { "", "Debug", "Release",
	    "RelWithDebInfo", "MinSizeRel" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (span_eq(word, names[i]))
			return true;
	return false;
}

/*
 * CMake names rules for each target: CXX_COMPILER__TARGET_unscanned_CONFIG,
 * CXX_STATIC_LIBRARY_LINKER__TARGET_CONFIG and so on; old versions have no
 * configuration.  What it does not allow in a name is .XX, hexadecimal.
 * Shortens such a rule to the part before the target, and appends the target to
 * target.  A configuration that is not CMake's own remains in the name of what
 * is linked, because it looks like a part of the target.
 */
static void
split_rule(struct span *rule, struct buf *target)
{
	static const char *const kinds[] = { "_COMPILER__", "_LINKER__",
	    "_SCAN__", "_DYNDEP__" };
	const char *at = NULL, *end = rule->p + rule->n, *from;
	struct span rest;
	unsigned char byte;

	for (size_t i = 0; at == NULL && i < sizeof kinds / sizeof *kinds; i++)
		if ((at = memmem(rule->p, rule->n, kinds[i],
		    strlen(kinds[i]))) != NULL)
			at += strlen(kinds[i]) - strlen("__");
	if (at == NULL)
		return;
	from = at + strlen("__");
	rest = span_of(from, (size_t)(end - from));
	if ((end = find_last(rest, "_unscanned_")) == NULL &&
	    (end = find_last(rest, "_scanned_")) == NULL) {
		end = find_last(rest, "_");
		if (end == NULL || !is_configuration(span_of(end + 1,
		    rest.n - (size_t)(end + 1 - rest.p))))
			end = rest.p + rest.n;
	}
	for (const char *p = from; p < end; p++) {
		if (*p == '.' && end - p > 2 &&
		    hex_decode(span_of(p + 1, 2), &byte, 1)) {
			buf_char(target, (char)byte);
			p += 2;
		} else {
			buf_char(target, *p);
		}
	}
	rule->n = (size_t)(at - rule->p);
}

static void
emit_nodes(void)
{
	size_t in = 0, out = 0;
	struct buf *b, target = { 0 };
	const struct vertex *v;
	struct span rule;

	resolve_files(&graph.inputs, true);
	resolve_files(&graph.outputs, false);
	for (uint32_t i = 0; i < graph.n; i++) {
		v = &graph.vertices[i];
		if (!v->is_command || v->id == SYM_NONE)
			continue;
		b = filter_begin_record(graph.f, "node");
		json_str(b, "id", intern_span(&graph.labels, v->id));
		put_names(b, "deps", &graph.inputs, i, &in);
		rule = intern_span(&graph.labels, v->label);
		target.len = 0;
		split_rule(&rule, &target);
		json_str(b, "rule", rule);
		if (target.len > 0)
			json_str(b, "target", buf_span(&target));
		put_names(b, "outputs", &graph.outputs, i, &out);
		filter_end_record(graph.f);
	}
	buf_release(&target);
}

static void
ninja_read(struct filter *f, const struct format_options *options)
{
	uint32_t command = INDEX_NONE;
	struct line line;

	graph.f = f;
	intern_init(&graph.addresses);
	intern_init(&graph.labels);
	while (filter_line(f, &line))
		read_graph_line(&line);
	if (graph.is_open)
		filter_fail(f, "the graph was truncated: its last line '}' "
		    "is missing");
	index_graph();
	if (options->deps_file != NULL) {
		filter_read_next(f, options->deps_file, false);
		while (filter_line(f, &line))
			read_deps_line(&line, &command);
	}
	emit_nodes();
	if (graph.n_stale > 0)
		err_warn("warning: the deps of %llu outputs are stale and "
		    "were left out", (unsigned long long)graph.n_stale);
	intern_release(&graph.addresses);
	intern_release(&graph.labels);
	free(graph.vertices);
	free(graph.inputs.list);
	free(graph.outputs.list);
	free(graph.file_of);
}

const struct input_format ninja_graph_format = {
	.name = "ninja",
	.help = "what 'ninja -t graph' prints",
	.read = ninja_read,
};
