/* fold - makes one node of the tasks that do the same after the same */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/build/build-names.h"
#include "filters/graph-export/graph-export.h"

/*
 * A vertex that is left out passes the nodes on which it depends on to those
 * that depend on it.  With more than this many it becomes a node after all:
 * otherwise n vertices that depend on it would have n times as many edges.
 */
enum { PASSED_MAX = 64 };

/* Bookkeeping is left out below one part in so many of the total time. */
enum { BOOKKEEPING_PARTS = 1000 };

/*
 * While a graph is folded, node_of has the entry of each vertex: a node or, for
 * a vertex that is left out, an entry without a label whose parents are what it
 * passes on.  The key of an entry is its label and its parents, which are
 * stored behind it in fold.parents.
 */
struct draft {
	struct fold *fold;
	struct map map;		/* of entries, by key */
	sym *label_of;		/* by vertex */
	bool *is_on_path;	/* by vertex */
	int64_t *label_us;	/* by label: the time of its tasks */
	sym call, instruction;	/* kinds of tasks, or SYM_NONE */
	uint32_t *list;		/* entries that a vertex depends on */
	size_t n_list, list_cap;
};

static struct span
key_of(const void *owner, uint32_t entry)
{
	const struct fold *fold = owner;
	const struct folded *n = &fold->nodes[entry];

	return span_bytes(fold->parents + n->first_parent - 1,
	    (n->n_parents + 1) * sizeof *fold->parents);
}

/* --- labels --------------------------------------------------------------- */

static void
put_label(const struct draft *d, uint32_t v, struct buf *b)
{
	const struct network *net = d->fold->net;
	const struct build *build = net->build;
	const struct task *t = network_task(net, v);
	sym rule = t != NULL ? build_rule(build, t) : SYM_NONE;
	struct span name;

	if (t != NULL && d->fold->is_each) {
		buf_char(b, LABEL_NAME);
		build_describe(build, t, b);
		return;
	}
	if (t == NULL)
		buf_char(b, LABEL_PLACEHOLDER);
	else if (t->kind == build->copy)
		buf_char(b, LABEL_COPY);
	else if (t->kind == build->prepare)
		buf_char(b, LABEL_PREPARE);
	else if (t->kind == d->call && rule != SYM_NONE)
		buf_char(b, LABEL_CALL);
	else if (t->kind == d->instruction && rule != SYM_NONE)
		buf_char(b, LABEL_INSTRUCTION);
	else
		buf_char(b, rule != SYM_NONE ? LABEL_RULE : LABEL_NAME);
	if (rule != SYM_NONE) {
		buf_str(b, intern_str(&build->names, rule));
	} else if (t == NULL || (t->kind != build->copy &&
	    t->kind != build->prepare)) {
		name = build_name_of_id(build, network_id(net, v));
		buf_add(b, name.p, name.n);
	}
}

/* Whether a label is of an instruction that only administers the query. */
static bool
is_bookkeeping(struct span label)
{
	static const char *const modules[] = { "language.", "mal.",
	    "querylog." };
	struct span function = span_of(label.p + 1, label.n - 1);

	if (label.p[0] != LABEL_INSTRUCTION)
		return false;
	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
		if (span_begins_with(function, modules[i]))
			return true;
	return span_eq(function, "assignment");
}

static bool
is_left_out(const struct draft *d, uint32_t v)
{
	const struct fold *fold = d->fold;
	sym label = d->label_of[v];

	if (d->is_on_path[v])
		return false;
	return network_task(fold->net, v) == NULL ||
	    (is_bookkeeping(intern_span(&fold->labels, label)) &&
	    d->label_us[label] < (fold->total_us + BOOKKEEPING_PARTS - 1) /
	    BOOKKEEPING_PARTS);
}

/* --- folding -------------------------------------------------------------- */

static int
compare_u32(const void *a, const void *b)
{
	return cmp_u64(*(const uint32_t *)a, *(const uint32_t *)b);
}

static void
list_entry(struct draft *d, uint32_t entry)
{
	d->list = mem_grow(d->list, &d->list_cap, d->n_list + 1,
	    sizeof *d->list);
	d->list[d->n_list++] = entry;
}

/* Makes the list of the nodes on which a vertex depends, sorted. */
static void
list_parents(struct draft *d, uint32_t v)
{
	const struct fold *fold = d->fold;
	const struct dag *dag = &fold->net->dag;
	const struct folded *n;
	uint32_t entry;
	size_t kept = 0;

	d->n_list = 0;
	for (uint32_t i = dag->row[v]; i < dag->row[v + 1]; i++) {
		entry = fold->node_of[dag->dep[i]];
		n = &fold->nodes[entry];
		if (n->label != SYM_NONE)
			list_entry(d, entry);
		for (uint32_t j = 0; n->label == SYM_NONE && j < n->n_parents;
		    j++)
			list_entry(d, fold->parents[n->first_parent + j]);
	}
	sort(d->list, d->n_list, sizeof *d->list, compare_u32);
	for (size_t i = 0; i < d->n_list; i++)
		if (i == 0 || d->list[i] != d->list[i - 1])
			d->list[kept++] = d->list[i];
	d->n_list = kept;
}

