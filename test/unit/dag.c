/* dag - cycles, longest paths and drag, compared with exhaustive searches */

#include "common/base/num.h"
#include "common/build/dag-drag.h"
#include "common/build/dag-simulate.h"
#include "common/build/dag.h"
#include "test/unit/unit.h"

enum { N_MAX = 9 };	/* vertices of a random graph */

static int
by_number(const void *context, uint32_t a, uint32_t b)
{
	(void)context;
	return cmp_u64(a, b);
}

/*
 * Makes a graph of n vertices of weight 1.  A digit is a vertex; in "0>1 1>2",
 * 0 depends on 1, and 1 on 2.
 */
static void
make_dag(struct dag *d, size_t n, const char *edges)
{
	dag_init(d, n, 2, by_number, NULL);
	for (; *edges != '\0'; edges += edges[3] == ' ' ? 4 : 3)
		dag_add(d, (uint32_t)(edges[0] - '0'),
		    (uint32_t)(edges[2] - '0'));
	for (size_t v = 0; v < n; v++)
		d->weight[v] = 1;
}

/* Writes a cycle as "0>1>2 ". */
static void
show_cycle(void *context, const uint32_t *cycle, size_t n)
{
	struct buf *to = context;

	for (size_t i = 0; i < n; i++)
		buf_printf(to, "%s%u", i > 0 ? ">" : "", cycle[i]);
	buf_char(to, ' ');
}

/*
 * Checks that dag_seal() reports the cycles `want`, and drops all edges between
 * vertices that depend on each other, even those that are not on a reported
 * cycle.
 */
static void
check_cycles(size_t n, const char *edges, const char *want,
    size_t n_edges_left)
{
	struct buf got = { 0 };
	struct dag d;

	make_dag(&d, n, edges);
	dag_seal(&d, show_cycle, &got);
	CHECK(span_eq(buf_span(&got), want), "%s: '%s', not '%s'", edges,
	    buf_cstr(&got), want);
	CHECK(d.n_edges == n_edges_left, "%s: %zu edges left", edges,
	    d.n_edges);
	dag_longest(&d);
	dag_release(&d);
	make_dag(&d, n, edges);
	dag_seal(&d, NULL, NULL);
	CHECK(d.n_edges == n_edges_left, "%s, without on_cycle", edges);
	dag_release(&d);
	buf_release(&got);
}

static void
test_cycles(void)
{
	check_cycles(0, "", "", 0);
	check_cycles(1, "", "", 0);
	check_cycles(3, "0>1 1>2 0>2 0>1", "", 3);
	check_cycles(1, "0>0", "0 ", 0);
	check_cycles(2, "0>0 0>1", "0 ", 1);
	check_cycles(3, "0>1 1>0 1>2", "0>1 ", 1);
	check_cycles(3, "0>1 1>2 2>0", "0>1>2 ", 0);
	check_cycles(3, "2>1 1>0 0>2", "0>2>1 ", 0);
	check_cycles(5, "3>4 4>3 0>1 1>0 0>3", "0>1 3>4 ", 1);
	check_cycles(6, "1>2 2>1 1>3 3>3 4>5 5>4", "1>2 3 4>5 ", 1);
	check_cycles(2, "0>0 0>1 1>0", "0 ", 0);
	/* The walk for a cycle begins at 0, which is not on the cycle found. */
	check_cycles(4, "0>2 2>1 1>2 1>3 3>0", "1>2 ", 0);
}

static bool
has_edge(const bool edge[N_MAX][N_MAX], size_t n, uint32_t a, uint32_t b)
{
	return a < n && b < n && edge[a][b];
}

/* The graph given to dag_seal(), and the number of cycles reported for it. */
struct reported {
	const bool (*edge)[N_MAX];
	size_t n, n_cycles;
};

/*
 * Checks a reported cycle: it consists of edges, begins with its least vertex
 * and does not repeat a vertex.
 */
