/* flat - adds callgraphs up by function, file, module or call site */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/program/tree.h"
#include "filters/callgraph-stat/callgraph-stat.h"

const char *const level_names[] = { "function", "file", "module", "callsite",
    NULL };

static struct span
site_key(const void *owner, uint32_t i)
{
	const struct entries *t = owner;

	return span_bytes(&t->list[i].site, sizeof(struct site));
}

void
flat_init(struct flat *p, enum level level, bool compares)
{
	*p = (struct flat){ .level = level, .compares = compares };
	functions_init(&p->functions);
	functions_init(&p->places);
	map_init(&p->groups.map, site_key, &p->groups);
	for (int side = 0; side < N_SIDES; side++)
		for (unsigned k = 0; k < N_MEASURES; k++)
			p->totals[side].measures[k] = INT_UNKNOWN;
}

void
flat_release(struct flat *p)
{
	functions_release(&p->functions);
	functions_release(&p->places);
	map_release(&p->groups.map);
	free(p->by_function.list);
	free(p->groups.list);
}

/* --- the entry of a node ------------------------------------------------- */

/* Adds entry i, unless there is one: indexes have no gaps. */
static uint32_t
add_entry(struct entries *t, uint32_t i)
{
	struct entry *e;

	if (i < t->n)
		return i;
	t->list = mem_grow(t->list, &t->cap, t->n + 1, sizeof *t->list);
	e = &t->list[t->n++];
	*e = (struct entry){ .module = SYM_NONE };
	for (int side = 0; side < N_SIDES; side++)
		for (unsigned k = 0; k < N_MEASURES; k++)
			e->tallies[side].measures[k] = INT_UNKNOWN;
	return i;
}

/* The entry of a call site.  name: of its module, or SYM_NONE. */
static uint32_t
find_site(struct entries *t, const struct intern *texts,
    const struct site *site, sym name)
{
	uint32_t i = add_entry(t, map_find_or_add_inline(&t->map,
	    span_bytes(site, sizeof *site), (uint32_t)t->n, site_key));
	struct entry *e = &t->list[i];

	e->site = *site;
	/* One build id may occur with several paths: the first name in byte
	   order is kept, so that the order of records does not matter. */
	if (name != SYM_NONE && (e->module == SYM_NONE ||
	    intern_cmp(texts, name, e->module) < 0))
		e->module = name;
	return i;
}

/*
 * Whether a call without a line was inlined: its call site is that of its
 * caller, and is in another module, or would have a line.
 */
static bool
is_inlined(const struct callgraph *g, const struct graph_node *n,
    const struct graph_module *site)
{
	const struct graph_node *caller = &g->nodes[n->parent];

	return caller->has_call_site && n->call_site == caller->call_site &&
	    (caller->file.n > 0 || !caller->has_function ||
	    callgraph_module_at(g, caller->function) != site);
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
	struct intern *texts = &p->functions.texts;
	struct site site = { caller, callee, SYM_NONE, SYM_NONE, 0 };
	int64_t line;

	if (p->compares) {
		m = NULL;
	} else if (n->call_file.n > 0 &&
	    text_i64(n->texts[NODE_CALL_LINE], &line) && line > 0) {
		site.file = intern_add(texts, n->call_file);
		site.line_or_offset = (uint64_t)line;
	} else if (m != NULL && caller != INDEX_NONE && is_inlined(g, n, m)) {
		m = NULL;
	} else if (m != NULL) {
		site.module = intern_add(texts, m->build_id_token.n > 0 ?
		    m->build_id_token : m->path_token);
		site.line_or_offset = n->call_site - m->base;
	}
	return find_site(&p->groups, texts, &site, m == NULL ? SYM_NONE :
	    intern_add(texts, m->name));
}

/*
 * The file or module of a node, a place.  A file is identified like a function
 * that has the file's name, and a module like one that is in it.
 */
