/* pools - the pools of workers that tasks need in place of the build's */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/search.h"
#include "common/build/build-names.h"
#include "filters/critpath/critpath.h"

/* The vertex of the first task with an id; INDEX_NONE if it has none. */
static uint32_t
find_vertex(const struct network *net, sym id)
{
	uint32_t task = build_find_task(net->build, id);
	uint32_t v = (uint32_t)SEARCH_FIRST(i, net->n_tasks,
	    net->task_of[i] >= task);

	return v < net->n_tasks && net->task_of[v] == task ? v : INDEX_NONE;
}

/* The number of a task's pool, which is new if it is the first of it. */
static uint32_t
number_pool(struct dag_pools *p, const struct build *b, const struct task *t,
    struct column *numbers)
{
	sym name = keys_symbol(b, t, KEY_POOL);
	uint32_t number = name == SYM_NONE ? INDEX_NONE :
	    column_get(numbers, name);
	uint64_t size;

	if (name == SYM_NONE || number != INDEX_NONE)
		return number;
	if (!text_u64(keys_value(b, t, KEY_LIMIT), &size))
		size = 0;
	p->sizes = mem_resize(p->sizes, p->n + 1, sizeof *p->sizes);
	p->sizes[p->n] = size;
	column_set(numbers, name, (uint32_t)p->n);
	return (uint32_t)p->n++;
}

/*
 * Sets the pool in whose place each pool works: that of a task whose worker is
 * kept while those run that wait for it.
 */
static void
find_outer(struct dag_pools *p, const struct network *net)
{
	bool *is_kept = mem_zero(net->n_vertices, sizeof *is_kept);
	const struct dag *d = &net->dag;
	uint32_t pool;

	p->outer = mem_ones(p->n, sizeof *p->outer);
	for (uint32_t v = 0; v < net->n_tasks; v++)
		if (p->worker_of[v] != INDEX_NONE)
			is_kept[p->worker_of[v]] = true;
	for (uint32_t v = 0; v < net->n_tasks; v++) {
		pool = p->of[v];
		for (uint32_t i = d->row[v]; i < d->row[v + 1]; i++)
			if (pool != INDEX_NONE && is_kept[d->dep[i]] &&
			    p->of[d->dep[i]] != pool)
				p->outer[pool] = p->of[d->dep[i]];
	}
	free(is_kept);
}

void
pools_find(struct dag_pools *p, const struct network *net)
{
	const struct build *b = net->build;
	struct column numbers = { 0 };
	const struct task *t;

	*p = (struct dag_pools){ 0 };
	if (!keys_any_has(b, KEY_POOL))
		return;
	p->of = mem_ones(net->n_vertices, sizeof *p->of);
	p->worker_of = mem_ones(net->n_vertices, sizeof *p->worker_of);
	for (uint32_t v = 0; v < net->n_tasks; v++) {
		t = network_task(net, v);
		p->of[v] = number_pool(p, b, t, &numbers);
		p->worker_of[v] = find_vertex(net, keys_symbol(b, t,
		    KEY_WORKER_OF));
	}
	free(numbers.values);
	find_outer(p, net);
}

bool
pools_are_limited(const struct dag_pools *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->sizes[i] > 0)
			return true;
	return false;
}

/* Of a task of a pool, the share that occupies workers of the build. */
static uint64_t
share_of(const struct dag_pools *p, uint32_t pool, uint64_t us)
{
	/* More steps than pools would be a cycle. */
	for (size_t i = 0; i < p->n && pool != INDEX_NONE; i++) {
		us /= p->sizes[pool] > 0 ? p->sizes[pool] : 1;
		pool = p->outer[pool];
	}
	return us;
}

int64_t
pools_share_us(const struct dag_pools *p, const struct network *net,
    uint64_t workers)
{
	uint64_t us, sum_us = 0;

	for (uint32_t v = 0; v < net->n_tasks; v++) {
		if (network_task(net, v)->kind == net->build->copy)
			continue;
		us = (uint64_t)net->dag.weight[v];
		sum_us += p->n > 0 ? share_of(p, p->of[v], us) : us;
	}
	return (int64_t)(sum_us / workers + (sum_us % workers > 0));
}

const struct task *
pools_longest(const struct dag_pools *p, const struct network *net)
{
	double *us = mem_zero(p->n, sizeof *us);
	const struct task *longest = NULL;
	double longest_us = -1;
	uint32_t pool;

	for (uint32_t v = 0; v < net->n_tasks; v++) {
		pool = p->of[v];
		if (pool != INDEX_NONE && p->sizes[pool] > 0)
			us[pool] += (double)net->dag.weight[v] /
			    (double)p->sizes[pool];
	}
	for (uint32_t v = 0; v < net->n_tasks; v++) {
		pool = p->of[v];
		if (pool != INDEX_NONE && p->sizes[pool] > 0 &&
		    us[pool] > longest_us) {
			longest_us = us[pool];
			longest = network_task(net, v);
		}
	}
	free(us);
	return longest;
}

void
rules_release(struct rules *r)
{
	free(r->pools.of);
	free(r->pools.worker_of);
	free(r->pools.sizes);
	free(r->pools.outer);
	free(r->limits.of);
	free(r->limits.most);
}
