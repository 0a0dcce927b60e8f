/* scope - divides a trace into pieces of work, and into queries and plans */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "filters/malstat/malstat.h"

static void
add_piece(struct scope *s, const struct piece *p)
{
	s->pieces = mem_grow(s->pieces, &s->pieces_cap, s->n_pieces + 1,
	    sizeof *s->pieces);
	s->pieces[s->n_pieces++] = *p;
}

/*
 * The instances of a lane, which is a thread of a session, are visited in the
 * order of their starts, with a stack of the open ones.
 *
 * Example: A from 0 to 10 us and B from 2 to 5 us give the pieces A 0-2, B 2-5
 * and A 5-10, so A has a self time of 7 us.
 */
struct stack {
	uint32_t *list;		/* indexes in trace.instances; innermost last */
	size_t n, cap;
	int64_t now_us;		/* the time before now_us has been divided */
};

/*
 * Divides the time from now_us to until_us among the instances on the stack, as
 * self time and, for work, as pieces; and removes those that have ended.  If
 * clock errors make an inner instance end after the outer one, the outer one is
 * removed when it is on top again.
 */
static void
advance(struct trace *t, struct scope *whole, struct stack *s, int64_t until_us)
{
	struct instance *i;
	int64_t next_us;
	uint32_t top;

	while (s->n > 0 && s->now_us < until_us) {
		top = s->list[s->n - 1];
		i = &t->instances[top];
		next_us = i->end_us < until_us ? i->end_us : until_us;
		if (next_us > s->now_us) {
			i->self_us += next_us - s->now_us;
			if (i->kind == KIND_WORK && !i->is_untimed)
				add_piece(whole, &(struct piece){ s->now_us,
				    next_us, top });
			s->now_us = next_us;
		}
		if (i->end_us <= s->now_us)
			s->n--;
	}
	s->now_us = until_us;
}

static void
measure(struct trace *t, struct scope *whole)
{
	struct stack s = { 0 };
	const struct instance *i;

	for (uint32_t k = 0; k < t->n; k++) {
		i = &t->instances[k];
		if (k > 0 && i->lane != i[-1].lane)
			advance(t, whole, &s, INT64_MAX);
		if (s.n > 0)
			advance(t, whole, &s, i->start_us);
		s.now_us = i->start_us;
		s.list = mem_grow(s.list, &s.cap, s.n + 1, sizeof *s.list);
		s.list[s.n++] = k;
	}
	advance(t, whole, &s, INT64_MAX);
	free(s.list);
}

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
scopes_make(struct scopes *s, struct trace *t)
{
	uint32_t *roots = find_roots(t);
	struct scope *whole, *of, *to;	/* of: by execution */

	s->list = mem_zero(t->n_executions + 1, sizeof *s->list);
	s->n = 1;
	whole = s->list;
	of = whole + 1;
	*whole = (struct scope){ .root = INDEX_NONE, .n_instances = t->n };
	whole->instances = mem_resize(NULL, t->n, sizeof *whole->instances);
	measure(t, whole);

	for (uint32_t i = 0; i < t->n; i++) {
		whole->instances[i] = i;
		to = &of[roots[t->instances[i].execution]];
		to->instances = mem_grow(to->instances, &to->instances_cap,
		    to->n_instances + 1, sizeof *to->instances);
		to->instances[to->n_instances++] = i;
	}
	for (const struct piece *p = whole->pieces;
	    p < whole->pieces + whole->n_pieces; p++)
		add_piece(&of[roots[t->instances[p->instance].execution]], p);
	/* Leave out what is not a root, and roots without instances. */
	for (uint32_t i = 0; i < t->n_executions; i++)
		if (of[i].n_instances > 0) {
			of[i].root = i;
			s->list[s->n++] = of[i];
		}
	sort_with(of, s->n - 1, sizeof *of, compare_scopes, t);
	free(roots);
}
