/* measure - finds self times: divides the time of a lane among its instances */

#include <stdlib.h>

#include "common/base/mem.h"
#include "filters/malstat/malstat.h"

/*
 * A lane is a thread of a session.  As in a profile of nested calls, the self
 * time of an instance is the time in which it is the innermost, which means
 * that it started last of the open instances of its lane.  The instances of a
 * lane are visited in the order of their starts, with a stack of the open ones.
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
 * self time and, for work, as pieces; and removes those that have ended.
 * Instances of a lane normally nest.  If clock errors make an inner instance
 * end after the outer one, the inner one gets the time up to its own end, and
 * the outer one is removed when it is on top again.
 */
static void
advance(struct trace *t, struct pieces *p, struct stack *s, int64_t until_us)
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
			if (i->kind == KIND_WORK && !i->is_untimed) {
				p->list = mem_grow(p->list, &p->cap, p->n + 1,
				    sizeof *p->list);
				p->list[p->n++] = (struct piece){ s->now_us,
				    next_us, top };
			}
			s->now_us = next_us;
		}
		if (i->end_us <= s->now_us)
			s->n--;
	}
	s->now_us = until_us;
}

void
trace_measure(struct trace *t, struct pieces *p)
{
	struct stack s = { 0 };
	const struct instance *i;

	for (uint32_t k = 0; k < t->n; k++) {
		i = &t->instances[k];
		if (k > 0 && i->lane != i[-1].lane)
			advance(t, p, &s, INT64_MAX);
		if (s.n > 0)
			advance(t, p, &s, i->start_us);
		s.now_us = i->start_us;
		s.list = mem_grow(s.list, &s.cap, s.n + 1, sizeof *s.list);
		s.list[s.n++] = k;
	}
	advance(t, p, &s, INT64_MAX);
	free(s.list);
}
