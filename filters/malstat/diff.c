/* diff - compares the queries of two traces */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/mal/fingerprint.h"
#include "filters/malstat/malstat.h"

double
diff_us(const struct change *c)
{
	double us = c->sides[NOW].us - c->sides[BEFORE].us;

	return diff_is_unknown(c) || fabs(us) < 1e-3 ? 0 : us;
}

/* The index of the change with a key, which is added if it is new. */
static uint32_t
find_change(struct diff *d, enum change_kind kind, const struct buf *key)
{
	sym i = intern_add(&d->keys, buf_span(key));

	if (i == d->n) {
		d->list = mem_grow(d->list, &d->cap, d->n + 1,
		    sizeof *d->list);
		d->list[d->n++] = (struct change){ .kind = kind,
		    .sides[NOW].rows = variables_no_rows,
		    .sides[BEFORE].rows = variables_no_rows };
	}
	return i;
}

/* The index of the change of a query or plan. */
static uint32_t
find_query(struct diff *d, const struct trace *t, const struct execution *x,
    int side)
{
	const char *kind = x->is_query ? "query " : "plan ";
	struct buf key = { 0 };
	struct span name;
	uint32_t i;

	buf_str(&key, kind);
	if (x->is_query && x->query != SYM_NONE)
		query_fingerprint(&key, intern_span(&t->names, x->query));
	else if (x->function != SYM_NONE)
		buf_str(&key, intern_str(&t->names, x->function));
	if (key.len == strlen(kind))
		buf_printf(&key, "a %swithout a name", kind);
	i = find_change(d, CHANGE_QUERY, &key);
	name = intern_span(&d->keys, i);
	if (x->is_query && d->list[i].sides[side].name.n == 0) {
		d->list[i].is_query = true;
		d->n_queries[side]++;
		d->last_query[side] = i;
	}
	d->list[i].sides[side].name = span_of(name.p + strlen(kind),
	    name.n - strlen(kind));
	buf_release(&key);
	return i;
}

/*
 * Adds the runs of queries and of plans that are linked to none.  Returns the
 * index of the change by execution, which the caller frees: INDEX_NONE if the
 * execution is not such a run, or is left out.
 */
static uint32_t *
add_runs(struct diff *d, const struct measured *m, int side)
{
	const struct trace *t = &m->trace;
	const struct execution *x = t->executions;
	uint32_t *of_run = mem_ones(t->n_executions, sizeof *of_run), query;
	const struct root_use **uses = mem_zero(t->n_executions, sizeof *uses);
	struct side *s;

	for (size_t i = 0; i < m->queries.n; i++)
		uses[m->queries.list[i].root] = &m->queries.list[i];
	for (size_t i = 0; i < t->n_executions; i++, x++) {
		/* A query without any instance has no use. */
		if (uses[i] == NULL &&
		    !(x->is_query && x->parent == INDEX_NONE))
			continue;
		query = find_query(d, t, x, side);
		s = &d->list[query].sides[side];
		if (uses[i] == NULL || uses[i]->elapsed_us == INT_UNKNOWN ||
		    x->is_partial || x->has_failed) {
			s->left_out++;
			continue;
		}
		of_run[i] = query;
		s->n++;
		s->us += (double)uses[i]->elapsed_us;
		s->busy_us += (double)uses[i]->busy_us;
	}
	free(uses);
	for (size_t i = 0; i < d->n; i++) {
		s = &d->list[i].sides[side];
		s->us /= fmax(s->n, 1);
		s->busy_us /= fmax(s->n, 1);
	}
	return of_run;
}

/*
 * If each side has one query, with another text, makes them one change, that of
 * the newer side.  runs: of BEFORE, as add_runs() returned it.
 */
static void
join_single_queries(struct diff *d, uint32_t *runs, size_t n_runs)
{
	uint32_t now = d->last_query[NOW], before = d->last_query[BEFORE];

	if (d->n_queries[NOW] != 1 || d->n_queries[BEFORE] != 1 ||
	    now == before)
		return;
	d->list[now].sides[BEFORE] = d->list[before].sides[BEFORE];
	d->list[before].kind = N_CHANGES;	/* it is none */
	for (size_t i = 0; i < n_runs; i++)
		if (runs[i] == before)
			runs[i] = now;
}