static void
check_cycle(void *context, const uint32_t *cycle, size_t n)
{
	struct reported *r = context;

	r->n_cycles++;
	for (size_t i = 0; i < n; i++) {
		CHECK(has_edge(r->edge, r->n, cycle[i], cycle[(i + 1) % n]),
		    "%u does not depend on %u", cycle[i], cycle[(i + 1) % n]);
		CHECK(i == 0 || cycle[i] > cycle[0],
		    "a cycle of %zu begins with %u, not %u", n, cycle[0],
		    cycle[i]);
		for (size_t j = 0; j < i; j++)
			CHECK(cycle[i] != cycle[j], "%u occurs twice",
			    cycle[i]);
	}
}

/* Sets reach[a][b] if a depends on b, directly or by way of other vertices. */
static void
find_reach(const bool edge[N_MAX][N_MAX], size_t n, bool reach[N_MAX][N_MAX])
{
	memcpy(reach, edge, sizeof(bool) * N_MAX * N_MAX);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n; j++)
				reach[i][j] |= reach[i][k] && reach[k][j];
}

/*
 * The length of the longest path that ends with v, found by trying all paths.
 * The vertex `skip` (-1: none) takes no time.
 */
static int64_t
longest_to(const struct dag *d, const bool edge[N_MAX][N_MAX], uint32_t v,
    int skip)
{
	int64_t max = 0, length;

	for (uint32_t w = 0; w < d->n; w++)
		if (edge[v][w] && (length = longest_to(d, edge, w, skip)) > max)
			max = length;
	return max + ((int)v == skip ? 0 : d->weight[v]);
}

/*
 * The length of the longest path if the vertex `skip` (-1: none) takes no time.
 * By how much the longest path gets shorter is called the drag of that vertex.
 */
static int64_t
longest_without(const struct dag *d, const bool edge[N_MAX][N_MAX], int skip)
{
	int64_t max = 0, length;

	for (uint32_t v = 0; v < d->n; v++)
		if ((length = longest_to(d, edge, v, skip)) > max)
			max = length;
	return max;
}

/* Compares paths, drag and makespans in an acyclic graph with the searches. */
static void
check_paths(struct dag *d, const bool edge[N_MAX][N_MAX])
{
	bool is_end[N_MAX], needs_no_worker[N_MAX];
	struct dag_schedule one = { 1, false, needs_no_worker,
	    &(struct dag_pools){ 0 }, &(struct dag_limits){ 0 } };
	struct dag_schedule many = one;
	int64_t drag[N_MAX], length, sum;
	uint32_t *path, best = INDEX_NONE;
	size_t n;

	many.workers = N_MAX;
	memset(is_end, 1, sizeof is_end);
	dag_longest(d);
	dag_tails(d, is_end);
	for (uint32_t v = 0; v < d->n; v++) {
		CHECK(d->finish[v] == longest_to(d, edge, v, -1),
		    "vertex %u does not finish after its longest path", v);
		best = dag_better(d, best, v);
	}
	length = longest_without(d, edge, -1);
	CHECK(d->finish[best] == length, "not the end of a longest path");
	path = dag_path_to(d, best, &n);
	dag_drag(d, is_end, path, n, drag);
	for (size_t i = 0; i < n; i++) {
		CHECK(i == 0 || edge[path[i]][path[i - 1]],
		    "step %zu does not depend on the one before", i);
		CHECK(dag_through(d, path[i]) == length,
		    "no longest path leads through step %zu", i);
		CHECK(drag[i] == length - longest_without(d, edge,
		    (int)path[i]), "drag of step %zu", i);
	}
	memset(needs_no_worker, 1, sizeof needs_no_worker);
	CHECK(dag_simulate(d, &one) == length,
	    "workers count although no vertex needs one");
	memset(needs_no_worker, 0, sizeof needs_no_worker);
	CHECK(dag_simulate(d, &many) == length,
	    "with enough workers it takes longer than the longest path");
	sum = 0;
	for (uint32_t v = 0; v < d->n; v++)
		sum += d->weight[v];
	CHECK(dag_simulate(d, &one) == sum,
	    "one worker does not need the sum of all weights");
	free(path);
}

