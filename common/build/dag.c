/* dag - longest paths and cycles of a graph of dependencies */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/build/dag.h"

/* An edge: v depends on dep. */
struct dag_pair {
	uint32_t v, dep;
};

void
dag_init(struct dag *d, size_t n, size_t n_edges,
    int (*compare)(const void *context, uint32_t a, uint32_t b),
    const void *context)
{
	if (n >= INDEX_NONE)
		die("too many tasks (%zu)", n);
	*d = (struct dag){ .n = n, .compare = compare, .context = context,
	    .pairs_cap = n_edges };
	d->pairs = mem_table(n_edges, sizeof *d->pairs);
	d->weight = mem_zero(n, sizeof *d->weight);
}

void
dag_release(struct dag *d)
{
	free(d->row);
	free(d->dep);
	free(d->order);
	free(d->dependent_row);
	free(d->dependent);
	free(d->weight);
	free(d->finish);
	free(d->pred);
	free(d->tail);
	free(d->next);
	free(d->rank);
	free(d->by_rank);
	free(d->pairs);
}

void
dag_add(struct dag *d, uint32_t v, uint32_t dep)
{
	d->pairs = mem_grow(d->pairs, &d->pairs_cap, d->n_pairs + 1,
	    sizeof *d->pairs);
	d->pairs[d->n_pairs++] = (struct dag_pair){ v, dep };
}

/*
 * Sorts the pairs into rows, by a counting sort in three passes:
 *
 * 1. row[v + 2] counts the edges of v;
 * 2. after the counts are summed up, row[v + 1] is where the row of v begins;
 * 3. each edge of v is written to dep[row[v + 1]++], so that row[v + 1] becomes
 *    the end of v's row, which is the beginning of the next row.
 *
 * Because passes 1 and 2 leave two positions free at the beginning, pass 3 ends
 * with the final offsets in row[0] .. row[n].  Then each row loses its
 * duplicates: last_of[dep] is the last vertex whose row had dep.
 */
static void
make_rows(struct dag *d)
{
	uint32_t *last_of, from, dep, kept = 0;

	if (d->n_pairs >= INDEX_NONE)
		die("too many dependencies (%zu)", d->n_pairs);
	d->row = mem_zero(d->n + 2, sizeof *d->row);
	d->dep = mem_table(d->n_pairs, sizeof *d->dep);

	for (size_t i = 0; i < d->n_pairs; i++)
		d->row[d->pairs[i].v + 2]++;
	for (size_t v = 2; v <= d->n + 1; v++)
		d->row[v] += d->row[v - 1];
	for (size_t i = 0; i < d->n_pairs; i++)
		d->dep[d->row[d->pairs[i].v + 1]++] = d->pairs[i].dep;
	free(d->pairs);
	d->pairs = NULL;

	last_of = mem_ones(d->n, sizeof *last_of);
	for (uint32_t v = 0; v < d->n; v++) {
		from = d->row[v];
		d->row[v] = kept;
		for (uint32_t i = from; i < d->row[v + 1]; i++) {
			dep = d->dep[i];
			if (last_of[dep] != v)
				d->dep[kept++] = dep;
			last_of[dep] = v;
		}
	}
	free(last_of);
	d->row[d->n] = kept;
	d->n_edges = kept;
}

/*
 * Tarjan's algorithm for strongly connected components, without recursion.  It
 * goes from a vertex to its dependencies, and so completes a component after
 * all that it depends on: the order of completion is topological.  A component
 * of several vertices, or of one with an edge to itself, is cyclic.
 */
struct tarjan {
	struct dag *d;
	uint32_t *low;		/* by vertex: Tarjan's lowlink; 0 if it is not
				   visited, IN_COMPONENT if its component is
				   complete */
	uint32_t *stack;	/* vertices that are visited, but whose
				   component is not complete */
	struct visit {		/* the path of the depth-first search */
		uint32_t v;
		uint32_t number;	/* in the order of visits, from 1 */
		uint32_t edge, edges_end;	/* the edges of v that are not
						   yet followed: indexes of
						   d->dep */
	} *path;
	size_t n_stack, n_path, n_ordered;
	uint32_t n_visited;
	uint32_t *cyclic;	/* by vertex: one vertex of its component if
				   that is cyclic, or INDEX_NONE; NULL until a
				   cycle is found */
};

/* The largest value, so that lower_low() ignores it. */
#define IN_COMPONENT UINT32_MAX

static uint32_t *
new_array(size_t n)
{
	return mem_table(n, sizeof(uint32_t));
}

