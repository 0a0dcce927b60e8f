/* dag - circles, and longest paths against trying every path */

#include "common/base/num.h"
#include "common/build/dag.h"
#include "test/unit/unit.h"

enum { MOST = 9 };

static int
by_number(const void *context, uint32_t a, uint32_t b)
{
	(void)context;
	return (a > b) - (a < b);
}

/* Edges as the tests write them: "0>1 1>2", where 0 depends on 1. */
static void
make(struct dag *d, size_t n, const char *edges)
{
	dag_init(d, n, 2, by_number, NULL);
	for (; *edges != '\0'; edges += edges[3] == ' ' ? 4 : 3)
		dag_add(d, (uint32_t)(edges[0] - '0'),
		    (uint32_t)(edges[2] - '0'));
	for (size_t v = 0; v < n; v++)
		d->weight[v] = 1;
}

/* Writes a circle as "0>1>2 ". */
static void
show_circle(void *to, const uint32_t *cycle, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(to, "%s%u", i > 0 ? ">" : "", cycle[i]);
	buf_char(to, ' ');
}

static void
check_circles(size_t n, const char *edges, const char *want,
    size_t edges_left)
{
	struct buf got = { 0 };
	struct dag d;

	make(&d, n, edges);
	dag_seal(&d, show_circle, &got);
	buf_char(&got, '\0');
	CHECK(strcmp(got.data, want) == 0, "%s: '%s', not '%s'", edges,
	    got.data, want);
	CHECK(d.cyclic == (*want != '\0'), "%s", edges);
	CHECK(d.n_edges == edges_left, "%s: %zu edges left", edges,
	    d.n_edges);
	dag_longest(&d);
	dag_release(&d);
	make(&d, n, edges);
	dag_seal(&d, NULL, NULL);
	CHECK(d.n_edges == edges_left, "%s, told to nobody", edges);
	dag_release(&d);
	buf_release(&got);
}

static void
test_circles(void)
{
	check_circles(0, "", "", 0);
	check_circles(1, "", "", 0);
	check_circles(3, "0>1 1>2 0>2 0>1", "", 3);
	check_circles(1, "0>0", "0 ", 0);
	check_circles(2, "0>0 0>1", "0 ", 1);
	check_circles(3, "0>1 1>0 1>2", "0>1 ", 1);
	check_circles(3, "0>1 1>2 2>0", "0>1>2 ", 0);
	check_circles(3, "2>1 1>0 0>2", "0>2>1 ", 0);
	check_circles(5, "3>4 4>3 0>1 1>0 0>3", "0>1 3>4 ", 1);
	check_circles(6, "1>2 2>1 1>3 3>3 4>5 5>4", "1>2 3 4>5 ", 1);
	check_circles(2, "0>0 0>1 1>0", "0 ", 0);
	/* 0 leads into the circle that is told, and is none of it. */
	check_circles(4, "0>2 2>1 1>2 1>3 3>0", "1>2 ", 0);
}

static bool
has_edge(const bool edge[MOST][MOST], size_t n, uint32_t a, uint32_t b)
{
	return a < n && b < n && edge[a][b];
}

struct told {
	const bool (*edge)[MOST];
	size_t n, n_circles;
};

static void
check_circle(void *to, const uint32_t *cycle, size_t n)
{
	struct told *t = to;

	t->n_circles++;
	for (size_t i = 0; i < n; i++) {
		CHECK(has_edge(t->edge, t->n, cycle[i], cycle[(i + 1) % n]),
		    "%u does not depend on %u", cycle[i], cycle[(i + 1) % n]);
		CHECK(i == 0 || cycle[i] > cycle[0],
		    "a circle of %zu begins with %u, not %u", n, cycle[0],
		    cycle[i]);
		for (size_t j = 0; j < i; j++)
			CHECK(cycle[i] != cycle[j], "%u is in it twice",
			    cycle[i]);
	}
}

/* reach[a][b]: a depends on b, if only by way of others. */
static void
find_reach(const bool edge[MOST][MOST], size_t n, bool reach[MOST][MOST])
{
	memcpy(reach, edge, sizeof(bool) * MOST * MOST);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n; j++)
				reach[i][j] |= reach[i][k] && reach[k][j];
}

/* Every path from v, by trying all. */
static int64_t
try_all(const struct dag *d, const bool edge[MOST][MOST], uint32_t v,
    int skip)
{
	int64_t most = 0, way;

	for (uint32_t w = 0; w < d->n; w++)
		if (edge[v][w] && (way = try_all(d, edge, w, skip)) > most)
			most = way;
	return most + ((int)v == skip ? 0 : d->weight[v]);
}

static int64_t
longest_without(const struct dag *d, const bool edge[MOST][MOST], int skip)
{
	int64_t most = 0, way;

	for (uint32_t v = 0; v < d->n; v++)
		if ((way = try_all(d, edge, v, skip)) > most)
			most = way;
	return most;
}

