/* costs - finds the costliest operations, and how the cores are used */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "filters/malstat/malstat.h"

static int
compare_operations(const void *a, const void *b, void *context)
{
	const struct operation *x = a, *y = b;
	const struct trace *t = context;

	return cmp_u64(x->kind, y->kind) ?:
	    (x->kind == KIND_WORK ? cmp_i64(y->self_us, x->self_us) : 0) ?:
	    intern_cmp(&t->names, x->name, y->name);
}

/* Sums up the instances of each kind and operation; work comes first. */
void
costs_sum(struct costs *a, const struct scope *s)
{
	const struct trace *t = a->trace;
	struct operation *list = NULL, *o;
	static uint32_t *index;		/* in list, by key (see below) */
	static size_t index_cap;
	size_t n_keys = t->names.n * N_KINDS, key;
	const struct instance *i;
	int64_t total_us;
	size_t n = 0, cap = 0;

	/* Allocated once for a trace: each call sets it to INDEX_NONE again at
	   its end. */
	if (index_cap < n_keys) {
		free(index);
		index = mem_ones(n_keys, sizeof *index);
		index_cap = n_keys;
	}

	for (size_t k = 0; k < s->n_instances; k++) {
		i = &t->instances[s->instances[k]];
		/* With the kind, because a call has the name of its plan. */
		key = (size_t)i->operation * N_KINDS + i->kind;
		if (index[key] == INDEX_NONE) {
			list = mem_grow(list, &cap, n + 1, sizeof *list);
			index[key] = (uint32_t)n;
			list[n++] = (struct operation){ .name = i->operation,
			    .kind = i->kind };
		}
		o = &list[index[key]];
		total_us = i->end_us - i->start_us;
		o->n++;
		o->total_us += total_us;
		o->self_us += i->self_us;
		if (total_us > o->longest_us)
			o->longest_us = total_us;
	}

	for (size_t k = 0; k < n; k++)
		index[(size_t)list[k].name * N_KINDS + list[k].kind] =
		    INDEX_NONE;
	sort_with(list, n, sizeof *list, compare_operations, t);
	a->operations = list;
	while (a->n_operations < n &&
	    list[a->n_operations].kind == KIND_WORK)
		a->busy_us += list[a->n_operations++].self_us;
	a->containers = list + a->n_operations;
	a->n_containers = n - a->n_operations;
}

/*
 * By self time, descending.  The other keys only make the order of equally
 * costly instances independent of the order of the rows.
 */
static int
compare_costs(const void *a, const void *b, void *context)
{
	const struct trace *t = context;
	const struct instance *x = &t->instances[*(const uint32_t *)a];
	const struct instance *y = &t->instances[*(const uint32_t *)b];
	const struct execution *p = &t->executions[x->execution];
	const struct execution *q = &t->executions[y->execution];

	return cmp_i64(y->self_us, x->self_us) ?:
	    executions_compare_sessions(t, p->session, q->session) ?:
	    cmp_i64(p->tag, q->tag) ?: cmp_i64(x->pc, y->pc) ?:
	    cmp_i64(x->start_us, y->start_us) ?:
	    executions_compare_executions(t, x->execution, y->execution) ?:
	    (x > y) - (x < y);
}

static uint32_t
session_of(const struct trace *t, uint32_t instance)
{
	return t->executions[t->instances[instance].execution].session;
}

static void
add_cores(struct costs *a, const struct cores *c)
{
	a->cores = mem_grow(a->cores, &a->cores_cap, a->n_cores + 1,
	    sizeof *a->cores);
	a->cores[a->n_cores++] = *c;
}

/* The times in which queries ran in the session; sets *n to their number. */
static const struct period *
find_periods(const struct trace *t, const struct queries *q, uint32_t session,
    size_t *n)
{
	size_t first = SEARCH_FIRST(i, q->n_periods,
	    executions_compare_sessions(t, q->periods[i].session,
	    session) >= 0);

	*n = SEARCH_FIRST(i, q->n_periods - first,
	    q->periods[first + i].session != session);
	return q->periods + first;
}