/*
 * The node that a task continues, or INDEX_NONE: a parent with its label that
 * depends on all its other parents.  As every node has a greater index than
 * those on which it depends, only the last parent with the label can be it.
 */
static uint32_t
find_continued(const struct draft *d, sym label)
{
	const struct fold *fold = d->fold;
	const struct folded *n;
	const uint32_t *parents;
	uint32_t found = INDEX_NONE;
	size_t at;

	for (size_t i = d->n_list; found == INDEX_NONE && i-- > 0;)
		if (fold->nodes[d->list[i]].label == label)
			found = d->list[i];
	if (found == INDEX_NONE)
		return INDEX_NONE;
	n = &fold->nodes[found];
	parents = fold->parents + n->first_parent;
	for (size_t i = 0; i < d->n_list; i++) {
		at = SEARCH_FIRST(j, n->n_parents, parents[j] >= d->list[i]);
		if (d->list[i] != found &&
		    (at == n->n_parents || parents[at] != d->list[i]))
			return INDEX_NONE;
	}
	return found;
}

/* Finds or adds the entry with a label and the parents in the list. */
static uint32_t
find_or_add(struct draft *d, sym label)
{
	struct fold *fold = d->fold;
	size_t first = fold->n_parents + 1;
	uint32_t next = (uint32_t)fold->n, entry, depth = 0, parent_depth;

	fold->parents = mem_grow(fold->parents, &fold->parents_cap,
	    first + d->n_list, sizeof *fold->parents);
	fold->nodes = mem_grow(fold->nodes, &fold->cap, fold->n + 1,
	    sizeof *fold->nodes);
	fold->parents[first - 1] = label;
	for (size_t i = 0; i < d->n_list; i++) {
		fold->parents[first + i] = d->list[i];
		parent_depth = fold->nodes[d->list[i]].depth;
		if (depth <= parent_depth)
			depth = parent_depth + 1;
	}
	fold->nodes[next] = (struct folded){ .label = label, .depth = depth,
	    .first_parent = first, .n_parents = (uint32_t)d->n_list,
	    .example = INDEX_NONE, .size_bytes = INT_UNKNOWN };
	entry = fold->is_each ? next : map_find_or_add(&d->map,
	    key_of(fold, next), next);
	if (entry == next) {
		fold->n++;
		fold->n_parents = first + d->n_list;
	}
	return entry;
}

/* Whether vertex v is a better example for a node than its present one. */
static bool
is_better_example(const struct draft *d, uint32_t v, uint32_t than)
{
	const struct dag *dag = &d->fold->net->dag;

	if (than == INDEX_NONE || d->is_on_path[v] != d->is_on_path[than])
		return than == INDEX_NONE || d->is_on_path[v];
	if (dag->weight[v] != dag->weight[than])
		return dag->weight[v] > dag->weight[than];
	return dag->compare(dag->context, v, than) < 0;
}

static void
fold_vertex(struct draft *d, uint32_t v)
{
	struct fold *fold = d->fold;
	const struct task *t = network_task(fold->net, v);
	int64_t us = fold->net->dag.weight[v];
	uint32_t entry = INDEX_NONE;
	struct folded *n;

	list_parents(d, v);
	if (is_left_out(d, v) && d->n_list <= PASSED_MAX) {
		fold->node_of[v] = find_or_add(d, SYM_NONE);
		return;
	}
	if (!fold->is_each)
		entry = find_continued(d, d->label_of[v]);
	if (entry == INDEX_NONE)
		entry = find_or_add(d, d->label_of[v]);
	fold->node_of[v] = entry;

	n = &fold->nodes[entry];
	n->n_tasks++;
	n->sum_us += us;
	if (us > n->max_us)
		n->max_us = us;
	if (d->is_on_path[v]) {
		n->n_critical++;
		n->critical_us += us;
	}
	if (t != NULL && t->size_bytes >= 0)
		n->size_bytes = saturating_add(n->size_bytes == INT_UNKNOWN ?
		    0 : n->size_bytes, t->size_bytes);
	if (is_better_example(d, v, n->example))
		n->example = v;
}

/* --- order ---------------------------------------------------------------- */

static int
compare_depths(const void *a, const void *b, void *context)
{
	const struct folded *nodes = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return cmp_u64(nodes[x].depth, nodes[y].depth) ?: cmp_u64(x, y);
}

