/* flat - adds callgraphs up by function, file, module or call site */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/program/tree.h"
#include "filters/callgraph-stat/flat.h"

const char *const level_names[] = { "function", "file", "module", "callsite",
    NULL };

static struct span
entry_key(const void *owner, uint32_t i)
{
	const struct entries *t = owner;

	return span_bytes(&t->list[i].key, sizeof(struct entry_key));
}

void
flat_init(struct flat *p, enum level level)
{
	*p = (struct flat){ .level = level };
	intern_init(&p->texts);
	map_init(&p->functions.map, entry_key, &p->functions);
	map_init(&p->groups.map, entry_key, &p->groups);
	for (int side = 0; side < N_SIDES; side++)
		for (unsigned k = 0; k < N_MEASURES; k++)
			p->totals[side].measures[k] = INT_UNKNOWN;
}

void
flat_release(struct flat *p)
{
	intern_release(&p->texts);
	map_release(&p->functions.map);
	map_release(&p->groups.map);
	free(p->functions.list);
	free(p->groups.list);
}

/* --- the entry of a node ------------------------------------------------- */

static sym
text_sym(struct flat *p, struct span text)
{
	return text.n > 0 ? intern_add(&p->texts, text) : SYM_NONE;
}

static const struct entry_key no_key = { .name = SYM_NONE, .module = SYM_NONE,
    .caller = INDEX_NONE, .callee = INDEX_NONE };

/*
 * The index of an entry, which is added if it is new.  m is its module, or
 * NULL.  One build id may occur with several paths: the first name in byte
 * order is kept, so that the order of records does not matter.
 */
static uint32_t
find_entry(struct flat *p, struct entries *t, const struct entry_key *key,
    const struct graph_module *m)
{
	uint32_t i = map_find_or_add_inline(&t->map,
	    span_bytes(key, sizeof *key), (uint32_t)t->n, entry_key);
	sym name = m != NULL ? text_sym(p, m->name) : SYM_NONE;
	struct entry *e;

	if (i == t->n) {
		t->list = mem_grow(t->list, &t->cap, t->n + 1,
		    sizeof *t->list);
		e = &t->list[t->n++];
		*e = (struct entry){ .key = *key, .module = SYM_NONE,
		    .file = SYM_NONE };
		for (int side = 0; side < N_SIDES; side++)
			for (unsigned k = 0; k < N_MEASURES; k++)
				e->tallies[side].measures[k] = INT_UNKNOWN;
	}
	e = &t->list[i];
	if (name != SYM_NONE && (e->module == SYM_NONE ||
	    intern_cmp(&p->texts, name, e->module) < 0))
		e->module = name;
	return i;
}

/*
 * Sets the file and line of a function.  If its nodes have different files, it
 * gets FILES_DIFFER; if only their lines differ, it gets line 0.
 */
static void
update_file(struct flat *p, struct entry *e, const struct graph_node *n)
{
	sym file = text_sym(p, n->file);
	int64_t line;

	if (file == SYM_NONE || e->file == FILES_DIFFER)
		return;
	if (!text_i64(n->texts[NODE_LINE], &line) || line < 0)
		line = 0;
	if (e->file != SYM_NONE && e->file != file) {
		e->file = FILES_DIFFER;
		return;
	}
	if (e->file == SYM_NONE || e->line == line)
		e->line = line;
	else
		e->line = 0;
	e->file = file;
}

/* What identifies a module: its build id, or else its path. */
static sym
module_id(struct flat *p, const struct graph_module *m)
{
	return text_sym(p, m->build_id_token.n > 0 ? m->build_id_token :
	    m->path_token);
}

/*
 * The function of a node.  An address outside all modules is not part of the
 * key, because it differs from run to run.  The file and line of a function are
 * those of the newer run, if the newer run called the function.
 */
