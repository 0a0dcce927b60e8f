/* merge - adds up callgraphs, node by node */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/json/json.h"
#include "common/program/tree.h"
#include "filters/callgraph-merge/merge.h"

struct merge_module {
	sym key;		/* its build id, or else its path */
	sym build_id, path;	/* or SYM_NONE */
	uint64_t low, high;	/* it covers the offsets from low to high - 1 */
	/* Of the module in the record that is written. */
	uint32_t position;
	uint64_t base;
};

/*
 * The key of a node: its function and call site, as offsets into modules, and
 * its parent.  It has no padding, so it can be hashed and compared as raw
 * memory.
 */
struct key {
	uint64_t offset, call_offset;
	uint32_t module, call_module;	/* or INDEX_NONE */
	uint32_t parent;		/* or INDEX_NONE */
	uint32_t zero;			/* in place of padding */
};

struct merge_node {
	struct key key;
	int64_t measures[N_MEASURES];
	sym texts[N_NODE_TEXTS];
};

static struct span
module_key(const void *owner, uint32_t i)
{
	const struct merge *m = owner;

	return intern_span(m->texts, m->modules[i].key);
}

static struct span
node_key(const void *owner, uint32_t i)
{
	const struct merge *m = owner;

	return span_bytes(&m->nodes[i].key, sizeof(struct key));
}

struct merge *
merge_new(struct span checksum, struct intern *texts)
{
	struct merge *m = mem_zero(1, sizeof *m);

	m->texts = texts;
	m->checksum = checksum;
	m->program = SYM_NONE;
	m->time_us = INT_UNKNOWN;
	map_init(&m->module_map, module_key, m);
	map_init(&m->node_map, node_key, m);
	return m;
}

void
merge_free(struct merge *m)
{
	map_release(&m->module_map);
	map_release(&m->node_map);
	free(m->modules);
	free(m->nodes);
	free(m);
}

/* --- adding -------------------------------------------------------------- */

/*
 * Replaces *first by a text that is earlier in byte order, or if *first is
 * SYM_NONE.  Ignores an empty text.
 */
static void
keep_first(struct merge *m, sym *first, struct span text)
{
	sym s;

	if (text.n == 0)
		return;
	s = intern_add(m->texts, text);
	if (*first == SYM_NONE || intern_cmp(m->texts, s, *first) < 0)
		*first = s;
}

static uint32_t
add_module(struct merge *m, const struct graph_module *from)
{
	struct span key = from->build_id_token.n > 0 ? from->build_id_token :
	    from->path_token;
	uint32_t i = map_find_or_add(&m->module_map, key,
	    (uint32_t)m->n_modules);
	struct merge_module *to;

	if (i == m->n_modules) {
		m->modules = mem_grow(m->modules, &m->modules_cap,
		    m->n_modules + 1, sizeof *m->modules);
		m->modules[m->n_modules++] = (struct merge_module){
		    .key = intern_add(m->texts, key), .build_id = SYM_NONE,
		    .path = SYM_NONE, .low = UINT64_MAX };
	}
	to = &m->modules[i];
	keep_first(m, &to->build_id, from->build_id_token);
	keep_first(m, &to->path, from->path_token);
	if (from->start - from->base < to->low)
		to->low = from->start - from->base;
	if (from->end - from->base > to->high)
		to->high = from->end - from->base;
	return i;
}

/*
 * Converts an address to a module and an offset; to INDEX_NONE and 0 if the
 * address is not known or is outside all modules.  The module is the one that
 * contains lookup_address, which equals address or, for a return address, is
 * the byte before it, because the call may be the last instruction of its
 * module.  `modules` has the index in m of each module of g.
 */
static void
to_offset(const struct callgraph *g, const uint32_t *modules, bool is_known,
    uint64_t address, uint64_t lookup_address, uint32_t *module,
    uint64_t *offset)
{
	const struct graph_module *found = is_known ?
	    callgraph_module_at(g, lookup_address) : NULL;

	*module = found != NULL ? modules[found - g->modules] : INDEX_NONE;
	*offset = found != NULL ? address - found->base : 0;
}

