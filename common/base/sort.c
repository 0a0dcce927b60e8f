/* sort - sorting arrays, with a context for the comparison */

#define _GNU_SOURCE	/* qsort_r(), in POSIX only since 2024 */

#include <stdint.h>
#include <stdlib.h>

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
