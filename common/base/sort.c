/* sort - sorting arrays, with a context for the comparison */

#define _GNU_SOURCE	/* qsort_r(), in POSIX only since 2024 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"

void
sort(void *base, size_t n, size_t size,
    int (*compare)(const void *, const void *))
{
	if (n > 0)
		qsort(base, n, size, compare);
}

void
sort_with(void *base, size_t n, size_t size,
    int (*compare)(const void *, const void *, void *context),
    const void *context)
{
	if (n > 0)
		qsort_r(base, n, size, compare, (void *)(uintptr_t)context);
}

static int
compare_u64(const void *a, const void *b)
{
	return cmp_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

enum { DIGIT_BITS = 12, N_DIGITS = 1 << DIGIT_BITS, RADIX_MIN = 4096 };

static size_t
digit_of(uint64_t value, unsigned shift)
{
	return value >> shift & (N_DIGITS - 1);
}

/* Copies numbers in the order of one digit; equal digits keep their order. */
static void
sort_by_digit(uint64_t *to, const uint64_t *from, size_t n, unsigned shift)
{
	size_t next[N_DIGITS] = { 0 }, at = 0, count;

	for (size_t i = 0; i < n; i++)
		next[digit_of(from[i], shift)]++;
	for (size_t d = 0; d < N_DIGITS; d++) {
		count = next[d];
		next[d] = at;
		at += count;
	}
	for (size_t i = 0; i < n; i++)
		to[next[digit_of(from[i], shift)]++] = from[i];
}

void
sort_u64(uint64_t *list, size_t n)
{
	uint64_t *from = list, *to, *swap, *room, differences = 0;

	if (n < RADIX_MIN) {
		sort(list, n, sizeof *list, compare_u64);
		return;
	}
	room = to = mem_table(n, sizeof *room);
	for (size_t i = 1; i < n; i++)
		differences |= list[i] ^ list[0];
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		/* Digits that all numbers share need no pass. */
		if (digit_of(differences, shift) == 0)
			continue;
		sort_by_digit(to, from, n, shift);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != list)
		memcpy(list, from, n * sizeof *list);
	free(room);
}
