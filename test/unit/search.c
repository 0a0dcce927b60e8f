/* search - binary search and sorting agree with their definitions */

#include <stdint.h>
#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "test/unit/unit.h"

enum { ROUNDS = 2000, N_MAX = 40, VALUES = 12 };

/* Compares with a linear search of sorted values, some of which are equal. */
static void
test_search(void)
{
	uint64_t list[N_MAX];
	size_t n, lower, upper;

	for (int round = 0; round < ROUNDS; round++) {
		n = unit_random(N_MAX + 1);
		for (size_t i = 0; i < n; i++)
			list[i] = unit_random(VALUES) + (i > 0 ? list[i - 1] :
			    0);
		for (uint64_t x = 0; x < VALUES * 4; x++) {
			lower = upper = 0;
			while (lower < n && list[lower] < x)
				lower++;
			while (upper < n && list[upper] <= x)
				upper++;
			CHECK(SEARCH_FIRST(i, n, list[i] >= x) == lower,
			    "lower bound of %d among %zu", (int)x, n);
			CHECK(SEARCH_FIRST(i, n, list[i] > x) == upper,
			    "upper bound of %d among %zu", (int)x, n);
		}
	}
}

static int
compare_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return cmp_u64(*x, *y);
}

/* Orders indexes in the list by the elements there; equal ones by the index. */
static int
compare_indexes(const void *a, const void *b, void *context)
{
	const uint64_t *list = context;
	const uint32_t *x = a, *y = b;
	int order = cmp_u64(list[*x], list[*y]);

	return order != 0 ? order : cmp_u64(*x, *y);
}

/* Sorts a list, and the indexes of a copy of it, and compares the results. */
static void
test_sort(void)
{
	uint64_t list[N_MAX], sorted[N_MAX];
	uint32_t order[N_MAX];
	size_t n;

	for (int round = 0; round < ROUNDS; round++) {
		n = unit_random(N_MAX + 1);
		for (uint32_t i = 0; i < n; i++) {
			list[i] = sorted[i] = unit_random(VALUES);
			order[i] = i;
		}
		sort(sorted, n, sizeof *sorted, compare_u64);
		sort_with(order, n, sizeof *order, compare_indexes, list);
		for (size_t i = 0; i < n; i++)
			CHECK(list[order[i]] == sorted[i],
			    "sort() and sort_with() differ at %zu",
			    i);
		for (size_t i = 1; i < n; i++)
			CHECK(sorted[i - 1] <= sorted[i] &&
			    (sorted[i - 1] != sorted[i] ||
			    order[i - 1] < order[i]),
			    "elements %zu and %zu are out of order",
			    i - 1, i);
	}
	sort(NULL, 0, 1, compare_u64);
	sort_with(NULL, 0, 1, compare_indexes, NULL);
}

int
main(void)
{
	unit_seed();
	test_search();
	test_sort();
	return unit_end();
}
