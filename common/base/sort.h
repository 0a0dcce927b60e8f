#ifndef WEIR_SORT_H
#define WEIR_SORT_H

#include <stddef.h>

/*
 * qsort(), also for no elements at a null pointer.  sort_with() hands its
 * context to every comparison, which must not change it.
 */
void sort(void *base, size_t n, size_t size,
    int (*compare)(const void *, const void *));
void sort_with(void *base, size_t n, size_t size,
    int (*compare)(const void *, const void *, void *context),
    const void *context);

#endif
