#ifndef WEIR_INTERVALS_H
#define WEIR_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

/*
 * An interval index (interval map): which of many ranges of addresses contains
 * a given address.  Ranges may nest, as a function and the calls inlined into
 * it do, and the innermost one answers.
 *
 * The index is flat: a sorted list of boundaries, each of which names the
 * innermost range from there to the next boundary.  So a search is one binary
 * search whatever the nesting, and the list has at most twice as many
 * boundaries as there are ranges.  Three ranges, their ends excluded:
 *
 *	0: [10, 50)   1: [20, 40)   2: [30, 40)
 *
 *	boundary  10  20  30  40    50
 *	range      0   1   2   0  none
 */
struct interval {		/* from start to end - 1 */
	uint64_t start, end;
	uint32_t index;		/* what the range stands for */
};

struct boundary {
	uint64_t start;
	uint32_t index;		/* or INDEX_NONE: no range from here on */
};

/* Start with { 0 }.  No two neighbours have the same index. */
struct intervals {
	struct boundary *list;
	size_t n, cap;
};

void intervals_release(struct intervals *);

/* Sorts ranges by start, and those that start together by index. */
void intervals_sort(struct interval *, size_t n);

/*
 * Fills an empty index from n ranges, which it sorts.  Of several ranges that
 * contain an address the last one in that order is the innermost.  Empty ranges
 * do not count.
 */
void intervals_build(struct intervals *, struct interval *, size_t n);

/*
 * Adds a boundary at or above the last one.  One at the same address replaces
 * it.
 */
void intervals_append(struct intervals *, uint64_t start, uint32_t index);

/*
 * Gives a range to index, whatever had it before.  It moves all boundaries
 * above: meant for indexes of up to some thousands.
 */
void intervals_assign(struct intervals *, uint64_t start, uint64_t end,
    uint32_t index);

/* The index of the innermost range that contains an address, or INDEX_NONE. */
uint32_t intervals_find(const struct intervals *, uint64_t address);

/* The place in the list of the first boundary above an address. */
size_t intervals_above(const struct intervals *, uint64_t address);

#endif
