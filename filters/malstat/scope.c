/* scope - divides a trace into its queries and other plans */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "filters/malstat/measure.h"
#include "filters/malstat/scope.h"

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

static int
compare_executions(const void *a, const void *b, void *context)
{
	return executions_compare_executions(context, *(const uint32_t *)a,
	    *(const uint32_t *)b);
}

/*
 * Replaces each root in the array, by execution, by its number in the order of
 * the roots.  Returns the n roots in this order, which the caller frees.
 */
static uint32_t *
number_roots(const struct trace *t, uint32_t *roots, size_t *n)
{
	uint32_t *list = mem_resize(NULL, t->n_executions, sizeof *list);
	uint32_t *numbers = mem_resize(NULL, t->n_executions, sizeof *numbers);

	*n = 0;
	for (uint32_t x = 0; x < t->n_executions; x++)
		if (roots[x] == x)
			list[(*n)++] = x;
	sort_with(list, *n, sizeof *list, compare_executions, t);
	for (uint32_t i = 0; i < *n; i++)
		numbers[list[i]] = i;
	for (uint32_t x = 0; x < t->n_executions; x++)
		roots[x] = numbers[roots[x]];
	free(numbers);
	return list;
}

void
scopes_make(struct scopes *s, const struct trace *t, const struct pieces *p)
{
	uint32_t *numbers = find_roots(t), *roots;
	struct scope *whole, *to;
	size_t n;

	roots = number_roots(t, numbers, &n);
	*s = (struct scopes){ .n = 1 };
	s->list = mem_zero(n + 1, sizeof *s->list);
	for (size_t i = 0; i < n; i++)
		s->list[i + 1].root = roots[i];
	whole = s->list;
	*whole = (struct scope){ .root = INDEX_NONE, .n_instances = t->n,
	    .pieces = p->list, .n_pieces = p->n };
	whole->instances = mem_resize(NULL, t->n, sizeof *whole->instances);

	for (uint32_t i = 0; i < t->n; i++) {
		whole->instances[i] = i;
		to = whole + 1 + numbers[t->instances[i].execution];
		to->instances = mem_grow(to->instances, &to->instances_cap,
		    to->n_instances + 1, sizeof *to->instances);
		to->instances[to->n_instances++] = i;
	}
	for (const struct piece *x = p->list; x < p->list + p->n; x++) {
		to = whole + 1 + numbers[t->instances[x->instance].execution];
		to->pieces = mem_grow(to->pieces, &to->pieces_cap,
		    to->n_pieces + 1, sizeof *to->pieces);
		to->pieces[to->n_pieces++] = *x;
	}
	/* Leave out the roots without instances. */
	for (size_t i = 1; i <= n; i++)
		if (s->list[i].n_instances > 0)
			s->list[s->n++] = s->list[i];
	free(numbers);
	free(roots);
}

void
scopes_release(struct scopes *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->list[i].instances);
		free(s->list[i].pieces);
	}
	free(s->list);
}