static uint32_t
function_of(struct flat *p, const struct callgraph *g,
    const struct graph_node *n, int side)
{
	const struct graph_module *m = n->has_function ?
	    callgraph_module_at(g, n->function) : NULL;
	struct entry_key key = no_key;
	uint32_t i;

	key.name = text_sym(p, n->name);
	if (m != NULL && key.name != SYM_NONE) {
		key.module = text_sym(p, m->name);
	} else if (m != NULL) {
		key.module = module_id(p, m);
		key.line_or_offset = n->function - m->base;
	}
	i = find_entry(p, &p->functions, &key, m);
	if (side == NOW || !p->functions.list[i].tallies[NOW].is_present)
		update_file(p, &p->functions.list[i], n);
	return i;
}

/*
 * The entry of a node's call site.  The address of a call site is a return
 * address, so its module is the one that contains the byte before it.
 */
static uint32_t
call_site_of(struct flat *p, const struct callgraph *g,
    const struct graph_node *n, uint32_t caller, uint32_t callee)
{
	const struct graph_module *m = n->has_call_site ?
	    callgraph_module_at(g, n->call_site - 1) : NULL;
	struct span file = n->texts[NODE_CALL_FILE];
	struct entry_key key = no_key;
	int64_t line;

	key.caller = caller;
	key.callee = callee;
	if (file.n > 0 && file.p[0] == '"' &&
	    text_i64(n->texts[NODE_CALL_LINE], &line) && line > 0) {
		key.name = text_sym(p, file);
		key.line_or_offset = (uint64_t)line;
	} else if (m != NULL) {
		key.module = module_id(p, m);
		key.line_or_offset = n->call_site - m->base;
	}
	return find_entry(p, &p->groups, &key, m);
}

/* The entry of a node at the profile's level. */
static uint32_t
group_of(struct flat *p, const struct callgraph *g,
    const struct graph_node *n, const uint32_t *functions)
{
	struct entry_key key = no_key;
	const struct graph_module *m = NULL;

	if (p->level == BY_CALLSITE)
		return call_site_of(p, g, n, n->parent != INDEX_NONE ?
		    functions[n->parent] : INDEX_NONE,
		    functions[n - g->nodes]);
	if (p->level == BY_FILE)
		key.name = text_sym(p, n->file);
	else if (n->has_function)
		m = callgraph_module_at(g, n->function);
	if (m != NULL)
		key.module = text_sym(p, m->name);
	return find_entry(p, &p->groups, &key, m);
}

/* Whether a measure includes that of the functions that are called. */
static bool
is_inclusive(unsigned measure)
{
	return measure == TOTAL_NS || measure == TOTAL_OFF_NS;
}

/* --- adding -------------------------------------------------------------- */

/*
 * Adds the measures of a node to an entry when the walk enters the node.
 *
 * Total time must not be counted again in a recursion.  If f() calls g(), which
 * calls f() again, the total time of the inner f() is already part of that of
 * the outer one:
 *
 *	f  total 10	n_open of f is 0: counts
 *	  g  total 8
 *	    f  total 5	n_open of f is 1: does not count
 *
 * So n_open is the number of nodes on the current path that belong to an entry.
 */
static void
enter_node(struct flat *p, struct entry *e, const int64_t *measures, int side)
{
	struct tally *t = &e->tallies[side];

	t->is_present = true;
	for (unsigned k = 0; k < N_MEASURES; k++)
		if (!is_inclusive(k) || e->n_open == 0)
			measure_add(&t->measures[k], measures[k],
			    &p->overflowed);
	if (e->n_open == 0) {
		measure_add(&t->outer_calls, measures[CALLS], &p->overflowed);
		measure_add(&t->timed_outer_calls, measures[TIMED_CALLS],
		    &p->overflowed);
	}
	e->n_open++;
}

/*
 * Adds each node i to functions[i] and, unless the level is that of functions,
 * to groups[i].  Returns the depth of the tree.
 */
static int64_t
add_nodes(struct flat *p, const struct callgraph *g, const uint32_t *functions,
    const uint32_t *groups, int side)
{
	bool has_groups = p->level != BY_FUNCTION;
	int64_t depth = 0, max_depth = 0;
	struct tree t;

	tree_init(&t, g->n_nodes);
	for (size_t i = g->n_nodes; i-- > 0;)
		tree_prepend(&t, (uint32_t)i, g->nodes[i].parent);
	while (tree_next(&t)) {
		const int64_t *measures = g->nodes[t.node].measures;

		if (!t.enters) {
			depth--;
			p->functions.list[functions[t.node]].n_open--;
			if (has_groups)
				p->groups.list[groups[t.node]].n_open--;
			continue;
		}
		if (++depth > max_depth)
			max_depth = depth;
		enter_node(p, &p->functions.list[functions[t.node]], measures,
		    side);
		if (has_groups)
			enter_node(p, &p->groups.list[groups[t.node]],
			    measures, side);
	}
	tree_release(&t);
	return max_depth;
}

