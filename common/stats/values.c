/* values - order statistics */

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/stats/values.h"

/*
 * Of a negative value all bits are inverted, of any other only the sign bit.
 * Adding 0 makes -0 equal to 0.
 */
uint64_t
values_to_key(double value)
{
	uint64_t bits;

	value += 0.0;
	memcpy(&bits, &value, sizeof bits);
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

double
values_from_key(uint64_t key)
{
	uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

void
values_sort(double *values, size_t n)
{
	uint64_t *keys = mem_table(n, sizeof *keys);

	for (size_t i = 0; i < n; i++)
		keys[i] = values_to_key(values[i]);
	sort_u64(keys, n);
	for (size_t i = 0; i < n; i++)
		values[i] = values_from_key(keys[i]);
	free(keys);
}

double
values_median_sorted(const double *sorted, size_t n)
{
	double low = sorted[(n - 1) / 2], high = sorted[n / 2];

	/* Both may be infinite. */
	return low == high ? low : low + (high - low) / 2;
}

double
values_median(const double *values, size_t n, double *room)
{
	memcpy(room, values, n * sizeof *room);
	values_sort(room, n);
	return values_median_sorted(room, n);
}

/* Compares the values at two positions, and then the positions. */
static int
compare_positions(const void *a, const void *b, void *context)
{
	const double *values = context;
	size_t i = *(const size_t *)a, j = *(const size_t *)b;

	if (values[i] != values[j])
		return values[i] < values[j] ? -1 : 1;
	return cmp_u64(i, j);
}

void
values_order(const double *values, size_t n, size_t *order)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	sort_with(order, n, sizeof *order, compare_positions, values);
}

void
values_midranks(const double *values, size_t n, size_t *order, double *ranks)
{
	size_t end;

	values_order(values, n, order);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n &&
		    values[order[end]] == values[order[i]]; end++)
			;
		for (size_t j = i; j < end; j++)
			ranks[order[j]] = (double)(i + 1 + end) / 2;
	}
}
