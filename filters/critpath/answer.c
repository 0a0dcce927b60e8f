/* answer - finds the longest paths and accounts for the wall time along them */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/build/dag-drag.h"
#include "common/filter/lacks.h"
#include "filters/critpath/critpath.h"

/* The last vertex of the critical path; INDEX_NONE if there are no ends. */
static uint32_t
best_end(const struct network *net)
{
	uint32_t best = INDEX_NONE;

	for (uint32_t v = 0; v < net->n_vertices; v++)
		if (net->is_end[v])
			best = dag_better(&net->dag, best, v);
	return best;
}

int64_t
answer_length(const struct network *net)
{
	uint32_t end = best_end(net);

	return end == INDEX_NONE ? 0 : net->dag.finish[end];
}

/*
 * Sets is_timed.  If it is true, also sets the waiting time of each step and
 * the sums waiting_us, overlap_us and after_us, which answer.h explains.
 */
static void
account_for_wall_time(struct path *p, const struct answer *a)
{
	const struct build *b = a->net->build;
	int64_t now_us = b->start_us;
	const struct task *t;
	int64_t end_us;

	p->is_timed = !a->what_if && !b->is_mixed &&
	    b->start_us != INT_UNKNOWN;
	for (size_t i = 0; i < p->n && p->is_timed; i++) {
		t = network_task(a->net, p->steps[i].vertex);
		end_us = network_end_us(a->net, p->steps[i].vertex);
		if (t->start_us == INT_UNKNOWN || end_us == INT_UNKNOWN) {
			p->is_timed = false;
			return;
		}
		p->steps[i].waiting_us = t->start_us - now_us;
		if (t->start_us >= now_us)
			p->waiting_us += t->start_us - now_us;
		else
			p->overlap_us += now_us - t->start_us;
		/* A task that ends before it starts has the length 0. */
		if (end_us < t->start_us)
			p->overlap_us += t->start_us - end_us;
		now_us = end_us;
	}
	p->after_us = b->end_us - now_us;
}

/*
 * Makes a path of n vertices: its steps, one for each vertex that has a task,
 * and its length and times.
 */
static void
set_steps(struct path *p, const struct answer *a, const uint32_t *vertices,
    size_t n)
{
	const struct dag *dag = &a->net->dag;
	int64_t *drag = mem_zero(n, sizeof *drag);

	if (p == a->paths)
		dag_drag(dag, a->net->is_end, vertices, n, drag);
	*p = (struct path){ .steps = mem_zero(n, sizeof *p->steps),
	    .end = vertices[n - 1] };
	for (size_t i = 0; i < n; i++) {
		if (network_task(a->net, vertices[i]) == NULL)
			continue;
		p->steps[p->n++] = (struct step){ .vertex = vertices[i],
		    .drag_us = drag[i], .saved_us = INT_UNKNOWN };
		p->length_us += dag->weight[vertices[i]];
	}
	account_for_wall_time(p, a);
	free(drag);
}

/*
 * The task with the longest path through it, among those that are not covered.
 * A task is covered if it is on a path that was found before.  INDEX_NONE if no
 * path to an end leads through a task that is not covered.
 */
static uint32_t
longest_uncovered(const struct network *net, const bool *covered)
{
	int64_t through, longest = -1;
	uint32_t best = INDEX_NONE;

	for (uint32_t v = 0; v < net->n_tasks; v++) {
		if (covered[v])
			continue;
		through = dag_through(&net->dag, v);
		if (through > longest || (through == longest &&
		    best != INDEX_NONE &&
		    net->dag.compare(net, v, best) < 0)) {
			longest = through;
			best = v;
		}
	}
	return best;
}

void
answer_find(struct answer *a, const struct network *net, size_t n,
    bool what_if)
{
	bool *covered = mem_zero(net->n_vertices, sizeof *covered);
	unsigned lacks = net->build->lacks;
	uint32_t v = best_end(net), *vertices;
	size_t length;

	*a = (struct answer){ .net = net, .n_requested = n,
	    .what_if = what_if,
	    .knows_savings = network_knows_deps(net) &&
	    (lacks & LACKS_DEPS) == 0 &&
	    ((lacks & LACKS_GRAPH) == 0 ||
	    net->build->missing.n_without_node > 0) };
	a->paths = mem_zero(n, sizeof *a->paths);
	while (a->n_paths < n && v != INDEX_NONE) {
		vertices = a->n_paths == 0 ?
		    dag_path_to(&net->dag, v, &length) :
		    dag_path_through(&net->dag, v, &length);
		for (size_t i = 0; i < length; i++)
			covered[vertices[i]] = true;
		set_steps(&a->paths[a->n_paths++], a, vertices, length);
		free(vertices);
		v = a->n_paths < n ? longest_uncovered(net, covered) :
		    INDEX_NONE;
	}
	free(covered);
}

void
answer_release(struct answer *a)
{
	for (size_t i = 0; i < a->n_paths; i++)
		free(a->paths[i].steps);
	free(a->paths);
}

void
answer_find_savings(struct answer *a, struct savings *savings)
{
	const struct path *p = a->paths;

	a->savings = savings;
	if (a->n_paths == 0 || !savings_are_simulated(savings, p->n))
		return;
	for (size_t i = 0; i < p->n; i++)
		p->steps[i].saved_us = savings_of(savings, NULL,
		    p->steps[i].vertex);
	savings_end(savings);
}

bool
answer_slack(const struct answer *a, uint32_t vertex, int64_t *slack_us)
{
	int64_t through = dag_through(&a->net->dag, vertex);

	if (through < 0)
		return false;
	*slack_us = a->paths[0].length_us - through;
	return true;
}

struct kind_time *
answer_by_kind(const struct answer *a, const struct path *p, size_t *n)
{
	struct kind_time *kinds = NULL;
	size_t cap = 0, k;
	sym kind;

	*n = 0;
	for (size_t i = 0; i < p->n; i++) {
		kind = network_task(a->net, p->steps[i].vertex)->kind;
		for (k = 0; k < *n && kinds[k].kind != kind; k++)
			;
		if (k == *n) {
			kinds = mem_grow(kinds, &cap, ++*n, sizeof *kinds);
			kinds[k] = (struct kind_time){ kind, 0 };
		}
		kinds[k].us += a->net->dag.weight[p->steps[i].vertex];
	}
	return kinds;
}