static void
enter(struct tarjan *t, uint32_t v)
{
	t->low[v] = ++t->n_visited;
	t->stack[t->n_stack++] = v;
	t->path[t->n_path++] = (struct visit){ v, t->n_visited, t->d->row[v],
	    t->d->row[v + 1] };
}

static void
mark_cyclic(struct tarjan *t, uint32_t v, uint32_t component)
{
	if (t->cyclic == NULL)
		t->cyclic = mem_ones(t->d->n, sizeof *t->cyclic);
	t->cyclic[v] = component;
}

/* Takes the component of v, which is v and all above it, off the stack. */
static void
complete_component(struct tarjan *t, uint32_t v)
{
	bool is_single = t->stack[t->n_stack - 1] == v;
	uint32_t w;

	do {
		w = t->stack[--t->n_stack];
		t->low[w] = IN_COMPONENT;
		if (!is_single)
			mark_cyclic(t, w, v);
		t->d->order[t->n_ordered++] = w;
	} while (w != v);
}

static void
lower_low(struct tarjan *t, uint32_t v, uint32_t low)
{
	if (low < t->low[v])
		t->low[v] = low;
}

static void
search_from(struct tarjan *t, uint32_t root)
{
	struct visit *visit;
	uint32_t v, w, low;

	enter(t, root);
	while (t->n_path > 0) {
		visit = &t->path[t->n_path - 1];
		v = visit->v;
		if (visit->edge < visit->edges_end) {
			w = t->d->dep[visit->edge++];
			if (w == v)
				mark_cyclic(t, v, v);
			if (t->low[w] == 0)
				enter(t, w);
			else
				lower_low(t, v, t->low[w]);
			continue;
		}

		low = t->low[v];
		if (--t->n_path > 0)
			lower_low(t, visit[-1].v, low);
		if (low == visit->number)
			complete_component(t, v);
	}
}

/* Of the dependencies of v in v's own component, the first by compare. */
static uint32_t
first_dep_inside(const struct tarjan *t, uint32_t v)
{
	const struct dag *d = t->d;
	uint32_t first = INDEX_NONE, w;

	for (uint32_t i = d->row[v]; i < d->row[v + 1]; i++) {
		w = d->dep[i];
		if (t->cyclic[w] == t->cyclic[v] && (first == INDEX_NONE ||
		    d->compare(d->context, w, first) < 0))
			first = w;
	}
	return first;
}

/* Rotates the cycle so that it begins with its first vertex by compare. */
static void
rotate_cycle(const struct dag *d, uint32_t *cycle, size_t n)
{
	uint32_t *old = new_array(n);
	size_t first = 0;

	memcpy(old, cycle, n * sizeof *old);
	for (size_t i = 1; i < n; i++)
		if (d->compare(d->context, old[i], old[first]) < 0)
			first = i;
	for (size_t i = 0; i < n; i++)
		cycle[i] = old[(first + i) % n];
	free(old);
}

/*
 * Reports one cycle of each cyclic component.  A walk from the component's
 * first vertex by compare that always takes the first dependency inside the
 * component must come to a vertex it has seen before: the cycle begins there.
 */
static void
report_cycles(struct tarjan *t,
    void (*on_cycle)(void *context, const uint32_t *cycle, size_t n),
    void *context)
{
	const struct dag *d = t->d;
	/* By component, as in t->cyclic. */
	uint32_t *first = mem_ones(d->n, sizeof *first);
	/* Of a vertex in the walk, from 1; 0 if it is not in the walk. */
	uint32_t *position = mem_zero(d->n, sizeof *position);
	uint32_t *walk = new_array(d->n), c, w;
	size_t n, begin;

	for (uint32_t v = 0; v < d->n; v++) {
		c = t->cyclic[v];
		if (c != INDEX_NONE && (first[c] == INDEX_NONE ||
		    d->compare(d->context, v, first[c]) < 0))
			first[c] = v;
	}

	for (c = 0; c < d->n; c++) {
		if (first[c] == INDEX_NONE)
			continue;
		n = 0;
		for (w = first[c]; position[w] == 0;
		    w = first_dep_inside(t, w)) {
			walk[n++] = w;
			position[w] = (uint32_t)n;
		}
		begin = position[w] - 1;
		for (size_t i = 0; i < n; i++)
			position[walk[i]] = 0;
		rotate_cycle(d, walk + begin, n - begin);
		on_cycle(context, walk + begin, n - begin);
	}
	free(first);
	free(position);
	free(walk);
}

