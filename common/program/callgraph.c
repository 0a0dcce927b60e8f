/* callgraph - reads callgraph records into arrays */

#include <stdio.h>
#include <stdlib.h>

#include "common/base/hex.h"
#include "common/base/num.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/json/recio.h"
#include "common/program/callgraph.h"

const char *const callgraph_keys[] = KEY_TEXTS(CALLGRAPH_KEYS);

#define MODULE_KEYS(K)							\
	K(MK_PATH, "path") K(MK_BASE, "base") K(MK_START, "start")	\
	K(MK_END, "end") K(MK_BUILD_ID, "build_id")
KEY_LIST(module_keys, MODULE_KEYS);

const char *const callgraph_node_keys[] = { "type", NODE_CALL_KEYS(KEY_TEXT)
    MEASURE_KEYS(KEY_TEXT) NODE_TEXT_KEYS(KEY_TEXT) NULL };

const char *const callgraph_measure_keys[] = { MEASURE_KEYS(KEY_TEXT) };
const char *const callgraph_text_keys[] = { NODE_TEXT_KEYS(KEY_TEXT) };

/*
 * A larger module shows that the record is damaged: user space has 2^56 bytes
 * at most on x86-64, with five-level page tables.
 */
#define MODULE_MAX_BYTES (UINT64_C(1) << 56)

static char message[256];

enum rec_found
callgraph_address(const struct rec *rec, unsigned key, uint64_t *address)
{
	struct span text;
	enum rec_found found = rec_str(rec, key, &text);

	return found == REC_OK && !hex_address(text, address) ? REC_BAD :
	    found;
}

int64_t
callgraph_count(const struct rec *rec, unsigned key, int64_t by_default)
{
	int64_t n;

	return rec_int(rec, key, &n) == REC_OK && n >= 0 ? n : by_default;
}

void
callgraph_init(struct callgraph *g)
{
	*g = (struct callgraph){ 0 };
	g->modules_io = recio_new(module_keys);
	g->nodes_io = recio_new(callgraph_node_keys);
}

void
callgraph_release(struct callgraph *g)
{
	recio_free(g->modules_io);
	recio_free(g->nodes_io);
	free(g->modules);
	free(g->nodes);
	intervals_release(&g->module_index);
	free(g->ranges);
	arena_release(&g->arena);
}

/* The value as it was written; empty if it is absent or null. */
static struct span
token_of(const struct rec *rec, unsigned key)
{
	const struct field *f = rec_get(rec, key);

	return f == NULL || f->kind == REC_NULL ? span_of("", 0) : f->token;
}

/*
 * A decoded string; empty if the value is not a string.  A string without
 * escapes is borrowed from its token instead of copied.
 */
static struct span
text_of(struct callgraph *g, const struct rec *rec, unsigned key)
{
	struct span text, token = token_of(rec, key);

	if (rec_str(rec, key, &text) != REC_OK)
		return span_of("", 0);
	if (text.n + 2 == token.n)
		return span_of(token.p + 1, text.n);
	return arena_span(&g->arena, text);
}

static bool
read_module(struct callgraph *g, const struct rec *rec)
{
	struct span text;
	struct graph_module m = { .path = text_of(g, rec, MK_PATH),
	    .build_id = text_of(g, rec, MK_BUILD_ID),
	    .path_token = token_of(rec, MK_PATH),
	    .build_id_token = token_of(rec, MK_BUILD_ID) };

	if (rec_str(rec, MK_PATH, &text) != REC_OK ||
	    rec_str(rec, MK_BUILD_ID, &text) == REC_BAD ||
	    callgraph_address(rec, MK_BASE, &m.base) != REC_OK ||
	    callgraph_address(rec, MK_START, &m.start) != REC_OK ||
	    callgraph_address(rec, MK_END, &m.end) != REC_OK ||
	    m.base > m.start || m.start > m.end ||
	    m.end - m.base > MODULE_MAX_BYTES)
		return false;
	m.name = span_base_name(m.path);
	g->modules = mem_grow(g->modules, &g->modules_cap, g->n_modules + 1,
	    sizeof *g->modules);
	g->modules[g->n_modules++] = m;
	return true;
}

/* Reads an integer of at least 0; INT_UNKNOWN if it is absent. */
static bool
read_number(const struct rec *rec, unsigned key, int64_t *value)
{
	enum rec_found found = rec_int(rec, key, value);

	if (found == REC_ABSENT)
		*value = INT_UNKNOWN;
	return found == REC_ABSENT || (found == REC_OK && *value >= 0);
}