static uint32_t
place_of(struct flat *p, const struct callgraph *g, const struct graph_node *n)
{
	const struct graph_module *m = n->has_function ?
	    callgraph_module_at(g, n->function) : NULL;
	struct function_id place = { .offset = 0 };

	if (p->level == BY_FILE && n->file.n > 0)
		place = (struct function_id){ .file = n->file,
		    .name = span_base_name(n->file) };
	else if (p->level == BY_MODULE && m != NULL)
		place = (struct function_id){ .name = span_str("module"),
		    .module = m->name, .is_program = m->is_program };
	return add_entry(&p->groups, functions_add(&p->places, &place));
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
			p->by_function.list[functions[t.node]].n_open--;
			if (has_groups)
				p->groups.list[groups[t.node]].n_open--;
			continue;
		}
		if (++depth > max_depth)
			max_depth = depth;
		enter_node(p, &p->by_function.list[functions[t.node]], measures,
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

	functions_begin(&p->functions, g, (unsigned)side);
	/* Files are distinguished within a side, not within a record. */
	if (p->places.side != (unsigned)side)
		functions_begin(&p->places, NULL, (unsigned)side);
	for (size_t i = 0; i < g->n_nodes; i++) {
		const struct graph_node *n = &g->nodes[i];

		for (unsigned k = 0; k < N_MEASURES; k++)
			if (!is_inclusive(k) || n->parent == INDEX_NONE)
				measure_add(&totals->measures[k],
				    n->measures[k], &p->overflowed);
		functions[i] = add_entry(&p->by_function,
		    functions_find(&p->functions, n));
		if (p->level == BY_CALLSITE)
			groups[i] = call_site_of(p, g, n,
			    n->parent != INDEX_NONE ? functions[n->parent] :
			    INDEX_NONE, functions[i]);
		else if (p->level != BY_FUNCTION)
			groups[i] = place_of(p, g, n);
	}
	depth = add_nodes(p, g, functions, groups, side);
	if (depth > totals->depth)
		totals->depth = depth;
	free(functions);
	free(groups);
}

/* --- finishing ------------------------------------------------------------ */

/* Adds the tallies of an entry to those of another one. */
static void
merge_entry(struct flat *p, struct entry *to, const struct entry *from)
{
	for (int side = 0; side < N_SIDES; side++) {
		struct tally *t = &to->tallies[side];
		const struct tally *add = &from->tallies[side];

		t->is_present |= add->is_present;
		measure_add(&t->outer_calls, add->outer_calls, &p->overflowed);
		measure_add(&t->timed_outer_calls, add->timed_outer_calls,
		    &p->overflowed);
		for (unsigned k = 0; k < N_MEASURES; k++)
			measure_add(&t->measures[k], add->measures[k],
			    &p->overflowed);
	}
}

/* Merges the entries of functions or places that are the same. */
static void
resolve(struct flat *p, struct entries *t, const uint32_t *numbers)
{
	struct entries new = { .map = t->map };

	for (size_t i = 0; i < t->n; i++) {
		add_entry(&new, numbers[i]);
		merge_entry(p, &new.list[numbers[i]], &t->list[i]);
	}
	free(t->list);
	*t = new;
}

/* The same for call sites of functions that are the same. */
static void
resolve_sites(struct flat *p, const uint32_t *numbers)
{
	struct entries old = p->groups, *new = &p->groups;
	struct site site;
	uint32_t i;

	*new = (struct entries){ .n = 0 };
	map_init(&new->map, site_key, new);
	for (const struct entry *e = old.list; e < old.list + old.n; e++) {
		site = e->site;
		if (site.caller != INDEX_NONE)
			site.caller = numbers[site.caller];
		site.callee = numbers[site.callee];
		i = find_site(new, &p->functions.texts, &site, e->module);
		merge_entry(p, &new->list[i], e);
	}
	map_release(&old.map);
	free(old.list);
}

void
flat_finish(struct flat *p)
{
	struct entries *tables[] = { &p->by_function, &p->groups };
	uint32_t *numbers = functions_resolve(&p->functions);

	resolve(p, &p->by_function, numbers);
	if (p->level == BY_CALLSITE)
		resolve_sites(p, numbers);
	free(numbers);
	if (p->level == BY_FILE || p->level == BY_MODULE) {
		numbers = functions_resolve(&p->places);
		resolve(p, &p->groups, numbers);
		free(numbers);
	}

	p->has_cpu_time = p->totals[NOW].measures[SELF_OFF_NS] != INT_UNKNOWN &&
	    p->totals[NOW].elapsed_records == 0 &&
	    p->totals[BEFORE].elapsed_records == 0;
	if (!p->has_cpu_time)
		return;
	for (int side = 0; side < N_SIDES; side++) {
		measures_subtract_off_time(p->totals[side].measures);
		for (size_t k = 0; k < 2; k++)
			for (size_t i = 0; i < tables[k]->n; i++)
				measures_subtract_off_time(
				    tables[k]->list[i].tallies[side].measures);
	}
}

