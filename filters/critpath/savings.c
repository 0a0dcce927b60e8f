/* savings - simulates what a build with some workers would save */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "filters/critpath/critpath.h"

/*
 * The simulations of a table pass over at most so many vertices in all: half a
 * second at most.
 */
enum { VERTICES_MAX = 500000 };

int64_t
simulate_build(struct network *net, uint64_t workers,
    const struct rules *rules)
{
	bool *is_end = mem_zero(net->n_vertices, sizeof *is_end);
	bool *needs_no_worker = mem_zero(net->n_vertices,
	    sizeof *needs_no_worker);
	const struct task *t;
	int64_t us;

	/* All is done, whatever --to says, so every vertex is an end. */
	for (uint32_t i = 0; i < net->n_vertices; i++) {
		t = network_task(net, i);
		is_end[i] = true;
		needs_no_worker[i] = t == NULL ||
		    t->kind == net->build->copy;
	}
	dag_tails(&net->dag, is_end);
	us = dag_simulate(&net->dag, &(struct dag_schedule){ workers,
	    net->build->is_make, needs_no_worker, &rules->pools,
	    &rules->limits });
	free(is_end);
	free(needs_no_worker);
	return us;
}

void
savings_begin(struct savings *s, struct network *net, uint64_t workers,
    const struct rules *rules)
{
	*s = (struct savings){ .net = net, .rules = rules, .workers = workers,
	    .whole_us = INT_UNKNOWN };
}

bool
savings_are_simulated(const struct savings *s, size_t n)
{
	return s->workers > 0 && n < VERTICES_MAX / (s->net->n_vertices + 1);
}

int64_t
savings_of(struct savings *s, const uint32_t *group_of, uint32_t group)
{
	int64_t *weight = s->net->dag.weight, *kept, us;
	size_t size = s->net->n_vertices * sizeof *weight;

	if (s->whole_us == INT_UNKNOWN) {
		network_rank(s->net);
		s->whole_us = simulate_build(s->net, s->workers, s->rules);
	}
	kept = mem_table(s->net->n_vertices, sizeof *kept);
	memcpy(kept, weight, size);
	for (uint32_t v = 0; v < s->net->n_vertices; v++)
		if ((group_of == NULL ? v : group_of[v]) == group)
			weight[v] = 0;
	us = simulate_build(s->net, s->workers, s->rules);
	memcpy(weight, kept, size);
	free(kept);
	return s->whole_us - us;
}

const char *
savings_head(const struct savings *s, size_t n, char text[SAVINGS_HEAD_MAX])
{
	if (s->workers == 0)
		return "could save";
	if (!savings_are_simulated(s, n))
		return "could save (path only)";
	snprintf(text, SAVINGS_HEAD_MAX, "could save (%llu worker%s)",
	    (unsigned long long)s->workers, plural(s->workers, "", "s"));
	return text;
}

void
savings_end(struct savings *s)
{
	dag_tails(&s->net->dag, s->net->is_end);
}
