/* scope - divides a trace into its queries */

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "filters/malstat/scope.h"

/* The context of compare_roots() and compare_pieces(). */
struct order {
	const struct trace *trace;
	const uint32_t *roots;		/* by execution: see find_roots() */
};

/*
 * The root of each execution, which is the last one in the chain from the
 * execution to its initiator, the initiator's initiator and so on.  If the
 * chain ends in a cycle, the root is an execution of the cycle.  The second
 * pass over a chain stores the root, so that each execution is visited only
 * twice.  The caller frees the array.
 */
static uint32_t *
find_roots(const struct trace *t)
{
	enum { UNSEEN, ON_CHAIN, KNOWN };
	unsigned char *state = mem_zero(t->n_executions, 1);
	uint32_t *roots = mem_resize(NULL, t->n_executions, sizeof *roots);
	uint32_t last, root, x;

	for (uint32_t i = 0; i < t->n_executions; i++) {
		last = INDEX_NONE;
		for (x = i; x != INDEX_NONE && state[x] == UNSEEN;
		    x = t->executions[x].parent) {
			state[x] = ON_CHAIN;
			last = x;
		}
		root = x != INDEX_NONE && state[x] == KNOWN ? roots[x] : last;
		for (x = i; x != INDEX_NONE && state[x] == ON_CHAIN;
		    x = t->executions[x].parent) {
			state[x] = KNOWN;
			roots[x] = root;
		}
	}
	free(state);
	return roots;
}

static uint32_t
root_of(const struct order *o, uint32_t instance)
{
	return o->roots[o->trace->instances[instance].execution];
}

/* By root, then in the order of trace.instances. */
static int
compare_roots(const void *a, const void *b, void *context)
{
	const struct order *o = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = trace_compare_executions(o->trace, root_of(o, x),
	    root_of(o, y));

	return order != 0 ? order : cmp_u64(x, y);
}

static int
compare_pieces(const void *a, const void *b, void *context)
{
	const struct piece *x = a, *y = b;

	return compare_roots(&x->instance, &y->instance, context);
}

/*
 * Adds a scope for each root.  Its instances are adjacent in the second half of
 * s->instances, which has n_instances, and its pieces in s->pieces.
 */
static void
add_scopes(struct scopes *s, const struct order *o, size_t n_instances,
    size_t n_pieces)
{
	const uint32_t *i = s->instances + n_instances, *end = i + n_instances;
	const struct piece *p = s->pieces, *pieces_end = p + n_pieces;
	struct scope *scope;
	size_t cap = s->n;

	while (i < end) {
		s->list = mem_grow(s->list, &cap, s->n + 1, sizeof *s->list);
		scope = &s->list[s->n++];
		*scope = (struct scope){ .root = root_of(o, *i), .instances = i,
		    .pieces = p };
		while (i < end && root_of(o, *i) == scope->root)
			i++;
		while (p < pieces_end &&
		    root_of(o, p->instance) == scope->root)
			p++;
		scope->n_instances = (size_t)(i - scope->instances);
		scope->n_pieces = (size_t)(p - scope->pieces);
	}
}

/* Copies all instances and pieces and sorts the copies by query. */
static void
add_queries(struct scopes *s, const struct trace *t, const struct pieces *p)
{
	uint32_t *roots = find_roots(t), *instances = s->instances + t->n;
	const struct order order = { t, roots };

	memcpy(instances, s->instances, t->n * sizeof *instances);
	s->pieces = mem_resize(NULL, p->n, sizeof *s->pieces);
	if (p->n > 0)
		memcpy(s->pieces, p->list, p->n * sizeof *p->list);
	sort_with(instances, t->n, sizeof *instances, compare_roots, &order);
	sort_with(s->pieces, p->n, sizeof *s->pieces, compare_pieces, &order);
	add_scopes(s, &order, t->n, p->n);
	free(roots);
}

void
scopes_make(struct scopes *s, const struct trace *t, const struct pieces *p,
    bool queries)
{
	*s = (struct scopes){ .n = 1 };
	s->list = mem_zero(1, sizeof *s->list);
	s->instances = mem_resize(NULL, (queries ? 2 : 1) * t->n,
	    sizeof *s->instances);
	for (uint32_t i = 0; i < t->n; i++)
		s->instances[i] = i;
	s->list[0] = (struct scope){ INDEX_NONE, s->instances, t->n, p->list,
	    p->n };
	if (queries && t->n > 0)
		add_queries(s, t, p);
}

void
scopes_release(struct scopes *s)
{
	free(s->list);
	free(s->instances);
	free(s->pieces);
}
