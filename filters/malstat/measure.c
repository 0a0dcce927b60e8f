/* measure - to which instance each microsecond of a lane belongs */

#include <stdlib.h>

#include "common/base/mem.h"
#include "filters/malstat/trace.h"

/* The instances that are open on a lane; the last has begun last. */
struct stack {
	uint32_t *list;
	size_t n, cap;
	int64_t now_us;
};

static void
add_piece(struct trace *t, struct pieces *p, uint32_t i, int64_t from_us,
    int64_t to_us)
{
	t->instances[i].self_us += to_us - from_us;
	if (t->instances[i].kind != KIND_WORK || from_us == to_us)
		return;
	p->list = mem_grow(p->list, &p->cap, p->n + 1, sizeof *p->list);
	p->list[p->n++] = (struct piece){ from_us, to_us, i };
}

/*
 * Time goes on to until_us.  Instances of a lane nest; where clocks let one end
 * later than what it lies in, that goes on to count alone, and the outer one
 * is found ended when it comes up.
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