static uint32_t
add_node(struct merge *m, const struct key *key)
{
	uint32_t i = map_find_or_add_inline(&m->node_map,
	    span_bytes(key, sizeof *key), (uint32_t)m->n_nodes, node_key);
	struct merge_node *n;

	if (i < m->n_nodes)
		return i;
	m->nodes = mem_grow(m->nodes, &m->nodes_cap, m->n_nodes + 1,
	    sizeof *m->nodes);
	n = &m->nodes[m->n_nodes++];
	n->key = *key;
	for (unsigned k = 0; k < N_MEASURES; k++)
		n->measures[k] = INT_UNKNOWN;
	for (unsigned k = 0; k < N_NODE_TEXTS; k++)
		n->texts[k] = SYM_NONE;
	return i;
}

void
merge_add(struct merge *m, const struct callgraph *g, const struct rec *rec)
{
	/* By module and by node of g: its index in m. */
	uint32_t *modules = mem_resize(NULL, g->n_modules + 1,
	    sizeof *modules);
	uint32_t *nodes = mem_resize(NULL, g->n_nodes + 1, sizeof *nodes);
	const struct field *program = rec_get(rec, GRAPH_PROGRAM);

	for (size_t i = 0; i < g->n_modules; i++)
		modules[i] = add_module(m, &g->modules[i]);
	if (program != NULL)
		keep_first(m, &m->program, program->token);
	m->time_us = time_later(m->time_us,
	    callgraph_count(rec, GRAPH_TIME_US, INT_UNKNOWN));
	measure_add(&m->records, callgraph_count(rec, GRAPH_RECORDS, 1),
	    &m->overflowed);
	measure_add(&m->elapsed_records, callgraph_elapsed_records(g, rec),
	    &m->overflowed);
	measure_add(&m->nodes_limited,
	    callgraph_count(rec, GRAPH_NODES_LIMITED, 0), &m->overflowed);
	measure_add(&m->probe_ns, callgraph_count(rec, GRAPH_PROBE_NS, 0),
	    &m->overflowed);
	m->folded_recursion |= rec_true(rec, GRAPH_FOLDED_RECURSION);

	for (size_t i = 0; i < g->n_nodes; i++) {
		const struct graph_node *from = &g->nodes[i];
		struct key key = { .parent = from->parent != INDEX_NONE ?
		    nodes[from->parent] : INDEX_NONE };
		struct merge_node *to;

		to_offset(g, modules, from->has_function, from->function,
		    from->function, &key.module, &key.offset);
		to_offset(g, modules, from->has_call_site, from->call_site,
		    from->call_site - 1, &key.call_module, &key.call_offset);
		nodes[i] = add_node(m, &key);
		to = &m->nodes[nodes[i]];
		for (unsigned k = 0; k < N_MEASURES; k++)
			measure_add(&to->measures[k], from->measures[k],
			    &m->overflowed);
		for (unsigned k = 0; k < N_NODE_TEXTS; k++)
			keep_first(m, &to->texts[k], from->texts[k]);
	}
	free(modules);
	free(nodes);
}

/* --- writing ------------------------------------------------------------- */

static int
compare_modules(const void *a, const void *b, void *context)
{
	const struct merge *m = context;
	const struct merge_module *x = &m->modules[*(const uint32_t *)a];
	const struct merge_module *y = &m->modules[*(const uint32_t *)b];

	return intern_cmp(m->texts, x->key, y->key);
}

/* A node with its sort key. */
struct sorted_node {
	struct key key;		/* with positions of modules, not indexes */
	uint32_t node;
};

static uint32_t
position_of(const struct merge *m, uint32_t module)
{
	return module != INDEX_NONE ? m->modules[module].position : INDEX_NONE;
}

/* By parent, which decides most comparisons; siblings by address. */
static int
compare_nodes(const void *a, const void *b)
{
	const struct key *x = &((const struct sorted_node *)a)->key;
	const struct key *y = &((const struct sorted_node *)b)->key;
	return cmp_u64(x->parent, y->parent) ?:
	    cmp_u64(x->module, y->module) ?: cmp_u64(x->offset, y->offset) ?:
	    cmp_u64(x->call_module, y->call_module) ?:
	    cmp_u64(x->call_offset, y->call_offset);
}

static void
put_text(const struct merge *m, struct buf *b, const char *key, sym text)
{
	if (text != SYM_NONE)
		json_raw(b, key, intern_span(m->texts, text));
}