void
flat_add(struct flat *p, const struct callgraph *g,
    const struct rec *rec, int side)
{
	/* By node: the indexes of its entries. */
	uint32_t *functions = mem_resize(NULL, g->n_nodes + 1,
	    sizeof *functions);
	uint32_t *groups = mem_resize(NULL, g->n_nodes + 1, sizeof *groups);
	struct totals *totals = &p->totals[side];
	int64_t depth;

	measure_add(&totals->records, callgraph_count(rec, GRAPH_RECORDS, 1),
	    &p->overflowed);
	measure_add(&totals->elapsed_records,
	    callgraph_elapsed_records(g, rec), &p->overflowed);
	measure_add(&totals->nodes_limited,
	    callgraph_count(rec, GRAPH_NODES_LIMITED, 0), &p->overflowed);
	measure_add(&totals->probe_ns, callgraph_count(rec, GRAPH_PROBE_NS, 0),
	    &p->overflowed);
	totals->nodes += (int64_t)g->n_nodes;

	for (size_t i = 0; i < g->n_nodes; i++) {
		const struct graph_node *n = &g->nodes[i];

		for (unsigned k = 0; k < N_MEASURES; k++)
			if (!is_inclusive(k) || n->parent == INDEX_NONE)
				measure_add(&totals->measures[k],
				    n->measures[k], &p->overflowed);
		functions[i] = function_of(p, g, n, side);
		if (p->level != BY_FUNCTION)
			groups[i] = group_of(p, g, n, functions);
	}
	depth = add_nodes(p, g, functions, groups, side);
	if (depth > totals->depth)
		totals->depth = depth;
	free(functions);
	free(groups);
}

static void
subtract_off_time(int64_t *measures)
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
flat_finish(struct flat *p)
{
	struct entries *tables[] = { &p->functions, &p->groups };

	p->has_cpu_time = p->totals[NOW].measures[SELF_OFF_NS] != INT_UNKNOWN &&
	    p->totals[NOW].elapsed_records == 0 &&
	    p->totals[BEFORE].elapsed_records == 0;
	if (!p->has_cpu_time)
		return;
	for (int side = 0; side < N_SIDES; side++) {
		subtract_off_time(p->totals[side].measures);
		for (size_t k = 0; k < 2; k++)
			for (size_t i = 0; i < tables[k]->n; i++)
				subtract_off_time(
				    tables[k]->list[i].tallies[side].measures);
	}
}

/* --- queries ------------------------------------------------------------- */

void
flat_label(const struct flat *p, uint32_t function, struct buf *to)
{
	const struct entry *e;
	struct span s;

	if (function == INDEX_NONE) {
		buf_str(to, "??");
		return;
	}
	e = &p->functions.list[function];
	if (e->key.name != SYM_NONE) {
		s = intern_span(&p->texts, e->key.name);
		buf_add(to, s.p, s.n);
	} else if (e->key.module != SYM_NONE) {
		if (e->module != SYM_NONE)
			buf_str(to, intern_str(&p->texts, e->module));
		buf_char(to, '+');
		buf_address(to, e->key.line_or_offset);
	} else {
		buf_str(to, "??");
	}
}

/*
 * The amount of a measure in a run, or INT_UNKNOWN.  An entry that is absent
 * from the run has 0, if the run is empty or has the measure.
 */
static int64_t
amount(const struct flat *p, const struct entry *e, unsigned measure,
    int side)
{
	const struct totals *totals = &p->totals[side];

	if (e->tallies[side].is_present)
		return e->tallies[side].measures[measure];
	return totals->nodes == 0 ||
	    totals->measures[measure] != INT_UNKNOWN ? 0 : INT_UNKNOWN;
}

