/* dag-joint - how much groups of vertices add to a longest path */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/dag-joint.h"
#include "common/build/dag.h"

/*
 * The time of a group is the weight of its vertices on the critical path.  If
 * all vertices of the group take no time, the critical path still has its
 * length minus the group's time, and the longest path is at least as long as
 * that.  So a path whose slack is not below the group's time cannot become the
 * longest one, and neither can what is only on such paths.  Hence
 *
 * - a group without time on the critical path has no drag;
 * - a group with only one vertex whose slack is below the group's time has the
 *   drag of that vertex;
 * - for all other groups the longest path is computed, but only in the part of
 *   the graph whose slack is below the time of the group.
 *
 * The groups are sorted by their times, so that this part only shrinks.  LANES
 * of them are computed in one pass, because the memory that a pass reads takes
 * more time than the computation.
 */
enum { LANES = 8, NO_LANE = LANES };

/* The vertices that matter, in topological order, and the edges among them. */
struct part {
	struct vertex {
		int64_t weight, slack;
		uint32_t group;
		uint32_t end;	/* of its dependencies in dep; they begin where
				   those of the previous vertex end */
		bool is_end;
	} *vertices;
	uint32_t *dep;		/* indexes of vertices */
	uint32_t *number;	/* scratch: the new index of each vertex */
	size_t n;
};

struct group {
	int64_t time;
	uint32_t index;
	uint32_t n_matter;	/* vertices with a slack below time; 2 counts
				   for more */
};

static int64_t
slack_of(const struct dag *d, int64_t length, uint32_t v)
{
	return d->tail[v] < 0 ? INT64_MAX : length - dag_through(d, v);
}

/* Selects the vertices whose slack is below `below`. */
static void
make_part(struct part *p, const struct dag *d, const bool *is_end,
    const uint32_t *group_of, int64_t length, int64_t below)
{
	size_t n_deps = 0;
	uint32_t n = 0, end = 0, v;

	for (v = 0; v < d->n; v++)
		if (slack_of(d, length, v) < below) {
			p->n++;
			n_deps += d->row[v + 1] - d->row[v];
		}
	p->vertices = mem_table(p->n, sizeof *p->vertices);
	p->dep = mem_table(n_deps, sizeof *p->dep);
	p->number = mem_ones(d->n, sizeof *p->number);
	for (size_t k = 0; k < d->n; k++) {
		v = d->order[k];
		if (slack_of(d, length, v) >= below)
			continue;
		p->number[v] = n;
		for (uint32_t e = d->row[v]; e < d->row[v + 1]; e++)
			if (p->number[d->dep[e]] != INDEX_NONE)
				p->dep[end++] = p->number[d->dep[e]];
		p->vertices[n++] = (struct vertex){ d->weight[v],
		    slack_of(d, length, v), group_of[v], end, is_end[v] };
	}
}

/* Drops the vertices whose slack is not below `below`, and their edges. */
static void
shrink_part(struct part *p, int64_t below)
{
	uint32_t kept = 0, n_deps = 0, from = 0, end, dep;

	for (size_t i = 0; i < p->n; i++, from = end) {
		end = p->vertices[i].end;
		p->number[i] = INDEX_NONE;
		if (p->vertices[i].slack >= below)
			continue;
		for (uint32_t e = from; e < end; e++) {
			dep = p->number[p->dep[e]];
			if (dep != INDEX_NONE)
				p->dep[n_deps++] = dep;
		}
		p->number[i] = kept;
		p->vertices[kept] = p->vertices[i];
		p->vertices[kept++].end = n_deps;
	}
	p->n = kept;
}

static void
release_part(struct part *p)
{
	free(p->vertices);
	free(p->dep);
	free(p->number);
}

/*
 * Computes the longest path to an end once for each lane.  In lane l the
 * vertices with lane_of[group] == l take no time.  finish is scratch.
 */
static void
find_longest(const struct part *p, const uint8_t *lane_of,
    int64_t (*finish)[LANES], int64_t longest[LANES])
{
	const struct vertex *v;
	uint32_t e = 0;
	uint8_t lane;
	int64_t *mine;

	for (size_t l = 0; l < LANES; l++)
		longest[l] = 0;
	for (size_t i = 0; i < p->n; i++) {
		v = &p->vertices[i];
		mine = finish[i];
		for (size_t l = 0; l < LANES; l++)
			mine[l] = 0;
		for (; e < v->end; e++)
			for (size_t l = 0; l < LANES; l++)
				if (finish[p->dep[e]][l] > mine[l])
					mine[l] = finish[p->dep[e]][l];
		for (size_t l = 0; l < LANES; l++)
			mine[l] += v->weight;
		lane = v->group == INDEX_NONE ? NO_LANE : lane_of[v->group];
		if (lane != NO_LANE)
			mine[lane] -= v->weight;
		for (size_t l = 0; l < LANES && v->is_end; l++)
			if (mine[l] > longest[l])
				longest[l] = mine[l];
	}
}

/* The longest time first. */
static int
compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return cmp_i64(y->time, x->time);
}

/* Computes the drag of the n groups, which are sorted by time. */
static void
recompute(struct part *p, const struct group *groups, size_t n, size_t n_all,
    int64_t length, int64_t *drag)
{
	uint8_t *lane_of = mem_table(n_all, sizeof *lane_of);
	int64_t (*finish)[LANES], longest[LANES];
	size_t n_lanes;

	for (size_t i = 0; i < n_all; i++)
		lane_of[i] = NO_LANE;
	finish = mem_table(p->n, sizeof *finish);
	for (size_t i = 0; i < n; i += n_lanes) {
		n_lanes = n - i < LANES ? n - i : LANES;
		for (size_t l = 0; l < n_lanes; l++)
			lane_of[groups[i + l].index] = (uint8_t)l;
		if (i > 0)
			shrink_part(p, groups[i].time);
		find_longest(p, lane_of, finish, longest);
		for (size_t l = 0; l < n_lanes; l++) {
			lane_of[groups[i + l].index] = NO_LANE;
			drag[groups[i + l].index] = length - longest[l];
		}
	}
	free(finish);
	free(lane_of);
}

void
dag_joint_drag(const struct dag *d, const bool *is_end, int64_t length,
    const uint32_t *path, const int64_t *path_drag, size_t n,
    const uint32_t *group_of, size_t n_groups, int64_t *drag)
{
	struct group *groups = mem_zero(n_groups, sizeof *groups), *g;
	struct part part = { 0 };
	size_t n_left = 0;

	for (uint32_t i = 0; i < n_groups; i++) {
		groups[i].index = i;
		drag[i] = 0;
	}
	for (size_t i = 0; i < n; i++)
		groups[group_of[path[i]]].time += d->weight[path[i]];
	for (uint32_t v = 0; v < d->n; v++) {
		g = group_of[v] == INDEX_NONE ? NULL : &groups[group_of[v]];
		if (g != NULL && g->n_matter < 2 && d->weight[v] > 0 &&
		    slack_of(d, length, v) < g->time)
			g->n_matter++;
	}
	for (size_t i = 0; i < n; i++)
		drag[group_of[path[i]]] += path_drag[i];
	for (size_t i = 0; i < n_groups; i++)
		if (groups[i].n_matter > 1)
			groups[n_left++] = groups[i];
	sort(groups, n_left, sizeof *groups, compare_groups);
	if (n_left > 0) {
		make_part(&part, d, is_end, group_of, length, groups[0].time);
		recompute(&part, groups, n_left, n_groups, length, drag);
		release_part(&part);
	}
	free(groups);
}