static void
test_random(void)
{
	bool edge[N_MAX][N_MAX], reach[N_MAX][N_MAX];
	struct reported reported;
	struct dag d;
	size_t n_components;

	for (int round = 0; round < UNIT_ROUNDS(20000); round++) {
		size_t n = 1 + unit_random(N_MAX);
		/* Each possible edge exists with a chance of 1 in: */
		uint64_t sparsity = 4 + 2 * unit_random(8);

		memset(edge, 0, sizeof edge);
		dag_init(&d, n, 0, by_number, NULL);
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++)
				if (unit_random(sparsity) == 0) {
					edge[i][j] = true;
					dag_add(&d, i, j);
				}
		find_reach((const bool (*)[N_MAX])edge, n, reach);
		reported = (struct reported){
		    (const bool (*)[N_MAX])edge, n, 0 };
		dag_seal(&d, check_cycle, &reported);
		/*
		 * Vertices that depend on each other form a strongly connected
		 * component, which is counted at its first vertex.  One cycle
		 * of each component is reported.
		 */
		n_components = 0;
		for (size_t i = 0; i < n; i++) {
			bool is_first = reach[i][i];

			for (size_t j = 0; j < i; j++)
				is_first &= !(reach[i][j] && reach[j][i]);
			n_components += is_first;
		}
		CHECK(reported.n_cycles == n_components, "%zu cycles, not %zu",
		    reported.n_cycles, n_components);
		/* dag_seal() has dropped the edges within a component. */
		for (size_t i = 0; i < n; i++) {
			d.weight[i] = (int64_t)unit_random(5);
			for (size_t j = 0; j < n; j++)
				edge[i][j] &= !(reach[i][j] && reach[j][i]);
		}
		check_paths(&d, (const bool (*)[N_MAX])edge);
		dag_release(&d);
	}
}

/* Stores 0 if the cycle does not begin with vertex 0. */
static void
store_cycle_length(void *context, const uint32_t *cycle, size_t n)
{
	size_t *length = context;

	*length = cycle[0] == 0 ? n : 0;
}

/*
 * A chain and a cycle too long for a recursion over their vertices.  All edges
 * of the cycle are dropped, so that the longest path is a single vertex.
 */
static void
test_long(void)
{
	enum { N = 1000000 };
	struct dag d;
	size_t n_cycle = 0;

	for (int with_cycle = 0; with_cycle < 2; with_cycle++) {
		dag_init(&d, N, N, by_number, NULL);
		for (uint32_t v = 1; v < N; v++)
			dag_add(&d, v, v - 1);
		if (with_cycle)
			dag_add(&d, 0, N - 1);
		for (uint32_t v = 0; v < N; v++)
			d.weight[v] = 2;
		dag_seal(&d, store_cycle_length, &n_cycle);
		dag_longest(&d);
		CHECK(d.finish[N - 1] == (with_cycle ? 2 : 2 * N),
		    "the last vertex finishes at %lld",
		    (long long)d.finish[N - 1]);
		CHECK(n_cycle == (with_cycle ? N : 0), "a cycle of %zu",
		    n_cycle);
		dag_release(&d);
	}
}

/* Counts the cycles that consist of two vertices, v and v + 1. */
static void
count_pair(void *context, const uint32_t *cycle, size_t n)
{
	size_t *n_pairs = context;

	*n_pairs += n == 2 && cycle[1] == cycle[0] + 1;
}

/*
 * Half a million cycles of two vertices.  If dag_seal() visited all vertices
 * for each cycle, the test would take too long.
 */
static void
test_many_cycles(void)
{
	enum { N = 1000000 };
	struct dag d;
	size_t n_pairs = 0;

	dag_init(&d, N, N, by_number, NULL);
	for (uint32_t v = 0; v < N; v++)
		dag_add(&d, v, v ^ 1);
	dag_seal(&d, count_pair, &n_pairs);
	CHECK(n_pairs == N / 2 && d.n_edges == 0, "%zu cycles", n_pairs);
	dag_release(&d);
}

int
main(void)
{
	unit_seed();
	test_cycles();
	test_many_cycles();
	test_random();
	test_long();
	return unit_end();
}
