/* variables - how many rows the instructions of a plan read and produce */

#include "common/base/mem.h"
#include "filters/malstat/malstat.h"

const struct rows variables_no_rows = { -1, -1, -1 };

struct variable {
	double rows, estimate;		/* or -1 */
};

struct variable_use {
	uint32_t event, variable;	/* their numbers */
	bool is_result;
};

void
variables_init(struct variables *v)
{
	*v = (struct variables){ .n = 0 };
	intern_init(&v->events);
	intern_init(&v->names);
}

static uint32_t
find_variable(struct variables *v, uint64_t trace, int64_t id)
{
	uint32_t i = intern_pair(&v->names, trace, id);

	if (i == v->n) {
		v->list = mem_grow(v->list, &v->cap, v->n + 1,
		    sizeof *v->list);
		v->list[v->n++] = (struct variable){ -1, -1 };
	}
	return i;
}

void
variables_add_use(struct variables *v, uint64_t trace, int64_t event_id,
    int64_t variable_id, bool is_result)
{
	v->uses = mem_grow(v->uses, &v->uses_cap, v->n_uses + 1,
	    sizeof *v->uses);
	v->uses[v->n_uses++] = (struct variable_use){
	    intern_pair(&v->events, trace, event_id),
	    find_variable(v, trace, variable_id), is_result };
}

void
variables_add(struct variables *v, uint64_t trace, int64_t variable_id,
    double rows, double estimate)
{
	uint32_t i = find_variable(v, trace, variable_id);

	if (v->list[i].rows < 0 && v->list[i].estimate < 0)
		v->list[i] = (struct variable){ rows, estimate };
}

static double
greater(double a, double b)
{
	return a > b ? a : b;
}

void
variables_finish(struct variables *v)
{
	const struct variable *x;
	struct rows *r;

	v->rows = mem_resize(NULL, v->events.n, sizeof *v->rows);
	for (size_t i = 0; i < v->events.n; i++)
		v->rows[i] = variables_no_rows;
	for (size_t i = 0; i < v->n_uses; i++) {
		x = &v->list[v->uses[i].variable];
		r = &v->rows[v->uses[i].event];
		if (!v->uses[i].is_result) {
			r->in = greater(r->in, x->rows);
			continue;
		}
		r->out = greater(r->out, x->rows);
		r->estimate = greater(r->estimate, x->estimate);
	}
}

void
variables_add_rows(const struct variables *v, uint64_t trace, int64_t event_id,
    double share, struct rows *sum)
{
	const struct pair event = { trace, event_id };
	uint32_t i = intern_find(&v->events, span_bytes(&event, sizeof event));
	struct rows r = i == SYM_NONE ? variables_no_rows : v->rows[i];

	if (r.in >= 0)
		sum->in = greater(sum->in, 0) + r.in * share;
	if (r.out >= 0)
		sum->out = greater(sum->out, 0) + r.out * share;
	if (r.estimate >= 0)
		sum->estimate = greater(sum->estimate, 0) + r.estimate * share;
}
