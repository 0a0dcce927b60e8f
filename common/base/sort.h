#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Like qsort(), but base may be NULL if n is 0.  sort_with() passes context to
 * every call of compare(), as qsort_r() does; compare() must not modify it.
 */
void sort(void *base, size_t n, size_t size,
    int (*compare)(const void *, const void *));
void sort_with(void *base, size_t n, size_t size,
    int (*compare)(const void *, const void *, void *context),
    const void *context);

/*
 * Sorts numbers in linear time (a radix sort).  sort_u64_above() does not look
 * at so many of the lowest bits: they are an order that stays.
 */
void sort_u64(uint64_t *, size_t n);
void sort_u64_above(uint64_t *, size_t n, unsigned low_bits);