/* Writes an offset as an address, unless its module is unknown. */
static void
put_address(const struct merge *m, struct buf *b, const char *key,
    uint32_t module, uint64_t offset)
{
	if (module != INDEX_NONE)
		json_address(b, key, m->modules[module].base + offset);
}

/* Writes the nodes in pre-order. */
static void
put_nodes(const struct merge *m, struct buf *b)
{
	struct sorted_node *sorted = mem_resize(NULL, m->n_nodes + 1,
	    sizeof *sorted);
	/* By node: its position in the record. */
	uint32_t *positions = mem_resize(NULL, m->n_nodes + 1,
	    sizeof *positions);
	const struct merge_node *n;
	uint32_t n_written = 0;
	struct tree t;

	for (size_t i = 0; i < m->n_nodes; i++) {
		struct key key = m->nodes[i].key;

		key.module = position_of(m, key.module);
		key.call_module = position_of(m, key.call_module);
		sorted[i] = (struct sorted_node){ key, (uint32_t)i };
	}
	sort(sorted, m->n_nodes, sizeof *sorted, compare_nodes);
	tree_init(&t, m->n_nodes);
	for (size_t i = m->n_nodes; i-- > 0;)
		tree_prepend(&t, sorted[i].node, sorted[i].key.parent);
	free(sorted);

	json_open(b, "nodes", '[');
	while (tree_next(&t)) {
		if (!t.enters)
			continue;
		n = &m->nodes[t.node];
		buf_str(b, n_written > 0 ? ",{" : "{");
		positions[t.node] = n_written++;
		if (n->key.parent != INDEX_NONE)
			json_uint(b, "parent", positions[n->key.parent]);
		put_address(m, b, "function", n->key.module, n->key.offset);
		put_address(m, b, "call_site", n->key.call_module,
		    n->key.call_offset);
		for (unsigned i = 0; i < N_MEASURES; i++)
			if (i != TIMED_CALLS ||
			    n->measures[i] != n->measures[CALLS])
				json_int(b, callgraph_measure_keys[i],
				    n->measures[i]);
		for (unsigned i = 0; i < N_NODE_TEXTS; i++)
			put_text(m, b, callgraph_text_keys[i], n->texts[i]);
		buf_char(b, '}');
	}
	json_close(b, ']');
	tree_release(&t);
	free(positions);
}

void
merge_write(struct merge *m, struct buf *b)
{
	uint32_t *order = mem_resize(NULL, m->n_modules + 1, sizeof *order);
	const uint64_t page = 0x1000;
	uint64_t end = 0;	/* of the module before */
	struct merge_module *to;

	json_begin(b, "callgraph");
	if (m->checksum.n > 0)
		json_raw(b, "checksum", m->checksum);
	put_text(m, b, "program", m->program);
	json_int(b, "time_us", m->time_us);
	json_int(b, "records", m->records);
	json_count(b, "elapsed_records", (uint64_t)m->elapsed_records);
	json_flag(b, "folded_recursion", m->folded_recursion);
	json_count(b, "nodes_limited", (uint64_t)m->nodes_limited);
	json_count(b, "probe_ns", (uint64_t)m->probe_ns);

	/*
	 * The modules are sorted by key and placed one after the other, from
	 * address 0 on, at multiples of the page size.  Their new bases also
	 * give the nodes addresses.
	 */
	for (size_t i = 0; i < m->n_modules; i++)
		order[i] = (uint32_t)i;
	sort_with(order, m->n_modules, sizeof *order, compare_modules, m);
	json_open(b, "modules", '[');
	for (size_t i = 0; i < m->n_modules; i++) {
		to = &m->modules[order[i]];
		to->position = (uint32_t)i;
		to->base = end > to->low ? end - to->low : 0;
		to->base = (to->base + page - 1) & ~(page - 1);
		/*
		 * A module has 2^56 bytes at most (callgraph_read()), so that
		 * a base exceeds this limit before any sum overflows.
		 */
		if (to->base > UINT64_MAX / 2)
			m->has_excess_modules = true;
		end = to->base + to->high;

		buf_str(b, i > 0 ? ",{" : "{");
		put_text(m, b, "path", to->path);
		json_address(b, "base", to->base);
		json_address(b, "start", to->base + to->low);
		json_address(b, "end", end);
		put_text(m, b, "build_id", to->build_id);
		buf_char(b, '}');
	}
	json_close(b, ']');
	free(order);

	put_nodes(m, b);
	json_end(b);
}
