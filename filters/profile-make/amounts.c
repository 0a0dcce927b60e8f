/* amounts - the amounts of each resource */

#include <stdlib.h>

#include "filters/profile-make/profile-make.h"

/* In thousandths: the values of records are below 2^53. */
#define THOUSANDTHS_MAX ((INT64_C(1) << 53) * 1000)

static struct span
resource_key(const void *owner, uint32_t index)
{
	const struct amounts *a = owner;

	return span_bytes(&a->resources[index], sizeof *a->resources);
}

/* The resource and the run, which are adjacent and have no padding. */
static struct span
amount_key(const void *owner, uint32_t index)
{
	const struct amounts *a = owner;

	return span_bytes(&a->list[index], 2 * sizeof a->list->resource);
}

void
amounts_init(struct amounts *a)
{
	*a = (struct amounts){ .n = 0 };
	intern_init(&a->texts);
	intern_init(&a->unit_names);
	map_init(&a->resource_map, resource_key, a);
	map_init(&a->amount_map, amount_key, a);
	intern_init(&a->runs);
}

uint32_t
amounts_resource(struct amounts *a, struct resource r)
{
	uint32_t index = map_find_or_add(&a->resource_map,
	    span_bytes(&r, sizeof r), (uint32_t)a->n_resources);

	if (index < a->n_resources)
		return index;
	a->resources = mem_grow(a->resources, &a->resources_cap,
	    a->n_resources + 1, sizeof *a->resources);
	a->resources[a->n_resources++] = r;
	return index;
}

uint32_t
amounts_run(struct amounts *a, uint32_t stream, sym name)
{
	const uint32_t key[] = { stream, name };

	return intern_add(&a->runs, span_bytes(key, sizeof key));
}

static struct amount *
new_amount(struct amounts *a)
{
	a->list = mem_grow(a->list, &a->cap, a->n + 1, sizeof *a->list);
	return &a->list[a->n];
}

bool
amounts_add(struct amounts *a, uint32_t resource, uint32_t run,
    int64_t thousandths)
{
	uint32_t index;

	*new_amount(a) = (struct amount){ resource, run, SYM_NONE, 0 };
	index = map_find_or_add(&a->amount_map, amount_key(a, (uint32_t)a->n),
	    (uint32_t)a->n);
	if (index == a->n)
		a->n++;
	if (thousandths >= THOUSANDTHS_MAX - a->list[index].thousandths)
		return false;
	a->list[index].thousandths += thousandths;
	return true;
}

void
amounts_append(struct amounts *a, uint32_t resource, struct span token)
{
	*new_amount(a) = (struct amount){ resource, INDEX_NONE,
	    intern_add(&a->texts, token), 0 };
	a->n++;
}

bool
amounts_name_functions(struct amounts *a, const sym *uids)
{
	struct amount *old = a->list, *m;
	size_t n = a->n;
	struct resource r;
	bool fits = true;

	a->list = NULL;
	a->n = a->cap = 0;
	map_release(&a->amount_map);
	map_init(&a->amount_map, amount_key, a);
	for (m = old; m < old + n; m++) {
		r = a->resources[m->resource];
		if (r.function != INDEX_NONE)
			r.uid = uids[r.function];
		r.function = INDEX_NONE;
		m->resource = amounts_resource(a, r);
		if (m->token == SYM_NONE) {
			fits &= amounts_add(a, m->resource, m->run,
			    m->thousandths);
			continue;
		}
		*new_amount(a) = *m;
		a->n++;
	}
	free(old);
	return fits;
}

struct span
amounts_unit(struct amounts *a, struct span name, struct span unit)
{
	size_t n = a->unit_names.n;
	sym symbol = intern_add(&a->unit_names, name);

	if (symbol == n) {
		a->units = mem_grow(a->units, &a->units_cap, n + 1,
		    sizeof *a->units);
		a->units[n] = intern_add(&a->texts, unit);
	}
	return intern_span(&a->texts, a->units[symbol]);
}
