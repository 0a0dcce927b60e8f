/* measure - finds self times: assigns the time of a lane to its instances */

#include <stdlib.h>

#include "common/base/mem.h"
#include "filters/malstat/trace.h"

/*
 * As in a profile of nested calls, the self time of an instance is the time in
 * which it is the innermost: of all open ones it started last.  The instances
 * of a lane are visited by start, with a stack of those that are open.
 * Example: A from 0 to 10 and B from 2 to 5 give the pieces A 0-2, B 2-5 and A
 * 5-10, so A has 7 of self time.
 */
struct stack {
	uint32_t *list;
	size_t n, cap;
	int64_t now_us;		/* time before this has been assigned */
};

static void
add_piece(struct trace *t, struct pieces *p, uint32_t i, int64_t start_us,
    int64_t end_us)
{
	t->instances[i].self_us += end_us - start_us;
	if (t->instances[i].kind != KIND_WORK || start_us == end_us)
		return;
	p->list = mem_grow(p->list, &p->cap, p->n + 1, sizeof *p->list);
	p->list[p->n++] = (struct piece){ start_us, end_us, i };
}

/*
 * Assigns the time up to until_us, and removes instances that have ended from
 * the stack.  Instances of a lane nest.  If the clock makes an inner one end
 * after the outer one, the inner one gets the time up to its own end, and the
 * outer one is removed when it is on top again.
 */
static void
advance(struct trace *t, struct pieces *p, struct stack *s, int64_t until_us)
{
	int64_t end_us;
	uint32_t top;

	while (s->n > 0 && s->now_us < until_us) {
		top = s->list[s->n - 1];
		end_us = t->instances[top].end_us;
		if (end_us > s->now_us) {
			add_piece(t, p, top, s->now_us,
			    end_us < until_us ? end_us : until_us);
			s->now_us = end_us < until_us ? end_us : until_us;
		}
		if (end_us <= s->now_us)
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
