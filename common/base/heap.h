#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * A priority queue (a binary heap) of numbers, each with a key: the one with
 * the smallest key comes first.  Start with { 0 } or with a comparison.
 */
struct heap {
	/* Decides between equal keys: < 0 if a comes first.  If it is NULL, the
	   smaller number comes first. */
	int (*compare)(const void *context, uint32_t a, uint32_t b);
	const void *context;

	struct heap_item {
		int64_t key;
		uint32_t value;
	} *items;		/* items[0] is the first */
	size_t n, cap;
};

void heap_push(struct heap *, int64_t key, uint32_t value);

/* Removes and returns the first item of a heap that is not empty. */
struct heap_item heap_pop(struct heap *);

/* Frees the items.  The heap is then empty and may be used again. */
void heap_release(struct heap *);
