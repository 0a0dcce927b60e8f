/* lanes - no two tasks overlap in a lane, and as many lanes as tasks overlap */

#include <stdint.h>

#include "common/base/sort.h"
#include "common/build/lanes.h"
#include "test/unit/unit.h"

enum { ROUNDS = 2000, N_MAX = 60 };

struct task {
	int64_t start, end;
	uint32_t lane;
};

static int
compare_starts(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Is the task running at a time?  It is not any more at its end. */
static bool
is_running(const struct task *t, int64_t at)
{
	return t->start <= at && at < t->end;
}

/* The most tasks that run at one time, which is the start of one of them. */
static uint32_t
most_running(const struct task *tasks, size_t n)
{
	uint32_t most = 0, running;

	for (size_t i = 0; i < n; i++) {
		running = 0;
		for (size_t j = 0; j < n; j++)
			running += is_running(&tasks[j], tasks[i].start);
		if (running > most)
			most = running;
	}
	return most;
}

/* The lowest lane in which no earlier task runs at the start of task i. */
static uint32_t
lowest_free(const struct task *tasks, size_t i)
{
	for (uint32_t lane = 0;; lane++) {
		size_t j = 0;

		while (j < i && (tasks[j].lane != lane ||
		    !is_running(&tasks[j], tasks[i].start)))
			j++;
		if (j == i)
			return lane;
	}
}

int
main(void)
{
	struct task tasks[N_MAX];
	size_t n;
	uint64_t longest;
	int64_t length;

	unit_seed();
	for (int round = 0; round < ROUNDS; round++) {
		n = unit_random(N_MAX + 1);
		longest = unit_random(40) + 1;
		for (size_t i = 0; i < n; i++) {
			length = 1 + (int64_t)unit_random(longest);
			tasks[i].start = (int64_t)unit_random(100) - 50;
			tasks[i].end = tasks[i].start + length;
		}
		sort(tasks, n, sizeof *tasks, compare_starts);
		struct lanes lanes = { 0 };

		for (size_t i = 0; i < n; i++) {
			tasks[i].lane = lanes_add(&lanes, tasks[i].start,
			    tasks[i].end);
			CHECK(tasks[i].lane == lowest_free(tasks, i),
			    "lane of task %zu, round %d", i, round);
		}
		CHECK(lanes.n == most_running(tasks, n),
		    "number of lanes, round %d", round);
		lanes_release(&lanes);
	}
	return unit_end();
}
