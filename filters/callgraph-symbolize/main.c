/* callgraph-symbolize - add names, files and lines to addresses */

#include <stdlib.h>

#include "common/base/err.h"
#include "common/base/intervals.h"
#include "common/base/num.h"
#include "common/frame/filter.h"
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

enum { TYPE, CHECKSUM, PROGRAM, MODULES, NODES, FRAMES };
static const char *const keys[] = { "type", "checksum", "program", "modules",
    "nodes", "frames", NULL };

enum { M_TYPE, M_PATH, M_BASE, M_START, M_END, M_BUILD_ID };
static const char *const module_keys[] = { "type", "path", "base", "start",
    "end", "build_id", NULL };

enum { N_TYPE, N_FUNCTION, N_CALL_SITE, N_NAME, N_FILE, N_LINE, N_CALL_FILE,
    N_CALL_LINE, N_CALL_INLINED };
static const char *const node_keys[] = { "type", "function", "call_site",
    "name", "file", "line", "call_file", "call_line", "call_inlined", NULL };

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Adds names, files and lines to the addresses of callgraph "
	    "and crash records.",
	.keys = keys,
};

/* A module of the record at its address in memory. */
struct loaded {
	uint64_t base;
	struct source *source;
};

static struct {
	struct recio *modules_io, *nodes_io;
	struct loaded *modules;		/* of the current record */
	struct interval *ranges;	/* of modules, for module_index */
	size_t n_modules, modules_cap, ranges_cap;
	struct intervals module_index;
	uint64_t n_addresses, n_unknown;
} state;

/* --- modules ------------------------------------------------------------- */

/*
 * The program is the module with the path that the record names as its program.
 * If the record names none, it is the first module.
 */
static bool
is_program(const struct rec *rec, struct span path)
{
	struct span program;

	if (rec_str(rec, PROGRAM, &program) != REC_OK)
		return state.n_modules == 0;
	return span_compare(program, path) == 0;
}

static bool
add_module(const struct rec *rec, const struct rec *m)
{
	struct module module = { 0 };
	struct loaded loaded;
	struct interval range;

	if (rec_str(m, M_PATH, &module.path) != REC_OK ||
	    callgraph_address(m, M_BASE, &loaded.base) != REC_OK ||
	    callgraph_address(m, M_START, &range.start) != REC_OK ||
	    callgraph_address(m, M_END, &range.end) != REC_OK ||
	    rec_str(m, M_BUILD_ID, &module.build_id) == REC_BAD ||
	    rec_str(rec, CHECKSUM, &module.checksum) == REC_BAD)
		return false;
	module.is_program = is_program(rec, module.path);
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

/*
 * Adds the symbols of the address under a key, which is N_FUNCTION or
 * N_CALL_SITE, unless the node already has members for them.  False if the
 * value is not an address.
 */
static bool
symbolize(const struct rec *node, unsigned key, struct buf *b)
{
	struct loaded *m;
	uint64_t address;
	bool is_known;

	switch (callgraph_address(node, key, &address)) {
	case REC_ABSENT:
		return true;
	case REC_BAD:
		return false;
	default:
		break;
	}
	if (key == N_FUNCTION ? has_any(node, N_NAME, N_LINE) :
	    has_any(node, N_CALL_FILE, N_CALL_INLINED))
		return true;
	/* A call site is a return address, perhaps the end of its module. */
	m = module_at(key == N_FUNCTION ? address : address - 1);
	state.n_addresses++;
	is_known = m != NULL && (key == N_FUNCTION ?
	    answers_add_function(m->source, address - m->base, b) :
	    answers_add_call(m->source, address - m->base, b));
	state.n_unknown += !is_known;
	return true;
}

/*
 * Writes the nodes of a callgraph, or the frames of a crash, with symbols added
 * at the end of each.
 */
static bool
put_nodes(struct filter *f, struct span rest, struct buf *b)
{
	struct span item;
	struct rec *node;
	const char *why = NULL;
	char separator = '[';

	while ((node = recio_item(state.nodes_io, &rest, &item, &why)) !=
	    NULL) {
		buf_char(b, separator);
		separator = ',';
		buf_add(b, item.p, item.n - 1);		/* without "}" */
		if (!symbolize(node, N_FUNCTION, b) ||
		    !symbolize(node, N_CALL_SITE, b))
			break;
		buf_char(b, '}');
	}
	if (node != NULL || why != NULL) {
		filter_reject(f, "function or call_site is not an address such "
		    "as \"0x401136\": %.*s", SPAN_ARG(item));
		return false;
	}
	if (separator == '[')
		buf_char(b, separator);
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
	if (!put_nodes(f, field->token, b)) {
		b->len = start;
		return;
	}
	rest = (size_t)(field->token.p - line.p) + field->token.n;
	buf_add(b, line.p + rest, line.n - rest);
	buf_char(b, '\n');
	filter_emit(f);
}

static void
pass_through(struct filter *f, struct span line)
{
	struct buf *b = filter_out(f);

	buf_add(b, line.p, line.n);
	buf_char(b, '\n');
	filter_emit(f);
}

static int
finish(struct filter *f)
{
	if (state.n_unknown > 0)
		err_warn("warning: %llu of %llu addresses have no symbols",
		    (unsigned long long)state.n_unknown,
		    (unsigned long long)state.n_addresses);
	sources_report_damage(f);
	sources_release();
	answers_release();
	recio_free(state.modules_io);
	recio_free(state.nodes_io);
	free(state.modules);
	free(state.ranges);
	intervals_release(&state.module_index);
	return filter_end(f);
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
		if ((rec = filter_record(&f, text)) == NULL)
			continue;
		if (rec_is(rec, "callgraph"))
			put_record(&f, rec, NODES, text);
		else if (rec_is(rec, "crash"))
			put_record(&f, rec, FRAMES, text);
		else
			pass_through(&f, text);
	}
	return finish(&f);
}
