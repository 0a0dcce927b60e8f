/* chart - selects the nodes that are shown, and connects them */

#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "filters/graph-export/graph-export.h"

/* Sets of shown nodes, a bit for each. */
struct sets {
	uint64_t *bits;
	size_t n_words;		/* of one set */
};

static uint64_t *
set_of(const struct sets *s, size_t i)
{
	return s->bits + i * s->n_words;
}

static struct sets
sets_new(size_t n_sets, size_t n_members)
{
	size_t n_words = (n_members + 63) / 64;

	return (struct sets){ mem_zero(n_sets, n_words * sizeof(uint64_t)),
	    n_words };
}

static void
set_add(uint64_t *set, size_t member)
{
	set[member / 64] |= UINT64_C(1) << member % 64;
}

static bool
set_has(const uint64_t *set, size_t member)
{
	return (set[member / 64] >> member % 64 & 1) != 0;
}

static void
set_add_all(const struct sets *s, uint64_t *to, const uint64_t *from)
{
	for (size_t i = 0; i < s->n_words; i++)
		to[i] |= from[i];
}

/* --- nodes ---------------------------------------------------------------- */

/* The most important first. */
static int
compare_importance(const void *a, const void *b, void *context)
{
	const struct folded *nodes = context;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct folded *x = &nodes[i], *y = &nodes[j];

	if ((x->n_critical > 0) != (y->n_critical > 0))
		return x->n_critical > 0 ? -1 : 1;
	if (x->sum_us != y->sum_us)
		return cmp_i64(y->sum_us, x->sum_us);
	return cmp_u64(i, j);
}

static int
compare_u32(const void *a, const void *b)
{
	return cmp_u64(*(const uint32_t *)a, *(const uint32_t *)b);
}

static void
select_nodes(struct chart *p, size_t n_max)
{
	const struct fold *fold = p->fold;
	const struct folded *n;
	struct span text;

	p->shown = mem_resize(NULL, fold->n, sizeof *p->shown);
	for (uint32_t i = 0; i < fold->n; i++)
		p->shown[i] = i;
	sort_with(p->shown, fold->n, sizeof *p->shown, compare_importance,
	    fold->nodes);
	p->n_shown = fold->n < n_max ? fold->n : n_max;
	p->n_more = fold->n - p->n_shown;
	for (size_t i = p->n_shown; i < fold->n; i++) {
		n = &fold->nodes[p->shown[i]];
		if (fold_label(fold, n, &text) != LABEL_CALL)
			p->more_us += n->sum_us;
	}
	sort(p->shown, p->n_shown, sizeof *p->shown, compare_u32);
}

/* The index of a node in p->shown, or INDEX_NONE. */
static uint32_t
find_shown(const struct chart *p, uint32_t node)
{
	size_t at = SEARCH_FIRST(i, p->n_shown, p->shown[i] >= node);

	return at < p->n_shown && p->shown[at] == node ? (uint32_t)at :
	    INDEX_NONE;
}

/* --- edges ---------------------------------------------------------------- */

static struct edge *
add_edge(struct chart *p, uint32_t from, uint32_t to)
{
	p->edges = mem_grow(p->edges, &p->edges_cap, p->n_edges + 1,
	    sizeof *p->edges);
	p->edges[p->n_edges] = (struct edge){ .from = from, .to = to };
	return &p->edges[p->n_edges++];
}

/*
 * near has, for each node of the fold, the shown nodes that it reaches against
 * the edges without passing another shown node; before has, for each shown
 * node, all shown nodes on which it depends.  The last two are about the node
 * that is being connected: its parents that are shown, and the shown nodes that
 * come before one that is near.
 */
struct reach {
	struct sets near, before;
	uint64_t *is_direct, *is_earlier;
};

/*
 * Adds the edges to the shown node `to`, but for those that show only an order
 * that other edges show already.  Sets `before` of the node.
 */
static void
add_edges_to(struct chart *p, struct reach *r, uint32_t to)
{
	const uint64_t *near = set_of(&r->near, p->shown[to]);
	uint64_t *before = set_of(&r->before, to);
	struct span text;
	enum label_kind kind = fold_label(p->fold, chart_node(p, to), &text);
	bool shows_all, is_direct;

	memset(r->is_earlier, 0, r->near.n_words * sizeof *r->is_earlier);
	for (uint32_t from = 0; from < to; from++)
		if (set_has(near, from))
			set_add_all(&r->before, r->is_earlier,
			    set_of(&r->before, from));
	set_add_all(&r->before, before, near);
	set_add_all(&r->before, before, r->is_earlier);

	/* In a query the edges are the flow of data, in a build an order. */
	shows_all = p->fold->is_each || kind == LABEL_INSTRUCTION ||
	    kind == LABEL_CALL;
	for (uint32_t from = 0; from < to; from++) {
		is_direct = set_has(r->is_direct, from);
		if (set_has(near, from) && ((is_direct && shows_all) ||
		    !set_has(r->is_earlier, from)))
			add_edge(p, from, to)->is_indirect = !is_direct;
	}
}