/* --- queries ------------------------------------------------------------- */

bool
flat_is_measured(const struct flat *p, unsigned measure)
{
	return p->totals[NOW].measures[measure] != INT_UNKNOWN &&
	    (!p->compares ||
	    p->totals[BEFORE].measures[measure] != INT_UNKNOWN);
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
	const struct functions *places;	/* what the entries are; NULL: sites */
	unsigned by;
	bool changes;
};

static int
compare_texts(const struct intern *texts, sym a, sym b)
{
	if (a == SYM_NONE || b == SYM_NONE)
		return (a == SYM_NONE) - (b == SYM_NONE);
	return intern_cmp(texts, a, b);
}

/* By name, module, file, and offset. */
static int
compare_functions(const struct functions *t, uint32_t a, uint32_t b)
{
	const struct function *x, *y;

	/* Roots have no caller (INDEX_NONE): they are last. */
	if (a == b || a == INDEX_NONE || b == INDEX_NONE)
		return cmp_u64(a, b);
	x = &t->list[a];
	y = &t->list[b];
	return compare_texts(&t->texts, x->name, y->name) ?:
	    compare_texts(&t->texts, x->module, y->module) ?:
	    compare_texts(&t->texts, x->file, y->file) ?:
	    compare_texts(&t->texts, x->build, y->build) ?:
	    cmp_u64(x->offset, y->offset);
}

static int
compare_sites(const struct flat *p, const struct entry *a,
    const struct entry *b)
{
	const struct intern *texts = &p->functions.texts;
	const struct site *x = &a->site, *y = &b->site;
	return compare_functions(&p->functions, x->callee, y->callee) ?:
	    compare_functions(&p->functions, x->caller, y->caller) ?:
	    compare_texts(texts, x->file, y->file) ?:
	    compare_texts(texts, a->module, b->module) ?:
	    compare_texts(texts, x->module, y->module) ?:
	    cmp_u64(x->line_or_offset, y->line_or_offset);
}

enum change
flat_change_of(const struct flat *p, const struct entry *e, unsigned measure)
{
	int64_t n;

	if (!e->tallies[BEFORE].is_present)
		return NEW;
	if (!e->tallies[NOW].is_present)
		return GONE;
	if (flat_change(p, e, measure, &n) && n > 0)
		return GREW;
	if (flat_change(p, e, CALLS, &n) && n > 0)
		return MORE_CALLS;
	return flat_change(p, e, measure, &n) && n < 0 ? SHRANK : OTHER;
}

/* The amount to sort by; for changes, the absolute change. */
static int64_t
sort_amount(const struct sorting *s, const struct entry *e)
{
	unsigned by = s->by;
	int64_t n;

	if (!s->changes)
		return e->tallies[NOW].measures[by];
	if (flat_change_of(s->profile, e, by) == MORE_CALLS)
		by = CALLS;
	if (!flat_change(s->profile, e, by, &n))
		return INT_UNKNOWN;
	return n < 0 ? -n : n;
}

static int
compare_indexes(const void *a, const void *b, void *context)
{
	const struct sorting *s = context;
	const struct flat *p = s->profile;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct entry *x = &s->list[i], *y = &s->list[k];
	int order = 0;

	if (s->by != N_MEASURES && s->changes)
		order = (int)flat_change_of(p, x, s->by) -
		    (int)flat_change_of(p, y, s->by);
	if (s->by != N_MEASURES && order == 0)
		order = cmp_i64(sort_amount(s, y), sort_amount(s, x));
	if (order != 0)
		return order;
	return s->places != NULL ? compare_functions(s->places, i, k) :
	    compare_sites(p, x, y);
}

void
flat_sort(const struct flat *p, struct order *order,
    const struct entries *t, unsigned by, bool changes)
{
	const struct sorting sorting = { p, t->list,
	    t == &p->by_function ? &p->functions :
	    p->level == BY_CALLSITE ? NULL : &p->places, by, changes };

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
	const struct sorting sorting = { p, p->groups.list, NULL, by, false };
	const struct site *site;

	order->list = mem_resize(NULL, p->groups.n + 1, sizeof *order->list);
	order->n = 0;
	for (size_t i = 0; i < p->groups.n; i++) {
		site = &p->groups.list[i].site;
		if ((callers ? site->callee : site->caller) == function)
			order->list[order->n++] = (uint32_t)i;
	}
	sort_with(order->list, order->n, sizeof *order->list, compare_indexes,
	    &sorting);
}