/* The number of lanes that work in one of the n periods, which are sorted. */
static size_t
count_threads(const struct trace *t, const struct scope *part,
    const struct period *periods, size_t n)
{
	const struct piece *p = part->pieces, *end = p + part->n_pieces;
	uint32_t lane, last = INDEX_NONE;	/* last: that was counted */
	size_t i, n_lanes = 0;

	for (; p < end; p++) {
		lane = t->instances[p->instance].lane;
		if (lane == last)
			continue;
		i = SEARCH_FIRST(k, n, periods[k].end_us > p->start_us);
		if (i == n || periods[i].start_us >= p->end_us)
			continue;
		last = lane;
		n_lanes++;
	}
	return n_lanes;
}

/* Adds the cores of the session that is part, and of its blocks. */
static void
add_session(struct costs *a, const struct scope *part,
    const struct queries *q)
{
	struct cores s = { .session = session_of(a->trace, part->instances[0]),
	    .start_us = INT_UNKNOWN, .end_us = INT_UNKNOWN,
	    .block = INDEX_NONE };
	size_t first = a->n_cores, n_periods = 0;
	const struct period *periods = NULL;
	const struct instance *i;

	add_cores(a, &s);
	for (size_t k = 0; k < part->n_instances; k++) {
		i = &a->trace->instances[part->instances[k]];
		if (i->is_untimed)	/* so are the rest */
			break;
		s.start_us = time_earlier(s.start_us, i->start_us);
		s.end_us = time_later(s.end_us, i->end_us);
		if (i->kind == KIND_DATAFLOW)
			add_cores(a, &(struct cores){ .session = s.session,
			    .start_us = i->start_us, .end_us = i->end_us,
			    .block = part->instances[k] });
	}
	if (a->root == INDEX_NONE) {
		s.ran_queries = q->ran_in[s.session];
		periods = find_periods(a->trace, q, s.session, &n_periods);
	}
	s.queries.n_threads = count_threads(a->trace, part, periods, n_periods);
	a->cores[first] = s;
	a->n_sessions++;
	cores_measure(a->cores + first, a->n_cores - first, a->trace, part,
	    periods, n_periods);
}

/*
 * Removes the first session from *rest, which is sorted by session, and returns
 * it as a scope.
 */
static struct scope
split_session(const struct trace *t, struct scope *rest)
{
	uint32_t session = session_of(t, rest->instances[0]);
	struct scope part = *rest;

	while (rest->n_instances > 0 &&
	    session_of(t, rest->instances[0]) == session) {
		rest->instances++;
		rest->n_instances--;
	}
	while (rest->n_pieces > 0 &&
	    session_of(t, rest->pieces[0].instance) == session) {
		rest->pieces++;
		rest->n_pieces--;
	}
	part.n_instances -= rest->n_instances;
	part.n_pieces -= rest->n_pieces;
	return part;
}

void
costs_make(struct costs *a, const struct trace *t, const struct scope *s,
    const struct queries *q)
{
	struct scope rest = *s, part;
	uint32_t i;

	*a = (struct costs){ .trace = t, .root = s->root,
	    .n_instances = s->n_instances };
	costs_sum(a, s);
	a->costliest = mem_resize(NULL, s->n_instances,
	    sizeof *a->costliest);
	for (size_t k = 0; k < s->n_instances; k++) {
		i = s->instances[k];
		a->n_untimed += t->instances[i].is_untimed;
		if (t->instances[i].kind == KIND_WORK)
			a->costliest[a->n_work++] = i;
	}
	sort_with(a->costliest, a->n_work, sizeof *a->costliest, compare_costs,
	    t);

	while (rest.n_instances > 0) {
		part = split_session(t, &rest);
		if (!t->instances[part.instances[0]].is_untimed)
			add_session(a, &part, q);
	}
}

void
costs_release(struct costs *a)
{
	for (size_t i = 0; i < a->n_cores; i++)
		free(a->cores[i].use.histogram_us);
	free(a->cores);
	free(a->operations);
	free(a->costliest);
}
