#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * An interval map: finds which of many ranges of addresses contains a given
 * address.  Ranges may nest, as a function and the calls inlined into it do;
 * then the innermost range is found.
 *
 * The map is flat: a sorted list of boundaries, each of which names the
 * innermost range from there to the next boundary.  So a lookup is one binary
 * search, however deep the nesting, and there are at most twice as many
 * boundaries as ranges.  For example, three half-open ranges:
 *
 *	0: [10, 50)   1: [20, 40)   2: [30, 40)
 *
 *	boundary  10  20  30  40    50
 *	range      0   1   2   0  none
 */
struct interval {		/* from start to end - 1 */
	uint64_t start, end;
	uint32_t index;		/* the caller's number for the range */
};

struct interval_boundary {
	uint64_t start;
	uint32_t index;		/* of the innermost range from here on; or
				   INDEX_NONE: there is none */
};

/* Start with { 0 }.  Adjacent boundaries have different indexes. */
struct intervals {
	struct interval_boundary *list;
	size_t n, cap;
};

void intervals_release(struct intervals *);

/* Sorts ranges by start, and those with the same start by index. */
void intervals_sort(struct interval *, size_t n);

/*
 * Fills an empty struct intervals from n ranges, which it sorts
 * (intervals_sort()).  If several ranges contain an address, the one that is
 * last in that order counts as the innermost.  Empty ranges are ignored.
 */
void intervals_build(struct intervals *, struct interval *, size_t n);

/*
 * Appends a boundary, which must not be below the last one.  It replaces the
 * last one if both have the same start.  It is left out if the boundary that
 * would then precede it has the same index.
 */
void intervals_append(struct intervals *, uint64_t start, uint32_t index);

/*
 * Makes all addresses from start to end - 1 belong to the range with this
 * index, whatever range they belonged to before.  This copies the whole list:
 * it is meant for some thousands of boundaries at most.
 */
void intervals_assign(struct intervals *, uint64_t start, uint64_t end,
    uint32_t index);

/* The index of the innermost range that contains an address, or INDEX_NONE. */
uint32_t intervals_find(const struct intervals *, uint64_t address);

/* The position in the list of the first boundary above an address, or n. */
size_t intervals_above(const struct intervals *, uint64_t address);
