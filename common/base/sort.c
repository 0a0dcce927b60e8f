/* sort - sorting arrays, with a context for the comparison */

#define _GNU_SOURCE	/* qsort_r(), in POSIX only since 2024 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
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

/* Up to this many numbers are inserted one by one. */
enum { INSERTION_MAX = 40 };

/* Few numbers have small digits, so that counting them is not the most work. */
enum { DIGIT_BITS = 12, SMALL_DIGIT_BITS = 8, SMALL_MAX = 4096 };

static size_t
digit_of(uint64_t value, unsigned shift, unsigned bits)
{
	return value >> shift & ((UINT64_C(1) << bits) - 1);
}

/* Copies numbers in the order of one digit; equal digits keep their order. */
static void
sort_by_digit(uint64_t *to, const uint64_t *from, size_t n, unsigned shift,
    unsigned bits)
{
	size_t next[1 << DIGIT_BITS], at = 0, count;

	memset(next, 0, sizeof *next << bits);
	for (size_t i = 0; i < n; i++)
		next[digit_of(from[i], shift, bits)]++;
	for (size_t d = 0; d < (size_t)1 << bits; d++) {
		count = next[d];
		next[d] = at;
		at += count;
	}
	for (size_t i = 0; i < n; i++)
		to[next[digit_of(from[i], shift, bits)]++] = from[i];
}

static void
insert_all(uint64_t *list, size_t n)
{
	uint64_t value;
	size_t j;

	for (size_t i = 1; i < n; i++) {
		value = list[i];
		for (j = i; j > 0 && list[j - 1] > value; j--)
			list[j] = list[j - 1];
		list[j] = value;
	}
}

void
sort_u64_above(uint64_t *list, size_t n, unsigned low_bits)
{
	uint64_t small[SMALL_MAX], *from = list, *to, *swap, differences = 0;
	unsigned bits = n > SMALL_MAX ? DIGIT_BITS : SMALL_DIGIT_BITS;
	uint64_t *room = n > SMALL_MAX ? mem_table(n, sizeof *room) : NULL;

	if (n <= INSERTION_MAX) {
		insert_all(list, n);
		return;
	}
	to = room != NULL ? room : small;
	for (size_t i = 1; i < n; i++)
		differences |= list[i] ^ list[0];
	for (unsigned shift = low_bits; shift < 64; shift += bits) {
		/* Digits that all numbers share need no pass. */
		if (digit_of(differences, shift, bits) == 0)
			continue;
		sort_by_digit(to, from, n, shift, bits);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != list)
		memcpy(list, from, n * sizeof *list);
	free(room);
}

void
sort_u64(uint64_t *list, size_t n)
{
	sort_u64_above(list, n, 0);
}
