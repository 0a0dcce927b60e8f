/* queries - measures each query, and finds the times in which queries ran */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "filters/malstat/malstat.h"

static bool
is_query(const struct trace *t, const struct root_use *u)
{
	return t->executions[u->root].is_query;
}

/* Queries first, then the slowest; those without a time last. */
static int
compare_uses(const void *a, const void *b, void *context)
{
	const struct trace *t = context;
	const struct root_use *x = a, *y = b;

	/* INT_UNKNOWN is the smallest integer. */
	return cmp_u64(is_query(t, y), is_query(t, x)) ?:
	    cmp_i64(y->elapsed_us, x->elapsed_us) ?:
	    executions_compare_executions(t, x->root, y->root);
}

static int
compare_periods(const void *a, const void *b, void *context)
{
	const struct period *x = a, *y = b;

	return executions_compare_sessions(context, x->session, y->session) ?:
	    cmp_i64(x->start_us, y->start_us);
}

/*
 * Adds the time of a root in a session, from its first start to its last end:
 * as a period if it is a query, and as its own time if this is its session.
 */
static void
add_time(struct queries *q, const struct trace *t, struct root_use *u,
    const struct period *p)
{
	if (is_query(t, u))
		q->ran_in[p->session] = true;
	if (is_query(t, u) && p->start_us < p->end_us) {
		q->periods = mem_grow(q->periods, &q->periods_cap,
		    q->n_periods + 1, sizeof *q->periods);
		q->periods[q->n_periods++] = *p;
	}
	if (p->session != t->executions[u->root].session)
		return;
	u->start_us = p->start_us;
	u->elapsed_us = p->end_us - p->start_us;
}

static void
add_root(struct queries *q, const struct trace *t, const struct scope *s)
{
	struct root_use *u = &q->list[q->n++];
	struct period p = { .session = INDEX_NONE };
	struct costs a = { .trace = t };
	const struct instance *i;
	uint32_t session, last_lane = INDEX_NONE;

	*u = (struct root_use){ .root = s->root, .start_us = INT_UNKNOWN,
	    .elapsed_us = INT_UNKNOWN, .costliest = SYM_NONE };
	for (size_t k = 0; k < s->n_instances; k++) {
		i = &t->instances[s->instances[k]];
		u->is_untimed |= i->is_untimed;
		if (i->is_untimed)
			continue;
		session = t->executions[i->execution].session;
		if (p.session != INDEX_NONE && session != p.session)
			add_time(q, t, u, &p);
		if (session != p.session)
			p = (struct period){ session, i->start_us, i->end_us };
		p.start_us = time_earlier(p.start_us, i->start_us);
		p.end_us = time_later(p.end_us, i->end_us);
		/* The instances of a lane are adjacent. */
		if (i->kind == KIND_WORK && i->lane != last_lane) {
			last_lane = i->lane;
			u->n_threads++;
		}
	}
	if (p.session != INDEX_NONE)
		add_time(q, t, u, &p);

	costs_sum(&a, s);
	u->busy_us = a.busy_us;
	if (a.n_operations > 0) {
		u->costliest = a.operations->name;
		u->costliest_us = a.operations->self_us;
	}
	free(a.operations);
}

void
queries_make(struct queries *q, const struct trace *t, const struct scopes *s)
{
	struct period *p;
	size_t n = 0;

	*q = (struct queries){ .n = 0 };
	q->ran_in = mem_zero(t->n_sessions, sizeof *q->ran_in);
	/* The first scope is the whole trace. */
	q->list = mem_resize(NULL, s->n - 1, sizeof *q->list);
	for (size_t i = 1; i < s->n; i++)
		add_root(q, t, &s->list[i]);
	sort_with(q->list, q->n, sizeof *q->list, compare_uses, t);
	while (q->n_queries < q->n && is_query(t, &q->list[q->n_queries]))
		q->n_queries++;

	/* Merge the periods of a session that overlap or touch. */
	p = q->periods;
	sort_with(p, q->n_periods, sizeof *p, compare_periods, t);
	for (size_t i = 0; i < q->n_periods; i++)
		if (n == 0 || p[i].session != p[n - 1].session ||
		    p[i].start_us > p[n - 1].end_us)
			p[n++] = p[i];
		else
			p[n - 1].end_us = time_later(p[n - 1].end_us,
			    p[i].end_us);
	q->n_periods = n;
}
