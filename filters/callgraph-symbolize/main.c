/* callgraph-symbolize - add names, files and lines to addresses */

#include <stdlib.h>

#include "common/base/err.h"
#include "common/base/intervals.h"
#include "common/base/num.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/json/recio.h"
#include "common/program/callgraph.h"
#include "filters/callgraph-symbolize/answers.h"
#include "filters/callgraph-symbolize/sources.h"

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

#define RECORD_KEYS(K)							\
	K(CHECKSUM, "checksum") K(PROGRAM, "program")			\
	K(MODULES, "modules") K(NODES, "nodes") K(FRAMES, "frames")
KEY_LIST(keys, RECORD_KEYS);

#define MODULE_KEYS(K)							\
	K(M_PATH, "path") K(M_BASE, "base") K(M_START, "start")		\
	K(M_END, "end") K(M_BUILD_ID, "build_id")
KEY_LIST(module_keys, MODULE_KEYS);

#define NODE_KEYS(K)							\
	K(N_PARENT, "parent") K(N_FUNCTION, "function")			\
	K(N_CALL_SITE, "call_site") K(N_NAME, "name") K(N_FILE, "file")	\
	K(N_LINE, "line") K(N_CALL_FILE, "call_file")			\
	K(N_CALL_LINE, "call_line") K(N_CALL_INLINED, "call_inlined")
KEY_LIST(node_keys, NODE_KEYS);

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Adds names, files and lines to the addresses of callgraph "
	    "and crash records.",
	.reads = "callgraph records",
	.keys = keys,
};

/* A module of the current record. */
struct loaded {
	uint64_t base;			/* memory address - file address */
	struct source *source;
};

/* The addresses of a node or frame; 0: unknown. */
struct call {
	uint64_t function, call_site;
};

static struct {
	struct recio *modules_io, *nodes_io;
	struct loaded *modules;		/* of the current record */
	struct interval *ranges;	/* of modules, for module_index */
	size_t n_modules, modules_cap, ranges_cap;
	struct intervals module_index;
	struct call *calls;		/* of the nodes or frames read so far */
	size_t n_calls, calls_cap;
	uint64_t n_addresses;		/* that were looked up */
	uint64_t n_unknown;		/* of them, those without symbols and
					   not in a library of the system */
} state;

/* --- modules ------------------------------------------------------------- */

static bool
add_module(const struct rec *rec, const struct rec *m)
{
	struct module module = { 0 };
	struct loaded loaded;
	struct interval range;
	struct span program;

	if (rec_str(m, M_PATH, &module.path) != REC_OK ||
	    callgraph_address(m, M_BASE, &loaded.base) != REC_OK ||
	    callgraph_address(m, M_START, &range.start) != REC_OK ||
	    callgraph_address(m, M_END, &range.end) != REC_OK ||
	    rec_str(m, M_BUILD_ID, &module.build_id) == REC_BAD ||
	    rec_str(rec, CHECKSUM, &module.checksum) == REC_BAD)
		return false;

	/* If the record names no program, it is the first module. */
	module.is_program = rec_str(rec, PROGRAM, &program) == REC_OK ?
	    span_compare(program, module.path) == 0 : state.n_modules == 0;
	loaded.source = source_of(&module);

	state.modules = mem_grow(state.modules, &state.modules_cap,
	    state.n_modules + 1, sizeof *state.modules);
	state.ranges = mem_grow(state.ranges, &state.ranges_cap,
	    state.n_modules + 1, sizeof *state.ranges);
	range.index = (uint32_t)state.n_modules;
	state.ranges[state.n_modules] = range;
	state.modules[state.n_modules++] = loaded;
	return true;
}

static bool
read_modules(struct filter *f, const struct rec *rec)
{
	const struct field *field = rec_get(rec, MODULES);
	struct span rest, item;
	struct rec *m;
	const char *why = NULL;

	state.n_modules = state.module_index.n = 0;
	if (field == NULL || field->kind != REC_ARRAY) {
		filter_reject(f, "modules is not an array");
		return false;
	}
	rest = field->token;
	while ((m = recio_item(state.modules_io, &rest, &item, &why)) != NULL)
		if (!add_module(rec, m))
			break;
	if (m != NULL || why != NULL) {
		filter_reject(f, "modules: %.*s is not a module",
		    SPAN_ARG(item));
		return false;
	}
	intervals_build(&state.module_index, state.ranges, state.n_modules);
	return true;
}

