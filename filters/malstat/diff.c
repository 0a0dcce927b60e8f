/* diff - compares the queries of two traces */

#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/mal/fingerprint.h"
#include "filters/malstat/diff.h"

void
diff_init(struct diff *d)
{
	*d = (struct diff){ .n = 0 };
	intern_init(&d->texts);
	intern_init(&d->keys);
}

void
diff_release(struct diff *d)
{
	intern_release(&d->texts);
	intern_release(&d->keys);
	free(d->list);
	for (int i = 0; i < N_CHANGES; i++)
		free(d->orders[i]);
}

static const struct rows no_rows = { -1, -1, -1 };

/* The change with a key, which is added if it is new. */
static struct change *
find_change(struct diff *d, enum change_kind kind, struct buf *key)
{
	sym i = intern_add(&d->keys, buf_span(key));

	if (i == d->n) {
		d->list = mem_grow(d->list, &d->cap, d->n + 1,
		    sizeof *d->list);
		d->list[d->n++] = (struct change){ .kind = kind,
		    .query = INDEX_NONE, .operation = SYM_NONE, .sides = {
		    { .name = SYM_NONE, .rows = no_rows },
		    { .name = SYM_NONE, .rows = no_rows } } };
	}
	return &d->list[i];
}

/* Adds the text of a query without constants, or the name of a plan. */
static void
put_query(struct buf *b, const struct trace *t, uint32_t root)
{
	const struct execution *x = &t->executions[root];

	if (x->is_query && x->query != SYM_NONE)
		query_fingerprint(b, intern_span(&t->names, x->query));
	else if (x->function != SYM_NONE)
		buf_add(b, intern_span(&t->names, x->function).p,
		    intern_span(&t->names, x->function).n);
	if (b->len == 0)
		buf_str(b, x->is_query ? "a query without a text" :
		    "a plan without a name");
}

/* The index of the change of a query or plan. */
static uint32_t
find_query(struct diff *d, const struct trace *t, uint32_t root, int side,
    bool is_single)
{
	struct buf text = { 0 }, key = { 0 };
	struct change *c;

	put_query(&text, t, root);
	if (is_single && t->executions[root].is_query)
		buf_str(&key, "the query");
	else
		buf_printf(&key, "q%d %s", t->executions[root].is_query,
		    buf_cstr(&text));
	c = find_change(d, CHANGE_QUERY, &key);
	c->sides[side].name = intern_add(&d->texts, buf_span(&text));
	buf_release(&text);
	buf_release(&key);
	return (uint32_t)(c - d->list);
}

/* The work of one run of a query, in the order of its plans and their pcs. */
struct run {
	const struct trace *trace;
	uint32_t query;		/* index of its change */
	int side;
	double share;		/* 1 / the number of runs of the query */
	uint32_t *instances;
	size_t n;
};

static int
compare_instances(const void *a, const void *b, void *context)
{
	const struct trace *t = context;
	const struct instance *x = &t->instances[*(const uint32_t *)a];
	const struct instance *y = &t->instances[*(const uint32_t *)b];
	int order = executions_compare_executions(t, x->execution,
	    y->execution);

	order = order != 0 ? order : cmp_i64(x->pc, y->pc);
	return order != 0 ? order : cmp_i64(x->start_us, y->start_us);
}

static void
begin_run(struct run *r, const struct scope *s)
{
	const struct trace *t = r->trace;

	r->instances = mem_resize(NULL, s->n_instances,
	    sizeof *r->instances);
	for (size_t i = 0; i < s->n_instances; i++)
		if (t->instances[s->instances[i]].kind == KIND_WORK)
			r->instances[r->n++] = s->instances[i];
	sort_with(r->instances, r->n, sizeof *r->instances, compare_instances,
	    t);
}

static void
add_rows(double *sum, double n, double share)
{
	if (n >= 0)
		*sum = (*sum < 0 ? 0 : *sum) + n * share;
}

/* The k-th instruction with its operation in the n-th plan of the run. */
static void
add_instruction(struct diff *d, const struct run *r, const struct instance *i,
    size_t n, uint32_t k)
{
	const struct trace *t = r->trace;
	struct span operation = intern_span(&t->names, i->operation);
	struct rows rows = variables_rows(t->variables,
	    t->executions[i->execution].key.trace, i->event_id);
	struct buf key = { 0 };
	struct change *c;
	struct side *s;

	buf_printf(&key, "i%u %zu %u %.*s", (unsigned)r->query, n, (unsigned)k,
	    SPAN_ARG(operation));
	c = find_change(d, CHANGE_INSTRUCTION, &key);
	s = &c->sides[r->side];
	c->query = r->query;
	c->operation = intern_add(&d->texts, operation);
	s->name = i->statement == SYM_NONE ? c->operation :
	    intern_add(&d->texts, intern_span(&t->names, i->statement));
	s->n += r->share;
	s->us += (double)i->self_us * r->share;
	s->pc = i->pc;
	add_rows(&s->rows.in, rows.in, r->share);
	add_rows(&s->rows.out, rows.out, r->share);
	add_rows(&s->rows.estimate, rows.estimate, r->share);
	buf_release(&key);
}