static void
connect_nodes(struct chart *p)
{
	const struct folded *n;
	const uint32_t *parents;
	struct reach r;
	uint32_t to = 0, shown;
	uint64_t *near;

	r.near = sets_new(p->fold->n, p->n_shown);
	r.before = sets_new(p->n_shown, p->n_shown);
	r.is_direct = mem_zero(r.near.n_words, sizeof *r.is_direct);
	r.is_earlier = mem_zero(r.near.n_words, sizeof *r.is_earlier);

	for (uint32_t i = 0; i < p->fold->n; i++) {
		n = &p->fold->nodes[i];
		parents = p->fold->parents + n->first_parent;
		near = set_of(&r.near, i);
		memset(r.is_direct, 0, r.near.n_words * sizeof *r.is_direct);
		for (uint32_t j = 0; j < n->n_parents; j++) {
			shown = find_shown(p, parents[j]);
			if (shown != INDEX_NONE)
				set_add(r.is_direct, shown);
			else
				set_add_all(&r.near, near,
				    set_of(&r.near, parents[j]));
		}
		set_add_all(&r.near, near, r.is_direct);
		if (to < p->n_shown && p->shown[to] == i)
			add_edges_to(p, &r, to++);
	}

	free(r.near.bits);
	free(r.before.bits);
	free(r.is_direct);
	free(r.is_earlier);
}

/* --- path ----------------------------------------------------------------- */

static int
compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return cmp_u64(x->to, y->to) ?: cmp_u64(x->from, y->from);
}

/* Merges equal edges: it is critical if one is, indirect if all are. */
static void
merge_edges(struct chart *p)
{
	struct edge *last;
	size_t n = 0;

	sort(p->edges, p->n_edges, sizeof *p->edges, compare_edges);
	for (size_t i = 0; i < p->n_edges; i++) {
		last = n > 0 ? &p->edges[n - 1] : NULL;
		if (last == NULL || compare_edges(last, &p->edges[i]) != 0) {
			p->edges[n++] = p->edges[i];
			continue;
		}
		last->is_critical |= p->edges[i].is_critical;
		last->is_indirect &= p->edges[i].is_indirect;
	}
	p->n_edges = n;
}

/*
 * Marks the edges between the shown nodes of the path.  Where a graph that only
 * critpath had read connects two steps, or where nodes between them are not
 * shown, the edge is added.
 */
static void
mark_path(struct chart *p, const uint32_t *path, size_t n_path)
{
	uint32_t from = INDEX_NONE, to;
	bool is_indirect = false;
	struct edge *e;

	for (size_t i = 0; i < n_path; i++) {
		p->path_us += p->fold->net->dag.weight[path[i]];
		to = find_shown(p, p->fold->node_of[path[i]]);
		if (to == INDEX_NONE) {
			is_indirect = true;
			continue;
		}
		if (from != INDEX_NONE && from != to) {
			e = add_edge(p, from, to);
			e->is_critical = true;
			e->is_indirect = is_indirect;
		}
		from = to;
		is_indirect = false;
	}
	p->n_path = n_path;
	merge_edges(p);
}

void
chart_make(struct chart *p, const struct fold *fold, const uint32_t *path,
    size_t n_path, size_t n_max, bool points_to_needs)
{
	*p = (struct chart){ .fold = fold, .points_to_needs = points_to_needs };
	select_nodes(p, n_max);
	connect_nodes(p);
	mark_path(p, path, n_path);
}

unsigned
chart_edge_width(const struct chart *p, const struct edge *e)
{
	int64_t bytes = chart_node(p, e->from)->size_bytes;
	unsigned width = 1;

	for (; bytes >= 16 << 10 && width < EDGE_WIDTH_MAX; bytes >>= 4)
		width++;
	return e->is_critical && width < 3 ? 3 : width;
}

void
chart_release(struct chart *p)
{
	free(p->shown);
	free(p->edges);
}
