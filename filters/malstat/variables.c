/* variables - how many rows the instructions of a plan read and produce */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "filters/malstat/variables.h"

struct key {
	uint64_t trace;
	int64_t id;
};

struct variable {
	struct key key;
	double rows, estimate;		/* or -1 */
};

struct variable_use {
	struct key event;
	int64_t variable_id;
	bool is_result;
};

static struct span
variable_key(const void *owner, uint32_t i)
{
	const struct variables *v = owner;

	return span_bytes(&v->list[i].key, sizeof v->list[i].key);
}

void
variables_init(struct variables *v)
{
	*v = (struct variables){ .n = 0 };
	map_init(&v->by_key, variable_key, v);
}

void
variables_release(struct variables *v)
{
	map_release(&v->by_key);
	free(v->uses);
	free(v->list);
}

void
variables_add_use(struct variables *v, uint64_t trace, int64_t event_id,
    int64_t variable_id, bool is_result)
{
	v->uses = mem_grow(v->uses, &v->uses_cap, v->n_uses + 1,
	    sizeof *v->uses);
	v->uses[v->n_uses++] = (struct variable_use){
	    .event = { trace, event_id }, .variable_id = variable_id,
	    .is_result = is_result };
}

void
variables_add(struct variables *v, uint64_t trace, int64_t variable_id,
    double rows, double estimate)
{
	struct variable new = { .key = { trace, variable_id }, .rows = rows,
	    .estimate = estimate };
	uint32_t i = map_find_or_add(&v->by_key,
	    span_bytes(&new.key, sizeof new.key), (uint32_t)v->n);

	if (i == v->n) {
		v->list = mem_grow(v->list, &v->cap, v->n + 1,
		    sizeof *v->list);
		v->list[v->n++] = new;
	}
}

static int
compare_keys(const struct key *a, const struct key *b)
{
	return a->trace != b->trace ? cmp_u64(a->trace, b->trace) :
	    cmp_i64(a->id, b->id);
}

static int
compare_uses(const void *a, const void *b)
{
	const struct variable_use *x = a, *y = b;

	return compare_keys(&x->event, &y->event);
}

void
variables_finish(struct variables *v)
{
	sort(v->uses, v->n_uses, sizeof *v->uses, compare_uses);
}

static double
greater(double a, double b)
{
	return a > b ? a : b;
}

struct rows
variables_rows(const struct variables *v, uint64_t trace, int64_t event_id)
{
	struct rows r = { -1, -1, -1 };
	struct key event = { trace, event_id }, key = { trace, 0 };
	const struct variable *x;
	uint32_t i;

	for (size_t k = SEARCH_FIRST(n, v->n_uses,
	    compare_keys(&v->uses[n].event, &event) >= 0); k < v->n_uses &&
	    compare_keys(&v->uses[k].event, &event) == 0; k++) {
		key.id = v->uses[k].variable_id;
		i = map_find(&v->by_key, span_bytes(&key, sizeof key));
		if (i == INDEX_NONE)
			continue;
		x = &v->list[i];
		if (!v->uses[k].is_result) {
			r.in = greater(r.in, x->rows);
			continue;
		}
		r.out = greater(r.out, x->rows);
		r.estimate = greater(r.estimate, x->estimate);
	}
	return r;
}