static void
check_paths(struct dag *d, const bool edge[MOST][MOST])
{
	bool is_end[MOST];
	int64_t drag[MOST], length;
	uint32_t *path, best = INDEX_NONE;
	size_t n;

	memset(is_end, 1, sizeof is_end);
	dag_longest(d);
	dag_tails(d, is_end);
	for (uint32_t v = 0; v < d->n; v++) {
		CHECK(d->finish[v] == try_all(d, edge, v, -1), "vertex %u", v);
		best = dag_better(d, best, v);
	}
	length = longest_without(d, edge, -1);
	CHECK(d->finish[best] == length, "the longest");
	path = dag_path_to(d, best, &n);
	dag_drag(d, path, n, drag);
	for (size_t i = 0; i < n; i++) {
		CHECK(i == 0 || edge[path[i]][path[i - 1]], "step %zu", i);
		CHECK(dag_through(d, path[i]) == length, "step %zu", i);
		CHECK(drag[i] == length - longest_without(d, edge,
		    (int)path[i]), "drag of step %zu", i);
	}
	CHECK(dag_simulate(d, MOST, is_end) == length, "all are free");
	memset(is_end, 0, sizeof is_end);
	CHECK(dag_simulate(d, MOST, is_end) == length, "enough workers");
	length = 0;
	for (uint32_t v = 0; v < d->n; v++)
		length += d->weight[v];
	CHECK(dag_simulate(d, 1, is_end) == length, "one worker does all");
	free(path);
}

static void
test_random(void)
{
	bool edge[MOST][MOST], reach[MOST][MOST];
	struct told told;
	struct dag d;
	size_t groups;

	for (int round = 0; round < 20000; round++) {
		size_t n = 1 + unit_random(MOST);
		uint64_t density = 2 + unit_random(8);

		memset(edge, 0, sizeof edge);
		dag_init(&d, n, 0, by_number, NULL);
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++)
				if (unit_random(density * 2) == 0) {
					edge[i][j] = true;
					dag_add(&d, i, j);
				}
		find_reach((const bool (*)[MOST])edge, n, reach);
		told = (struct told){ (const bool (*)[MOST])edge, n, 0 };
		dag_seal(&d, check_circle, &told);
		groups = 0;
		for (size_t i = 0; i < n; i++) {
			bool first = reach[i][i];

			for (size_t j = 0; j < i; j++)
				first &= !(reach[i][j] && reach[j][i]);
			groups += first;
		}
		CHECK(told.n_circles == groups, "%zu circles, not %zu",
		    told.n_circles, groups);
		for (size_t i = 0; i < n; i++) {
			d.weight[i] = (int64_t)unit_random(5);
			for (size_t j = 0; j < n; j++)
				edge[i][j] &= !(reach[i][j] && reach[j][i]);
		}
		check_paths(&d, (const bool (*)[MOST])edge);
		dag_release(&d);
	}
}

/* A chain and a circle longer than any stack. */
static void
count_circle(void *to, const uint32_t *cycle, size_t n)
{
	*(size_t *)to = cycle[0] == 0 ? n : 0;
}

static void
test_long(void)
{
	enum { N = 1000000 };
	struct dag d;
	size_t told = 0;

	for (int circle = 0; circle < 2; circle++) {
		dag_init(&d, N, N, by_number, NULL);
		for (uint32_t v = 1; v < N; v++)
			dag_add(&d, v, v - 1);
		if (circle)
			dag_add(&d, 0, N - 1);
		for (uint32_t v = 0; v < N; v++)
			d.weight[v] = 2;
		dag_seal(&d, count_circle, &told);
		dag_longest(&d);
		CHECK(d.finish[N - 1] == (circle ? 2 : 2 * N), "%lld",
		    (long long)d.finish[N - 1]);
		CHECK(told == (circle ? N : 0), "%zu", told);
		dag_release(&d);
	}
}

/* More circles than one can afford to go through everything for each. */
static void
count_pair(void *to, const uint32_t *cycle, size_t n)
{
	*(size_t *)to += n == 2 && cycle[1] == cycle[0] + 1;
}

static void
test_many_circles(void)
{
	enum { N = 1000000 };
	struct dag d;
	size_t told = 0;

	dag_init(&d, N, N, by_number, NULL);
	for (uint32_t v = 0; v < N; v++)
		dag_add(&d, v, v ^ 1);
	dag_seal(&d, count_pair, &told);
	CHECK(told == N / 2 && d.n_edges == 0, "%zu told", told);
	dag_release(&d);
}

int
main(void)
{
	unit_seed();
	test_circles();
	test_many_circles();
	test_random();
	test_long();
	return unit_end();
}
