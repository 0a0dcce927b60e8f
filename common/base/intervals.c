/* intervals - finds the innermost of many ranges that contains an address */

#include <stdlib.h>

#include "common/base/intervals.h"
#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"

void
intervals_release(struct intervals *m)
{
	free(m->list);
	*m = (struct intervals){ 0 };
}

void
intervals_append(struct intervals *m, uint64_t start, uint32_t index)
{
	if (m->n > 0 && m->list[m->n - 1].start == start)
		m->n--;
	if (m->n > 0 && m->list[m->n - 1].index == index)
		return;
	m->list = mem_grow(m->list, &m->cap, m->n + 1, sizeof *m->list);
	m->list[m->n++] = (struct interval_boundary){ start, index };
}

static int
compare_intervals(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	return cmp_u64(x->start, y->start) ?: cmp_u64(x->index, y->index);
}

void
intervals_sort(struct interval *ranges, size_t n)
{
	sort(ranges, n, sizeof *ranges, compare_intervals);
}

/*
 * Pops the ranges that end at or below an address, appends a boundary for each
 * change of the innermost range to m, and returns the new depth of the stack.
 * Where the top range ends, the nearest range below it on the stack that
 * reaches further becomes the innermost; the ranges between the two are popped
 * with the top.
 */
static size_t
pop_ended(struct intervals *m, const struct interval *stack, size_t depth,
    uint64_t address)
{
	uint64_t end;

	while (depth > 0 && stack[depth - 1].end <= address) {
		end = stack[depth - 1].end;
		while (depth > 0 && stack[depth - 1].end <= end)
			depth--;
		intervals_append(m, end,
		    depth > 0 ? stack[depth - 1].index : INDEX_NONE);
	}
	return depth;
}

/*
 * Sweeps over the sorted ranges, with a stack of those that are open at the
 * current address, the innermost on top.
 */
void
intervals_build(struct intervals *m, struct interval *ranges, size_t n)
{
	struct interval *stack = NULL;
	size_t depth = 0, cap = 0;

	intervals_sort(ranges, n);
	for (size_t i = 0; i < n; i++) {
		if (ranges[i].start >= ranges[i].end)
			continue;
		depth = pop_ended(m, stack, depth, ranges[i].start);
		stack = mem_grow(stack, &cap, depth + 1, sizeof *stack);
		stack[depth++] = ranges[i];
		intervals_append(m, ranges[i].start, ranges[i].index);
	}
	pop_ended(m, stack, depth, UINT64_MAX);
	free(stack);
}

void
intervals_assign(struct intervals *m, uint64_t start, uint64_t end,
    uint32_t index)
{
	struct intervals old = *m;
	size_t first, above;
	uint32_t index_at_end;

	if (start >= end)
		return;
	index_at_end = intervals_find(&old, end);
	first = SEARCH_FIRST(i, old.n, old.list[i].start >= start);
	above = intervals_above(&old, end);
	*m = (struct intervals){ 0 };
	m->list = mem_grow(NULL, &m->cap, old.n + 2, sizeof *m->list);
	for (size_t i = 0; i < first; i++)
		m->list[m->n++] = old.list[i];
	intervals_append(m, start, index);
	intervals_append(m, end, index_at_end);
	for (size_t i = above; i < old.n; i++)
		intervals_append(m, old.list[i].start, old.list[i].index);
	free(old.list);
}

size_t
intervals_above(const struct intervals *m, uint64_t address)
{
	return SEARCH_FIRST(i, m->n, m->list[i].start > address);
}

uint32_t
intervals_find(const struct intervals *m, uint64_t address)
{
	size_t above = intervals_above(m, address);

	return above > 0 ? m->list[above - 1].index : INDEX_NONE;
}