bool
flat_change(const struct flat *p, const struct entry *e,
    unsigned measure, int64_t *change)
{
	int64_t now = amount(p, e, measure, NOW);
	int64_t before = amount(p, e, measure, BEFORE);

	if (now == INT_UNKNOWN || before == INT_UNKNOWN)
		return false;
	*change = now - before;
	return true;
}

static bool
is_changed(const struct flat *p, const struct entry *e)
{
	int64_t change;

	if (e->tallies[NOW].is_present != e->tallies[BEFORE].is_present)
		return true;
	for (unsigned k = 0; k < N_MEASURES; k++)
		if (k != TIMED_CALLS && flat_change(p, e, k, &change) &&
		    change != 0)
			return true;
	return false;
}

/* The context of compare_indexes(). */
struct sorting {
	const struct flat *profile;
	const struct entry *list;
	unsigned by;
	bool changes;
};

static int
compare_texts(const struct flat *p, sym a, sym b)
{
	if (a == b)
		return 0;
	if (a == SYM_NONE || b == SYM_NONE)
		return a == SYM_NONE ? 1 : -1;
	return intern_cmp(&p->texts, a, b);
}

/* By name, module, and line or offset.  For two entries of the same table. */
static int
compare_entries(const struct flat *p, const struct entry *a,
    const struct entry *b)
{
	int order = compare_texts(p, a->key.name, b->key.name);

	order = order != 0 ? order : compare_texts(p, a->module, b->module);
	order = order != 0 ? order :
	    compare_texts(p, a->key.module, b->key.module);
	return order != 0 ? order :
	    cmp_u64(a->key.line_or_offset, b->key.line_or_offset);
}

/* Roots have no caller (INDEX_NONE): they are last. */
static int
compare_functions(const struct flat *p, uint32_t a, uint32_t b)
{
	const struct entry *list = p->functions.list;

	if (a == b || a == INDEX_NONE || b == INDEX_NONE)
		return cmp_u64(a, b);
	return compare_entries(p, &list[a], &list[b]);
}

/* The amount to sort by; for changes, the absolute change. */
static int64_t
sort_amount(const struct sorting *s, const struct entry *e)
{
	int64_t n;

	if (!s->changes)
		return e->tallies[NOW].measures[s->by];
	if (!flat_change(s->profile, e, s->by, &n))
		return INT_UNKNOWN;
	return n < 0 ? -n : n;
}

static int
compare_indexes(const void *a, const void *b, void *context)
{
	const struct sorting *s = context;
	const struct flat *p = s->profile;
	const struct entry *x = &s->list[*(const uint32_t *)a];
	const struct entry *y = &s->list[*(const uint32_t *)b];
	int order = s->by == N_MEASURES ? 0 :
	    cmp_i64(sort_amount(s, y), sort_amount(s, x));

	order = order != 0 ? order :
	    compare_functions(p, x->key.callee, y->key.callee);
	order = order != 0 ? order :
	    compare_functions(p, x->key.caller, y->key.caller);
	return order != 0 ? order : compare_entries(p, x, y);
}

void
flat_sort(const struct flat *p, struct order *order,
    const struct entries *t, unsigned by, bool changes)
{
	const struct sorting sorting = { p, t->list, by, changes };

	order->list = mem_resize(NULL, t->n + 1, sizeof *order->list);
	order->n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (!changes || is_changed(p, &t->list[i]))
			order->list[order->n++] = (uint32_t)i;
	sort_with(order->list, order->n, sizeof *order->list, compare_indexes,
	    &sorting);
}

void
flat_sort_sites(const struct flat *p, struct order *order, unsigned by,
    uint32_t function, bool callers)
{
	const struct sorting sorting = { p, p->groups.list, by, false };
	const struct entry_key *key;

	order->list = mem_resize(NULL, p->groups.n + 1, sizeof *order->list);
	order->n = 0;
	for (size_t i = 0; i < p->groups.n; i++) {
		key = &p->groups.list[i].key;
		if ((callers ? key->callee : key->caller) == function)
			order->list[order->n++] = (uint32_t)i;
	}
	sort_with(order->list, order->n, sizeof *order->list, compare_indexes,
	    &sorting);
}
