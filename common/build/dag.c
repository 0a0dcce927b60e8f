/* dag - longest paths through a graph of dependencies */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/dag.h"

struct dag_pair {
	uint32_t v, dep;
};

void
dag_init(struct dag *d, size_t n, size_t edges,
    int (*compare)(const void *context, uint32_t a, uint32_t b),
    const void *context)
{
	if (n >= INDEX_NONE)
		die("too many tasks (%zu)", n);
	*d = (struct dag){ .n = n, .compare = compare, .context = context,
	    .pairs_cap = edges };
	d->pairs = mem_table(edges, sizeof *d->pairs);
	d->weight = mem_zero(n, sizeof *d->weight);
}

void
dag_release(struct dag *d)
{
	free(d->row);
	free(d->dep);
	free(d->order);
	free(d->weight);
	free(d->finish);
	free(d->pred);
	free(d->tail);
	free(d->next);
	free(d->pairs);
}

void
dag_add(struct dag *d, uint32_t v, uint32_t dep)
{
	d->pairs = mem_grow(d->pairs, &d->pairs_cap, d->n_pairs + 1,
	    sizeof *d->pairs);
	d->pairs[d->n_pairs++] = (struct dag_pair){ v, dep };
}

static int
compare_u32(const void *a, const void *b)
{
	return cmp_u64(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Rows are short: insertion sort, but for the few long ones. */
static void
sort_row(uint32_t *row, size_t n)
{
	uint32_t v;
	size_t j;

	if (n > 32) {
		sort(row, n, sizeof *row, compare_u32);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		v = row[i];
		for (j = i; j > 0 && row[j - 1] > v; j--)
			row[j] = row[j - 1];
		row[j] = v;
	}
}

/* Sorts each row and drops what stands in it twice. */
static void
make_rows_sets(struct dag *d)
{
	uint32_t from, to, kept = 0;

	for (size_t v = 0; v < d->n; v++) {
		from = d->row[v];
		to = d->row[v + 1];
		sort_row(d->dep + from, to - from);
		d->row[v] = kept;
		for (uint32_t i = from; i < to; i++)
			if (i == from || d->dep[i] != d->dep[i - 1])
				d->dep[kept++] = d->dep[i];
	}
	d->row[d->n] = kept;
	d->n_edges = kept;
}

/* From pairs to rows, by counting. */
static void
make_rows(struct dag *d)
{
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
	make_rows_sets(d);
}

/*
 * Tarjan's strongly connected components, without recursion.  They come out
 * dependencies first, which is the order wanted; a component of more than one
 * vertex, or with an edge to itself, is a group of circles.
 */
struct tarjan {
	struct dag *d;
	uint32_t *low;		/* by vertex; 0: not seen, DONE: left */
	uint32_t *stack;	/* the vertices not left yet */
	struct visit {		/* those of them that are being looked at */
		uint32_t v, number;
		uint32_t edge, end;	/* the next to look at, and the last */
	} *path;
	size_t n_stack, n_path, n_left;
	uint32_t seen;
	uint32_t *circle;	/* a vertex of v's component of circles, or
				   INDEX_NONE; NULL while there is no circle */
};

#define DONE UINT32_MAX

static uint32_t *
new_array(size_t n)
{
	return mem_table(n, sizeof(uint32_t));
}

static void
enter(struct tarjan *t, uint32_t v)
{
	t->low[v] = ++t->seen;
	t->stack[t->n_stack++] = v;
	t->path[t->n_path++] = (struct visit){ v, t->seen, t->d->row[v],
	    t->d->row[v + 1] };
}

static void
mark_circle(struct tarjan *t, uint32_t v, uint32_t circle)
{
	if (t->circle == NULL)
		t->circle = mem_ones(t->d->n, sizeof *t->circle);
	t->circle[v] = circle;
}

/* v's component is complete: it and what lies above it on the stack. */
static void
leave_component(struct tarjan *t, uint32_t v)
{
	bool single = t->stack[t->n_stack - 1] == v;
	uint32_t w;

	do {
		w = t->stack[--t->n_stack];
		t->low[w] = DONE;
		if (!single)
			mark_circle(t, w, v);
		t->d->order[t->n_left++] = w;
	} while (w != v);
}

static void
lower_to(struct tarjan *t, uint32_t v, uint32_t low)
{
	if (low < t->low[v])
		t->low[v] = low;
}

static void
follow_edge(struct tarjan *t, struct visit *visit)
{
	uint32_t v = visit->v, w = t->d->dep[visit->edge++];

	if (w == v)
		mark_circle(t, v, v);
	if (t->low[w] == 0)
		enter(t, w);
	else
		lower_to(t, v, t->low[w]);
}

static void
walk_from(struct tarjan *t, uint32_t root)
{
	struct visit *visit;
	uint32_t low;

	enter(t, root);
	while (t->n_path > 0) {
		visit = &t->path[t->n_path - 1];
		if (visit->edge < visit->end) {
			follow_edge(t, visit);
			continue;
		}
		low = t->low[visit->v];
		if (--t->n_path > 0)
			lower_to(t, visit[-1].v, low);
		if (low == visit->number)
			leave_component(t, visit->v);
	}
}

/* The first by compare of v's dependencies in its component. */
static uint32_t
first_inside(const struct tarjan *t, uint32_t v)
{
	const struct dag *d = t->d;
	uint32_t best = INDEX_NONE, w;

	for (uint32_t i = d->row[v]; i < d->row[v + 1]; i++) {
		w = d->dep[i];
		if (t->circle[w] == t->circle[v] && (best == INDEX_NONE ||
		    d->compare(d->context, w, best) < 0))
			best = w;
	}
	return best;
}

/* Makes the first by compare the first of a circle. */
static void
turn(const struct dag *d, uint32_t *cycle, size_t n)
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
 * From a vertex of circles on, always to the first: that must close.  at is all
 * 0, and is so again; way has room for all vertices.
 */
static void
tell_circle(struct tarjan *t, uint32_t v, uint32_t *at, uint32_t *way,
    void (*on_cycle)(void *to, const uint32_t *cycle, size_t n), void *to)
{
	size_t n = 0, first;

	for (; at[v] == 0; v = first_inside(t, v)) {
		way[n++] = v;
		at[v] = (uint32_t)n;	/* its place, from 1 */
	}
	first = at[v] - 1;
	for (size_t i = 0; i < n; i++)
		at[way[i]] = 0;
	turn(t->d, way + first, n - first);
	on_cycle(to, way + first, n - first);
}

static void
tell_circles(struct tarjan *t,
    void (*on_cycle)(void *to, const uint32_t *cycle, size_t n), void *to)
{
	const struct dag *d = t->d;
	uint32_t *first = mem_ones(d->n, sizeof *first), c;
	uint32_t *at = mem_zero(d->n, sizeof *at), *way = new_array(d->n);

	for (uint32_t v = 0; v < d->n; v++) {
		c = t->circle[v];
		if (c != INDEX_NONE && (first[c] == INDEX_NONE ||
		    d->compare(d->context, v, first[c]) < 0))
			first[c] = v;
	}
	for (uint32_t v = 0; v < d->n; v++)
		if (first[v] != INDEX_NONE)
			tell_circle(t, first[v], at, way, on_cycle, to);
	free(first);
	free(at);
	free(way);
}

/* Drops the edges within each component of circles. */
static void
cut_circles(struct dag *d, const uint32_t *circle)
{
	uint32_t kept = 0, from;

	for (size_t v = 0; v < d->n; v++) {
		from = d->row[v];
		d->row[v] = kept;
		for (uint32_t i = from; i < d->row[v + 1]; i++)
			if (circle[v] == INDEX_NONE ||
			    circle[d->dep[i]] != circle[v])
				d->dep[kept++] = d->dep[i];
	}
	d->row[d->n] = kept;
	d->n_edges = kept;
}

void
dag_seal(struct dag *d,
    void (*on_cycle)(void *to, const uint32_t *cycle, size_t n), void *to)
{
	struct tarjan t = { .d = d };

	make_rows(d);
	t.low = mem_zero(d->n, sizeof *t.low);
	t.stack = new_array(d->n);
	t.path = mem_table(d->n, sizeof *t.path);
	d->order = new_array(d->n);
	for (uint32_t v = 0; v < d->n; v++)
		if (t.low[v] == 0)
			walk_from(&t, v);
	if (t.circle != NULL) {
		d->cyclic = true;
		if (on_cycle != NULL)
			tell_circles(&t, on_cycle, to);
		cut_circles(d, t.circle);
	}
	free(t.low);
	free(t.stack);
	free(t.path);
	free(t.circle);
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

/* One way on from v is by w, and is so long. */
static void
lead_to(struct dag *d, uint32_t v, uint32_t w, int64_t through)
{
	if (through < d->tail[v] || (through == d->tail[v] &&
	    (d->next[v] == INDEX_NONE ||
	    d->compare(d->context, d->next[v], w) < 0)))
		return;
	d->tail[v] = through;
	d->next[v] = w;
}

void
dag_tails(struct dag *d, const bool *is_end)
{
	int64_t through;
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
		through = d->tail[v] + d->weight[v];
		for (uint32_t i = d->row[v]; i < d->row[v + 1]; i++)
			lead_to(d, d->dep[i], v, through);
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