/* By plan and operation, and then in the order of the plan. */
static int
compare_instances(const void *a, const void *b, void *context)
{
	const struct trace *t = context;
	const struct instance *x = &t->instances[*(const uint32_t *)a];
	const struct instance *y = &t->instances[*(const uint32_t *)b];

	return executions_compare_executions(t, x->execution, y->execution) ?:
	    cmp_u64(x->operation, y->operation) ?: cmp_i64(x->pc, y->pc) ?:
	    cmp_i64(x->start_us, y->start_us);
}

/* Adds the work of a run to the means. */
static void
add_work(struct diff *d, const struct trace *t, const struct scope *scope,
    uint32_t query, int side)
{
	double share = 1 / d->list[query].sides[side].n;
	size_t n = scope->n_instances, n_plans = 0, k = 0;
	uint32_t *work = mem_resize(NULL, n, sizeof *work), index;
	const struct instance *i, *last = NULL;
	struct buf key = { 0 };
	struct change *c;
	struct side *s;

	memcpy(work, scope->instances, n * sizeof *work);
	sort_with(work, n, sizeof *work, compare_instances, t);
	for (size_t x = 0; x < n; x++) {
		i = &t->instances[work[x]];
		if (i->kind != KIND_WORK)
			continue;
		if (last == NULL || i->execution != last->execution)
			n_plans++;
		/* The instances of one pc are in a loop. */
		if (last == NULL || i->execution != last->execution ||
		    i->operation != last->operation)
			k = 0;
		else if (i->pc != last->pc)
			k++;
		last = i;

		for (int kind = CHANGE_OPERATION; kind < N_CHANGES; kind++) {
			key.len = 0;
			if (kind == CHANGE_INSTRUCTION)
				buf_printf(&key, "%u %zu %zu ",
				    (unsigned)query, n_plans, k);
			buf_printf(&key, "work %s",
			    intern_str(&t->names, i->operation));
			index = find_change(d, kind, &key);
			c = &d->list[index];
			c->operation = intern_span(&t->names, i->operation);
			s = &c->sides[side];
			s->n += share;
			s->us += (double)i->self_us * share;
		}
		/* The rest is known of an instruction only. */
		c->query = query;
		s->name = i->statement == SYM_NONE ? c->operation :
		    intern_span(&t->names, i->statement);
		s->pc = i->pc;
		variables_add_rows(&t->variables,
		    t->executions[i->execution].key.trace, i->event_id, share,
		    &s->rows);
	}
	free(work);
	buf_release(&key);
}

static int
compare_changes(const void *p, const void *q, void *context)
{
	const struct diff *d = context;
	const struct change *a = *(const struct change *const *)p;
	const struct change *b = *(const struct change *const *)q;
	double x = fabs(diff_us(a)), y = fabs(diff_us(b));

	if (x != y)
		return x > y ? -1 : 1;
	/* What is on both sides comes last, so that a report can leave it. */
	if (diff_is_on_both(a) != diff_is_on_both(b))
		return diff_is_on_both(a) ? 1 : -1;
	return intern_cmp(&d->keys, (sym)(a - d->list), (sym)(b - d->list));
}

void
diff_make(struct diff *d, const struct measured m[N_SIDES])
{
	uint32_t *runs[N_SIDES];
	const struct scope *s;
	struct changes *of;

	*d = (struct diff){ .n = 0 };
	intern_init(&d->keys);
	for (int side = 0; side < N_SIDES; side++)
		runs[side] = add_runs(d, &m[side], side);
	join_single_queries(d, runs[BEFORE], m[BEFORE].trace.n_executions);
	for (int side = 0; side < N_SIDES; side++) {
		/* The first scope is the whole trace. */
		for (size_t i = 1; i < m[side].scopes.n; i++) {
			s = &m[side].scopes.list[i];
			if (runs[side][s->root] != INDEX_NONE &&
			    !diff_is_unknown(&d->list[runs[side][s->root]]))
				add_work(d, &m[side].trace, s,
				    runs[side][s->root], side);
		}
		free(runs[side]);
	}

	for (of = d->of; of < d->of + N_CHANGES; of++)
		of->list = mem_resize(NULL, d->n, sizeof *of->list);
	for (size_t i = 0; i < d->n; i++) {
		of = &d->of[d->list[i].kind];
		if (of < d->of + N_CHANGES)
			of->list[of->n++] = &d->list[i];
	}
	for (of = d->of; of < d->of + N_CHANGES; of++)
		sort_with(of->list, of->n, sizeof *of->list, compare_changes,
		    d);
}
