/* callgraph-symbolize - add names, files and lines to addresses */

#include <stdlib.h>

#include "common/base/err.h"
#include "common/filter/filter-get.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/json/recio.h"
#include "common/program/callgraph.h"
#include "filters/callgraph-symbolize/callgraph-symbolize.h"

static struct {
	struct sources_options sources;
	bool no_demangle;
} opt = { .sources.debug_dir = "/usr/lib/debug" };

static const struct opt options[] = {
	{ 'r', "release-dir", OPT_LIST, &opt.sources.release_dirs, "DIR",
	    "releases by callgraph-release, repeatable", 0, 0 },
	{ 'e', "executable", OPT_LIST, &opt.sources.executables, "FILE",
	    "a program or library with symbols, repeatable", 0, 0 },
	{ 0, "debug-dir", OPT_STR, &opt.sources.debug_dir, "DIR",
	    "separate debug information (/usr/lib/debug)", 0, 0 },
	{ 0, "no-demangle", OPT_FLAG, &opt.no_demangle, NULL,
	    "write linkage names, not source names", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Adds names, files and lines to the addresses of callgraph "
	    "and crash records.",
	.examples = {
	    "callgraph-symbolize calls | callgraph-stat",
	    "callgraph-symbolize --release-dir releases calls >named",
	},
	.reads = "callgraph records",
	.keys = callgraph_keys,
};

/* The addresses of a node or frame; 0: unknown. */
struct call {
	uint64_t function, call_site;
};

static struct {
	struct callgraph graph;		/* the modules of the current record */
	struct source **sources;	/* of its modules */
	size_t sources_cap;
	struct recio *nodes_io;
	struct call *calls;		/* of the nodes or frames read so far */
	size_t n_calls, calls_cap;
	uint64_t n_addresses;		/* that were looked up */
	uint64_t n_unknown;		/* of them, those without symbols and
					   not in a library of the system */
} state;

static struct source *
source_of_module(const struct graph_module *m)
{
	return state.sources[m - state.graph.modules];
}

/* Whether a node has one of the texts from first to last. */
static bool
has_any(const struct rec *node, unsigned first, unsigned last)
{
	for (unsigned i = first; i <= last; i++)
		if (rec_get(node, NODE_FIRST_TEXT + i) != NULL)
			return true;
	return false;
}

/* Reads the addresses of a node or frame.  False if one is malformed. */
static bool
read_call(const struct rec *node, struct call *call)
{
	*call = (struct call){ 0 };
	return callgraph_address(node, NODE_FUNCTION, &call->function) !=
	    REC_BAD && callgraph_address(node, NODE_CALL_SITE,
	    &call->call_site) != REC_BAD;
}

static void
keep_call(struct call call)
{
	state.calls = mem_grow(state.calls, &state.calls_cap,
	    state.n_calls + 1, sizeof *state.calls);
	state.calls[state.n_calls++] = call;
}

/*
 * Whether a call was inlined: then the call site recorded for it equals the one
 * recorded for its caller, and is not in the caller's code.  (A function that
 * repeatedly calls itself from one place has equal call sites too, but that
 * place is in its code.)
 */
static bool
is_inlined(const struct call *call, size_t caller)
{
	uint64_t address, site = call->call_site - 1;	/* part of the call */
	uint32_t function;
	const struct graph_module *m;
	struct symbols *symbols;

	if (caller >= state.n_calls ||
	    call->call_site != state.calls[caller].call_site)
		return false;
	address = state.calls[caller].function;
	m = callgraph_module_at(&state.graph, address);
	if (m == NULL || callgraph_module_at(&state.graph, site) != m)
		return true;
	symbols = source_symbols(source_of_module(m));
	if (symbols == NULL)
		return true;
	function = symbols_find(symbols, address - m->base)->function;
	return symbols_find(symbols, site - m->base)->function != function;
}

/* Adds the symbols of an address in the module that contains another one. */
static void
add_symbols(uint64_t address, uint64_t contained,
    bool (*add)(struct source *, uint64_t, struct buf *), struct buf *b)
{
	const struct graph_module *m = callgraph_module_at(&state.graph,
	    contained);
	struct source *s = m != NULL ? source_of_module(m) : NULL;

	state.n_addresses++;
	if (s != NULL && add(s, address - m->base, b))
		return;
	if (s != NULL && s->is_system)
		s->n_unknown++;
	else
		state.n_unknown++;
}

/*
 * Writes the nodes of a callgraph, or the frames of a crash, with symbols added
 * at the end of each.  If one is malformed, rejects the line and returns false.
 */
static bool
put_nodes(struct filter *f, struct span rest, bool are_frames, struct buf *b)
{
	struct span frames = rest, item;
	struct rec *node;
	struct call call;
	const char *why = NULL;
	size_t n = 0, caller;
	int64_t parent;

	/*
	 * The caller of a frame is the next frame, so the calls of a crash are
	 * kept before its frames are written.  In a callgraph the caller is an
	 * earlier node.
	 */
	state.n_calls = 0;
	while (are_frames && (node = recio_item(state.nodes_io, &frames, &item,
	    &why)) != NULL && read_call(node, &call))
		keep_call(call);

	while ((node = recio_item(state.nodes_io, &rest, &item, &why)) !=
	    NULL && read_call(node, &call)) {
		buf_char(b, n++ > 0 ? ',' : '[');
		buf_add(b, item.p, item.n - 1);		/* without "}" */
		if (call.function != 0 && !has_any(node, NODE_NAME, NODE_LINE))
			add_symbols(call.function, call.function,
			    answers_add_function, b);
		caller = SIZE_MAX;
		if (are_frames)
			caller = n;	/* now the index of the next frame */
		else if (rec_int(node, NODE_PARENT, &parent) == REC_OK &&
		    parent >= 0)
			caller = (size_t)parent;
		/* A return address may be just past its module. */
		if (call.call_site != 0 && !has_any(node, NODE_CALL_FILE,
		    NODE_CALL_INLINED) && !is_inlined(&call, caller))
			add_symbols(call.call_site, call.call_site - 1,
			    answers_add_call, b);
		buf_char(b, '}');
		if (!are_frames)
			keep_call(call);
	}

	if (node != NULL || why != NULL) {
		filter_reject(f, "function or call_site is not an address such "
		    "as \"0x401136\": %.*s", SPAN_ARG(item));
		return false;
	}
	if (n == 0)
		buf_char(b, '[');
	buf_char(b, ']');
	return true;
}

/* Copies a line, with symbols added to the array under a key. */
static void
put_record(struct filter *f, const struct rec *rec, unsigned key,
    struct span line)
{
	const struct callgraph *g = &state.graph;
	const struct field *field = rec_get(rec, key);
	struct buf *b = filter_out(f);
	size_t start = b->len, rest;
	struct span checksum;
	const char *why;

	if (field == NULL || field->kind != REC_ARRAY) {
		filter_reject(f, "%s is not an array", callgraph_keys[key]);
		return;
	}
	if (!filter_get_str(f, rec, GRAPH_CHECKSUM, &checksum))
		return;
	if (!callgraph_read_modules(&state.graph, rec, &why)) {
		filter_reject(f, "%s", why);
		return;
	}
	state.sources = mem_grow(state.sources, &state.sources_cap,
	    g->n_modules, sizeof(struct source *));
	for (size_t i = 0; i < g->n_modules; i++)
		state.sources[i] = source_of(&(struct module){
		    .path = g->modules[i].path,
		    .build_id = g->modules[i].build_id, .checksum = checksum,
		    .is_program = g->modules[i].is_program });

	buf_add(b, line.p, (size_t)(field->token.p - line.p));
	if (!put_nodes(f, field->token, key == GRAPH_FRAMES, b)) {
		b->len = start;
		return;
	}
	rest = (size_t)(field->token.p - line.p) + field->token.n;
	buf_add(b, line.p + rest, line.n - rest);
	buf_char(b, '\n');
	filter_emit(f);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct line line;
	struct span text;
	struct rec *rec;

	filter_begin(&f, &about, options, argc, argv);
	sources_init(&opt.sources);
	answers_init(!opt.no_demangle);
	callgraph_init(&state.graph);
	state.nodes_io = recio_new(callgraph_node_keys);
	while (filter_line(&f, &line)) {
		text = span_of(line.p, line.len);
		if ((rec = filter_record(&f, text)) == NULL ||
		    filter_consume_boundary(&f, rec))
			continue;
		if (rec_is(rec, "callgraph")) {
			put_record(&f, rec, GRAPH_NODES, text);
		} else if (rec_is(rec, "crash")) {
			put_record(&f, rec, GRAPH_FRAMES, text);
		} else {
			buf_add(filter_out(&f), text.p, text.n);
			buf_char(filter_out(&f), '\n');
			filter_emit(&f);
		}
	}

	sources_report_missing(state.n_addresses);
	if (state.n_unknown > 0)
		err_warn("warning: %llu of %llu addresses have no symbols",
		    (unsigned long long)state.n_unknown,
		    (unsigned long long)state.n_addresses);
	sources_report_damage(&f);
	sources_release();
	answers_release();
	callgraph_release(&state.graph);
	recio_free(state.nodes_io);
	free(state.sources);
	free(state.calls);
	return filter_end(&f);
}
