/* values - order statistics */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/search.h"
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

double
values_autocorrelation(const double *residuals, size_t n, size_t seam,
    double tiny, double *sorted, double *ranks)
{
	double squares = 0, products = 0, previous = 0, d;
	size_t end;

	memcpy(sorted, residuals, n * sizeof *sorted);
	values_sort(sorted, n);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n &&
		    sorted[end] - sorted[end - 1] <= tiny; end++)
			;
		/* The mean of their ranks, above that of all. */
		for (size_t j = i; j < end; j++)
			ranks[j] = ((double)(i + end) - (double)n) / 2;
	}
	for (size_t i = 0; i < n; i++) {
		d = ranks[SEARCH_FIRST(k, n, sorted[k] >= residuals[i])];
		products += i != seam ? previous * d : 0;
		squares += d * d;
		previous = d;
	}
	return squares > 0 ? products / squares : NAN;
}

/* --- a running median ----------------------------------------------------- */

void
running_begin(struct running *r)
{
	r->low.n = r->high.n = 0;
	r->sum_low = r->sum_high = 0;
}

/* The keys of a heap have a sign: these of values that are not negative. */
static int64_t
bits_of(double value)
{
	return (int64_t)(values_to_key(value) << 1 >> 1);
}

static double
value_of(int64_t bits)
{
	return values_from_key((uint64_t)bits | UINT64_C(1) << 63);
}

static double
greatest_low(const struct running *r)
{
	return value_of(-r->low.items[0].key);
}

/* The lower half has as many values as the upper, or one more. */
void
running_add(struct running *r, double value)
{
	int64_t bits = bits_of(value);

	if (r->low.n == 0 || value <= greatest_low(r)) {
		heap_push(&r->low, -bits, 0);
		r->sum_low += value;
	} else {
		heap_push(&r->high, bits, 0);
		r->sum_high += value;
	}
	if (r->low.n > r->high.n + 1) {
		bits = -heap_pop(&r->low).key;
		heap_push(&r->high, bits, 0);
		r->sum_low -= value_of(bits);
		r->sum_high += value_of(bits);
	} else if (r->high.n > r->low.n) {
		bits = heap_pop(&r->high).key;
		heap_push(&r->low, -bits, 0);
		r->sum_low += value_of(bits);
		r->sum_high -= value_of(bits);
	}
}

double
running_median(const struct running *r)
{
	double low = greatest_low(r);

	return r->low.n > r->high.n ? low :
	    (low + value_of(r->high.items[0].key)) / 2;
}

double
running_deviation(const struct running *r)
{
	if (r->low.n == 0)
		return 0;
	return r->sum_high - r->sum_low -
	    greatest_low(r) * ((double)r->high.n - (double)r->low.n);
}

void
running_release(struct running *r)
{
	heap_release(&r->low);
	heap_release(&r->high);
}