/* The module that contains an address, or NULL. */
static struct loaded *
module_at(uint64_t address)
{
	uint32_t index = intervals_find(&state.module_index, address);

	return index != INDEX_NONE ? &state.modules[index] : NULL;
}

/* --- nodes --------------------------------------------------------------- */

/* Whether a node has a member with a key from first to last. */
static bool
has_any(const struct rec *node, unsigned first, unsigned last)
{
	for (unsigned key = first; key <= last; key++)
		if (rec_get(node, key) != NULL)
			return true;
	return false;
}

/* Reads the addresses of a node or frame.  False if one is malformed. */
static bool
read_call(const struct rec *node, struct call *call)
{
	*call = (struct call){ 0 };
	return callgraph_address(node, N_FUNCTION, &call->function) !=
	    REC_BAD && callgraph_address(node, N_CALL_SITE,
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
	uint64_t function, site = call->call_site - 1;	/* part of the call */
	const struct loaded *m;
	struct symbols *symbols;

	if (caller >= state.n_calls ||
	    call->call_site != state.calls[caller].call_site)
		return false;
	function = state.calls[caller].function;
	m = module_at(function);
	if (m == NULL || module_at(site) != m)
		return true;
	symbols = source_symbols(m->source);
	return symbols == NULL ||
	    symbols_find(symbols, function - m->base)->function !=
	    symbols_find(symbols, site - m->base)->function;
}

/* Counts an address without symbols; m is the module that it is in, or NULL. */
static void
count_unknown(struct loaded *m)
{
	if (m != NULL && m->source->is_system)
		m->source->n_unknown++;
	else
		state.n_unknown++;
}

static void
add_function(const struct rec *node, uint64_t address, struct buf *b)
{
	struct loaded *m;

	if (address == 0 || has_any(node, N_NAME, N_LINE))
		return;
	m = module_at(address);
	state.n_addresses++;
	if (m == NULL || !answers_add_function(m->source, address - m->base, b))
		count_unknown(m);
}

/* Adds where a node or frame was called; `caller` is its caller's index. */
static void
add_call(const struct rec *node, const struct call *call, size_t caller,
    struct buf *b)
{
	uint64_t address = call->call_site;
	struct loaded *m;

	if (address == 0 || has_any(node, N_CALL_FILE, N_CALL_INLINED) ||
	    is_inlined(call, caller))
		return;
	/* A call site is a return address: it may be just past its module. */
	m = module_at(address - 1);
	state.n_addresses++;
	if (m == NULL || !answers_add_call(m->source, address - m->base, b))
		count_unknown(m);
}

/* The index of a node's parent, or SIZE_MAX. */
static size_t
parent_of(const struct rec *node)
{
	int64_t parent;

	return rec_int(node, N_PARENT, &parent) == REC_OK && parent >= 0 ?
	    (size_t)parent : SIZE_MAX;
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
	size_t n = 0;

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
		add_function(node, call.function, b);
		/* n is now the index of the next frame. */
		add_call(node, &call, are_frames ? n : parent_of(node), b);
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
	const struct field *field = rec_get(rec, key);
	struct buf *b = filter_out(f);
	size_t start = b->len, rest;

	if (field == NULL || field->kind != REC_ARRAY) {
		filter_reject(f, "%s is not an array", keys[key]);
		return;
	}
	if (!read_modules(f, rec))
		return;
	buf_add(b, line.p, (size_t)(field->token.p - line.p));
	if (!put_nodes(f, field->token, key == FRAMES, b)) {
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
	state.modules_io = recio_new(module_keys);
	state.nodes_io = recio_new(node_keys);
	while (filter_line(&f, &line)) {
		text = span_of(line.p, line.len);
		if ((rec = filter_record(&f, text)) == NULL ||
		    filter_consume_boundary(&f, rec))
			continue;
		if (rec_is(rec, "callgraph")) {
			put_record(&f, rec, NODES, text);
		} else if (rec_is(rec, "crash")) {
			put_record(&f, rec, FRAMES, text);
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
	recio_free(state.modules_io);
	recio_free(state.nodes_io);
	free(state.modules);
	free(state.ranges);
	free(state.calls);
	intervals_release(&state.module_index);
	return filter_end(&f);
}
