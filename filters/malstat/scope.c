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

/*
 * Where the instances and the pieces of each root begin when they are grouped
 * by root, and at the end their numbers.
 */
struct starts {
	size_t *instances, *pieces;
};

static void
starts_init(struct starts *s, const struct trace *t, const struct pieces *p,
    const uint32_t *roots, size_t n_roots)
{
	s->instances = mem_zero(n_roots + 1, sizeof *s->instances);
	s->pieces = mem_zero(n_roots + 1, sizeof *s->pieces);
	for (size_t i = 0; i < t->n; i++)
		s->instances[roots[t->instances[i].execution] + 1]++;
	for (size_t i = 0; i < p->n; i++)
		s->pieces[roots[t->instances[
		    p->list[i].instance].execution] + 1]++;
	for (size_t i = 0; i < n_roots; i++) {
		s->instances[i + 1] += s->instances[i];
		s->pieces[i + 1] += s->pieces[i];
	}
}

void
scopes_make(struct scopes *s, const struct trace *t, const struct pieces *p)
{
	uint32_t *roots = find_roots(t), *list, *grouped, x;
	struct starts at;
	size_t n;

	list = number_roots(t, roots, &n);
	*s = (struct scopes){ .n = 1 };
	s->list = mem_resize(NULL, n + 1, sizeof *s->list);
	s->instances = mem_resize(NULL, 2 * t->n, sizeof *s->instances);
	s->pieces = mem_resize(NULL, p->n, sizeof *s->pieces);
	for (uint32_t i = 0; i < t->n; i++)
		s->instances[i] = i;
	s->list[0] = (struct scope){ INDEX_NONE, s->instances, t->n, p->list,
	    p->n };

	starts_init(&at, t, p, roots, n);
	grouped = s->instances + t->n;
	for (size_t i = 0; i < n; i++)
		if (at.instances[i] < at.instances[i + 1])
			s->list[s->n++] = (struct scope){ list[i],
			    grouped + at.instances[i],
			    at.instances[i + 1] - at.instances[i],
			    s->pieces + at.pieces[i],
			    at.pieces[i + 1] - at.pieces[i] };
	/* From here on the starts are those of the room that is left. */
	for (uint32_t i = 0; i < t->n; i++) {
		x = t->instances[i].execution;
		grouped[at.instances[roots[x]]++] = i;
	}
	for (size_t i = 0; i < p->n; i++) {
		x = t->instances[p->list[i].instance].execution;
		s->pieces[at.pieces[roots[x]]++] = p->list[i];
	}

	free(at.instances);
	free(at.pieces);
	free(roots);
	free(list);
}

void
scopes_release(struct scopes *s)
{
	free(s->list);
	free(s->instances);
	free(s->pieces);
}