static bool
read_node(struct callgraph *g, const struct rec *rec)
{
	struct graph_node n = { 0 };
	enum rec_found function = callgraph_address(rec, NODE_FUNCTION,
	    &n.function);
	enum rec_found site = callgraph_address(rec, NODE_CALL_SITE,
	    &n.call_site);
	int64_t parent;

	if (!read_number(rec, NODE_PARENT, &parent) ||
	    parent >= (int64_t)g->n_nodes || function == REC_BAD ||
	    site == REC_BAD)
		return false;
	n.parent = parent == INT_UNKNOWN ? INDEX_NONE : (uint32_t)parent;
	n.has_function = function == REC_OK;
	n.has_call_site = site == REC_OK;
	for (unsigned i = 0; i < N_MEASURES; i++)
		if (!read_number(rec, NODE_FIRST_MEASURE + i, &n.measures[i]))
			return false;
	if (n.measures[SELF_NS] != INT_UNKNOWN) {
		if (n.measures[TIMED_CALLS] == INT_UNKNOWN)
			n.measures[TIMED_CALLS] = n.measures[CALLS];
		g->is_elapsed |= n.measures[SELF_OFF_NS] == INT_UNKNOWN;
	}
	for (unsigned i = 0; i < N_NODE_TEXTS; i++)
		n.texts[i] = token_of(rec, NODE_FIRST_TEXT + i);
	n.name = text_of(g, rec, NODE_FIRST_TEXT + NODE_NAME);
	n.file = text_of(g, rec, NODE_FIRST_TEXT + NODE_FILE);
	n.call_file = text_of(g, rec, NODE_FIRST_TEXT + NODE_CALL_FILE);
	g->nodes = mem_grow(g->nodes, &g->nodes_cap, g->n_nodes + 1,
	    sizeof *g->nodes);
	g->nodes[g->n_nodes++] = n;
	return true;
}

/*
 * Calls read(), which appends an item to g, for each item of an array.  *n is
 * the number of items appended so far, for the message.
 */
static bool
read_items(struct callgraph *g, const struct rec *rec, unsigned key,
    struct recio *io, bool (*read)(struct callgraph *, const struct rec *),
    const size_t *n, const char **why)
{
	const struct field *f = rec_get(rec, key);
	struct span rest, item;
	const char *reason = NULL;
	struct rec *r;

	if (f == NULL || f->kind != REC_ARRAY) {
		snprintf(message, sizeof message, "%s is not an array",
		    callgraph_keys[key]);
		*why = message;
		return false;
	}
	rest = f->token;
	while ((r = recio_item(io, &rest, &item, &reason)) != NULL)
		if (!read(g, r))
			break;
	if (r == NULL && reason == NULL)
		return true;
	snprintf(message, sizeof message, "%s[%zu] is malformed: %.*s",
	    callgraph_keys[key], *n, SPAN_ARG(item));
	*why = message;
	return false;
}

bool
callgraph_read_modules(struct callgraph *g, const struct rec *rec,
    const char **why)
{
	struct span program;

	g->n_modules = 0;
	arena_reset(&g->arena);
	program = text_of(g, rec, GRAPH_PROGRAM);
	if (!read_items(g, rec, GRAPH_MODULES, g->modules_io, read_module,
	    &g->n_modules, why))
		return false;
	g->ranges = mem_grow(g->ranges, &g->ranges_cap, g->n_modules,
	    sizeof *g->ranges);
	for (size_t i = 0; i < g->n_modules; i++) {
		g->modules[i].is_program = program.n > 0 ?
		    span_compare(program, g->modules[i].path) == 0 : i == 0;
		g->ranges[i] = (struct interval){ g->modules[i].start,
		    g->modules[i].end, (uint32_t)i };
	}
	g->module_index.n = 0;
	intervals_build(&g->module_index, g->ranges, g->n_modules);
	return true;
}

bool
callgraph_read(struct callgraph *g, const struct rec *rec, const char **why)
{
	g->n_nodes = 0;
	g->is_elapsed = false;
	return callgraph_read_modules(g, rec, why) && read_items(g, rec,
	    GRAPH_NODES, g->nodes_io, read_node, &g->n_nodes, why);
}

void
measures_subtract_off_time(int64_t *measures)
{
	static const unsigned times[] = { SELF_NS, TOTAL_NS },
	    off_times[] = { SELF_OFF_NS, TOTAL_OFF_NS };
	int64_t *time, *off;

	for (size_t k = 0; k < 2; k++) {
		time = &measures[times[k]];
		off = &measures[off_times[k]];
		if (*time == INT_UNKNOWN || *off == INT_UNKNOWN)
			continue;
		/* More than all of the time, as in damaged records. */
		if (*off > *time)
			*off = *time;
		*time -= *off;
	}
}

void
callgraph_subtract_off_time(struct callgraph *g)
{
	for (size_t i = 0; i < g->n_nodes; i++)
		measures_subtract_off_time(g->nodes[i].measures);
}

int64_t
callgraph_elapsed_records(const struct callgraph *g, const struct rec *rec)
{
	return callgraph_count(rec, GRAPH_ELAPSED_RECORDS, g->is_elapsed ?
	    callgraph_count(rec, GRAPH_RECORDS, 1) : 0);
}

struct rec *
callgraph_next(struct callgraph *g, struct filter *f)
{
	struct rec *rec;
	const char *why;

	while ((rec = filter_next(f)) != NULL) {
		if (!rec_is(rec, "callgraph")) {
			expect_other(&g->expect, f, rec);
			continue;
		}
		g->expect.came = true;
		if (callgraph_read(g, rec, &why))
			return rec;
		filter_reject(f, "%s", why);
	}
	expect_end(&g->expect, f, "call graph",
	    "the output of callgraph-record");
	return NULL;
}

const struct graph_module *
callgraph_module_at(const struct callgraph *g, uint64_t address)
{
	uint32_t index = intervals_find(&g->module_index, address);

	return index != INDEX_NONE ? &g->modules[index] : NULL;
}