/* By label and parents, of which the numbers are already final. */
static int
compare_siblings(const void *a, const void *b, void *context)
{
	const struct fold *fold = context;
	const struct folded *x = &fold->nodes[*(const uint32_t *)a];
	const struct folded *y = &fold->nodes[*(const uint32_t *)b];
	int order = intern_cmp(&fold->labels, x->label, y->label);

	for (uint32_t i = 0; order == 0 && i < x->n_parents &&
	    i < y->n_parents; i++)
		order = cmp_u64(fold->parents[x->first_parent + i],
		    fold->parents[y->first_parent + i]);
	return order != 0 ? order : cmp_u64(x->n_parents, y->n_parents);
}

/* Replaces the parents of a node by their numbers. */
static void
renumber_parents(struct fold *fold, const struct folded *n,
    const uint32_t *number_of)
{
	uint32_t *parents = fold->parents + n->first_parent;

	for (uint32_t i = 0; i < n->n_parents; i++)
		parents[i] = number_of[parents[i]];
	sort(parents, n->n_parents, sizeof *parents, compare_u32);
}

/* Puts the nodes in order and drops the entries of what is left out. */
static void
order_nodes(struct fold *fold)
{
	uint32_t *order = mem_resize(NULL, fold->n, sizeof *order);
	uint32_t *number_of = mem_ones(fold->n, sizeof *number_of);
	struct folded *nodes;
	size_t n = 0, end;

	for (uint32_t i = 0; i < fold->n; i++)
		if (fold->nodes[i].label != SYM_NONE)
			order[n++] = i;

	/* All parents of a level are on the levels before it. */
	sort_with(order, n, sizeof *order, compare_depths, fold->nodes);
	for (size_t first = 0; first < n; first = end) {
		for (end = first; end < n && fold->nodes[order[end]].depth ==
		    fold->nodes[order[first]].depth; end++)
			renumber_parents(fold, &fold->nodes[order[end]],
			    number_of);
		sort_with(order + first, end - first, sizeof *order,
		    compare_siblings, fold);
		for (size_t i = first; i < end; i++)
			number_of[order[i]] = (uint32_t)i;
	}

	nodes = mem_resize(NULL, n, sizeof *nodes);
	for (size_t i = 0; i < n; i++)
		nodes[i] = fold->nodes[order[i]];
	for (uint32_t v = 0; v < fold->net->n_vertices; v++)
		fold->node_of[v] = number_of[fold->node_of[v]];
	free(fold->nodes);
	free(order);
	free(number_of);
	fold->nodes = nodes;
	fold->n = n;
}

/* -------------------------------------------------------------------------- */

void
fold_make(struct fold *fold, const struct network *net, bool is_each,
    const uint32_t *path, size_t n_path)
{
	const struct intern *names = &net->build->names;
	struct draft d = { .fold = fold };
	struct buf text = { 0 };
	sym label;

	*fold = (struct fold){ .net = net, .is_each = is_each };
	intern_init(&fold->labels);
	map_init(&d.map, key_of, fold);
	d.call = intern_find(names, span_str("call"));
	d.instruction = intern_find(names, span_str("instruction"));
	d.label_of = mem_table(net->n_vertices, sizeof *d.label_of);
	d.is_on_path = mem_zero(net->n_vertices, sizeof *d.is_on_path);
	d.label_us = mem_zero(net->n_vertices, sizeof *d.label_us);
	fold->node_of = mem_table(net->n_vertices, sizeof *fold->node_of);
	for (size_t i = 0; i < n_path; i++)
		d.is_on_path[path[i]] = true;

	for (uint32_t v = 0; v < net->n_vertices; v++) {
		text.len = 0;
		put_label(&d, v, &text);
		label = intern_add(&fold->labels, buf_span(&text));
		d.label_of[v] = label;
		d.label_us[label] += net->dag.weight[v];
		if (text.data[0] != LABEL_CALL)
			fold->total_us += net->dag.weight[v];
	}
	for (size_t i = 0; i < net->n_vertices; i++)
		fold_vertex(&d, net->dag.order[i]);
	order_nodes(fold);

	map_release(&d.map);
	free(d.label_of);
	free(d.is_on_path);
	free(d.label_us);
	free(d.list);
	buf_release(&text);
}

void
fold_release(struct fold *fold)
{
	intern_release(&fold->labels);
	free(fold->nodes);
	free(fold->parents);
	free(fold->node_of);
}

enum label_kind
fold_label(const struct fold *fold, const struct folded *n, struct span *text)
{
	struct span label = intern_span(&fold->labels, n->label);

	*text = span_of(label.p + 1, label.n - 1);
	return (enum label_kind)label.p[0];
}