static void
add_operation(struct diff *d, const struct run *r, const struct instance *i)
{
	struct span name = intern_span(&r->trace->names, i->operation);
	struct buf key = { 0 };
	struct change *c;

	buf_printf(&key, "o %.*s", SPAN_ARG(name));
	c = find_change(d, CHANGE_OPERATION, &key);
	c->operation = intern_add(&d->texts, name);
	c->sides[r->side].n += r->share;
	c->sides[r->side].us += (double)i->self_us * r->share;
	buf_release(&key);
}

/* n_seen: by operation; how many of its instructions the plan has had so far */
static void
add_run(struct diff *d, const struct run *r, uint32_t *n_seen)
{
	const struct instance *all = r->trace->instances, *i, *last = NULL;
	size_t n_plans = 0;
	uint32_t k = 0;

	for (size_t x = 0; x < r->n; x++, last = i) {
		i = &all[r->instances[x]];
		if (last == NULL || i->execution != last->execution) {
			n_plans++;
			for (size_t y = x; y < r->n &&
			    all[r->instances[y]].execution == i->execution; y++)
				n_seen[all[r->instances[y]].operation] = 0;
		}
		/* The instances of an instruction are in a loop. */
		if (last == NULL || i->execution != last->execution ||
		    i->pc != last->pc)
			k = n_seen[i->operation]++;
		add_operation(d, r, i);
		add_instruction(d, r, i, n_plans, k);
	}
}

/* Adds the times of a run to its query. */
static void
add_times(struct diff *d, const struct root_use *u, uint32_t query, int side)
{
	struct side *s = &d->list[query].sides[side];

	s->n++;
	if (u->elapsed_us != INT_UNKNOWN)
		s->us += (double)u->elapsed_us;
	s->busy_us += (double)u->busy_us;
}

void
diff_add(struct diff *d, const struct trace *t, const struct scopes *scopes,
    const struct queries *q, int side, bool is_single)
{
	/* By root: the index of its change. */
	uint32_t *of_root = mem_resize(NULL, t->n_executions, sizeof *of_root);
	uint32_t *n_seen = mem_zero(t->names.n + 1, sizeof *n_seen);
	struct run r = { .trace = t, .side = side };

	for (size_t i = 0; i < q->n; i++) {
		of_root[q->list[i].root] = find_query(d, t, q->list[i].root,
		    side, is_single);
		add_times(d, &q->list[i], of_root[q->list[i].root], side);
	}
	for (const struct scope *s = scopes->list + 1;
	    s < scopes->list + scopes->n; s++) {
		r.query = of_root[s->root];
		r.share = 1 / d->list[r.query].sides[side].n;
		r.n = 0;
		begin_run(&r, s);
		add_run(d, &r, n_seen);
		free(r.instances);
	}
	free(of_root);
	free(n_seen);
}

static bool
is_everywhere(const struct change *c)
{
	return c->sides[NOW].n > 0 && c->sides[BEFORE].n > 0;
}

static int
compare_changes(const void *p, const void *q, void *context)
{
	const struct diff *d = context;
	uint32_t i = *(const uint32_t *)p, k = *(const uint32_t *)q;
	const struct change *a = &d->list[i], *b = &d->list[k];
	double x = fabs(diff_us(a)), y = fabs(diff_us(b));

	if (x != y)
		return x > y ? -1 : 1;
	/* What is on both sides comes last, so that a report can leave it. */
	if (is_everywhere(a) != is_everywhere(b))
		return is_everywhere(a) ? 1 : -1;
	return intern_cmp(&d->keys, i, k);
}

void
diff_finish(struct diff *d)
{
	struct change *c;
	struct side *s;

	for (uint32_t i = 0; i < d->n; i++) {
		c = &d->list[i];
		for (s = c->sides; s < c->sides + N_SIDES; s++)
			if (c->kind == CHANGE_QUERY && s->n > 0) {
				s->us /= s->n;
				s->busy_us /= s->n;
			}
	}
	for (int kind = 0; kind < N_CHANGES; kind++) {
		d->orders[kind] = mem_resize(NULL, d->n,
		    sizeof *d->orders[kind]);
		for (uint32_t i = 0; i < d->n; i++)
			if (d->list[i].kind == (enum change_kind)kind)
				d->orders[kind][d->n_of[kind]++] = i;
		sort_with(d->orders[kind], d->n_of[kind],
		    sizeof *d->orders[kind], compare_changes, d);
	}
}
