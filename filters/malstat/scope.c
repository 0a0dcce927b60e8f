/* scope - divides a trace into its queries and other plans */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "filters/malstat/malstat.h"

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
compare_scopes(const void *a, const void *b, void *context)
{
	const struct scope *x = a, *y = b;

	return executions_compare_executions(context, x->root, y->root);
}

void
scopes_make(struct scopes *s, const struct trace *t, const struct pieces *p)
{
	uint32_t *roots = find_roots(t);
	struct scope *whole, *of, *to;	/* of: by execution */

	s->list = mem_zero(t->n_executions + 1, sizeof *s->list);
	s->n = 1;
	whole = s->list;
	of = whole + 1;
	*whole = (struct scope){ .root = INDEX_NONE, .n_instances = t->n,
	    .pieces = p->list, .n_pieces = p->n };
	whole->instances = mem_resize(NULL, t->n, sizeof *whole->instances);

	for (uint32_t i = 0; i < t->n; i++) {
		whole->instances[i] = i;
		to = &of[roots[t->instances[i].execution]];
		to->instances = mem_grow(to->instances, &to->instances_cap,
		    to->n_instances + 1, sizeof *to->instances);
		to->instances[to->n_instances++] = i;
	}
	for (const struct piece *x = p->list; x < p->list + p->n; x++) {
		to = &of[roots[t->instances[x->instance].execution]];
		to->pieces = mem_grow(to->pieces, &to->pieces_cap,
		    to->n_pieces + 1, sizeof *to->pieces);
		to->pieces[to->n_pieces++] = *x;
	}
	/* Leave out what is not a root, and roots without instances. */
	for (uint32_t i = 0; i < t->n_executions; i++)
		if (of[i].n_instances > 0) {
			of[i].root = i;
			s->list[s->n++] = of[i];
		}
	sort_with(of, s->n - 1, sizeof *of, compare_scopes, t);
	free(roots);
}