/* Drops the edges within each cyclic component. */
static void
break_cycles(struct dag *d, const uint32_t *cyclic)
{
	uint32_t kept = 0, from;

	for (size_t v = 0; v < d->n; v++) {
		from = d->row[v];
		d->row[v] = kept;
		for (uint32_t i = from; i < d->row[v + 1]; i++)
			if (cyclic[v] == INDEX_NONE ||
			    cyclic[d->dep[i]] != cyclic[v])
				d->dep[kept++] = d->dep[i];
	}
	d->row[d->n] = kept;
	d->n_edges = kept;
}

void
dag_seal(struct dag *d,
    void (*on_cycle)(void *context, const uint32_t *cycle, size_t n),
    void *context)
{
	struct tarjan t = { .d = d };

	make_rows(d);
	t.low = mem_zero(d->n, sizeof *t.low);
	t.stack = new_array(d->n);
	t.path = mem_table(d->n, sizeof *t.path);
	d->order = new_array(d->n);
	for (uint32_t v = 0; v < d->n; v++)
		if (t.low[v] == 0)
			search_from(&t, v);
	if (t.cyclic != NULL) {
		if (on_cycle != NULL)
			report_cycles(&t, on_cycle, context);
		break_cycles(d, t.cyclic);
	}
	free(t.low);
	free(t.stack);
	free(t.path);
	free(t.cyclic);
}

uint32_t
dag_better(const struct dag *d, uint32_t a, uint32_t b)
{
	if (a == INDEX_NONE || b == INDEX_NONE)
		return a == INDEX_NONE ? b : a;
	if (d->finish[a] != d->finish[b])
		return d->finish[a] > d->finish[b] ? a : b;
	if (d->weight[a] != d->weight[b])
		return d->weight[a] > d->weight[b] ? a : b;
	return d->compare(d->context, a, b) < 0 ? a : b;
}

void
dag_longest(struct dag *d)
{
	uint32_t v, best;

	free(d->finish);
	free(d->pred);
	d->finish = mem_table(d->n, sizeof *d->finish);
	d->pred = new_array(d->n);
	for (size_t k = 0; k < d->n; k++) {
		v = d->order[k];
		best = INDEX_NONE;
		for (uint32_t i = d->row[v]; i < d->row[v + 1]; i++)
			best = dag_better(d, best, d->dep[i]);
		d->pred[v] = best;
		d->finish[v] = d->weight[v] +
		    (best == INDEX_NONE ? 0 : d->finish[best]);
	}
}

/*
 * Considers a path from v to an end that continues with w; length does not
 * include v.  If the path is better than the best so far, v's tail and next are
 * set to it.  An end has an empty path of length 0, with next INDEX_NONE, which
 * other paths of length 0 do not replace.
 */
static void
offer_tail(struct dag *d, uint32_t v, uint32_t w, int64_t length)
{
	if (length < d->tail[v] || (length == d->tail[v] &&
	    (d->next[v] == INDEX_NONE ||
	    d->compare(d->context, d->next[v], w) < 0)))
		return;
	d->tail[v] = length;
	d->next[v] = w;
}

void
dag_tails(struct dag *d, const bool *is_end)
{
	int64_t length;
	uint32_t v;

	free(d->tail);
	free(d->next);
	d->tail = mem_table(d->n, sizeof *d->tail);
	d->next = new_array(d->n);
	for (size_t i = 0; i < d->n; i++) {
		d->tail[i] = is_end[i] ? 0 : -1;
		d->next[i] = INDEX_NONE;
	}
	for (size_t k = d->n; k-- > 0;) {
		v = d->order[k];
		if (d->tail[v] < 0)
			continue;
		length = d->tail[v] + d->weight[v];
		for (uint32_t i = d->row[v]; i < d->row[v + 1]; i++)
			offer_tail(d, d->dep[i], v, length);
	}
}

int64_t
dag_through(const struct dag *d, uint32_t v)
{
	return d->tail[v] < 0 ? -1 : d->finish[v] + d->tail[v];
}

uint32_t *
dag_path_to(const struct dag *d, uint32_t v, size_t *n)
{
	uint32_t *path, w;
	size_t at = 0;

	for (w = v; w != INDEX_NONE; w = d->pred[w])
		at++;
	*n = at;
	path = new_array(at);
	for (w = v; w != INDEX_NONE; w = d->pred[w])
		path[--at] = w;
	return path;
}

uint32_t *
dag_path_through(const struct dag *d, uint32_t v, size_t *n)
{
	uint32_t *path = dag_path_to(d, v, n), w;
	size_t at = *n;

	for (w = d->next[v]; w != INDEX_NONE; w = d->next[w])
		++*n;
	path = mem_resize(path, *n, sizeof *path);
	for (w = d->next[v]; w != INDEX_NONE; w = d->next[w])
		path[at++] = w;
	return path;
}
