/*
 * intervals - an interval map finds the range of addresses that contains an
 * address; the results are compared with those of a search through all ranges
 */

#include "common/base/intervals.h"
#include "common/base/num.h"
#include "test/unit/unit.h"

enum { ADDRESSES = 200, RANGES = 12, ROUNDS = 3000 };

/* Makes ranges; returns how many.  Some are empty: end is not above start. */
static size_t
random_ranges(struct interval *ranges)
{
	size_t n = unit_random(RANGES + 1);

	for (size_t i = 0; i < n; i++) {
		ranges[i].start = unit_random(ADDRESSES);
		ranges[i].end = unit_random(ADDRESSES);
		ranges[i].index = (uint32_t)i;
	}
	return n;
}

static bool
contains(const struct interval *range, uint64_t address)
{
	return address >= range->start && address < range->end;
}

/*
 * The innermost range that contains an address: the one with the largest start,
 * and the last of several with that start.
 */
static uint32_t
innermost(const struct interval *ranges, size_t n, uint64_t address)
{
	uint32_t found = INDEX_NONE;

	for (size_t i = 0; i < n; i++)
		if (contains(&ranges[i], address) && (found == INDEX_NONE ||
		    ranges[i].start >= ranges[found].start))
			found = (uint32_t)i;
	return found;
}

/* The last range in the list that contains an address. */
static uint32_t
last_assigned(const struct interval *ranges, size_t n, uint64_t address)
{
	while (n > 0 && !contains(&ranges[n - 1], address))
		n--;
	return n > 0 ? (uint32_t)n - 1 : INDEX_NONE;
}

/* Checks that boundaries are in order, and that each starts another range. */
static void
check_list(const struct intervals *m)
{
	for (size_t i = 1; i < m->n; i++)
		CHECK(m->list[i - 1].start < m->list[i].start &&
		    m->list[i - 1].index != m->list[i].index,
		    "boundary %zu is redundant or out of order", i);
}

/* Of the ranges that contain an address, the innermost is found. */
static void
test_build(void)
{
	struct interval ranges[RANGES], sorted[RANGES];
	struct intervals m = { 0 };
	size_t n = random_ranges(ranges);

	memcpy(sorted, ranges, sizeof sorted);
	intervals_build(&m, sorted, n);
	for (uint64_t a = 0; a < ADDRESSES; a++)
		CHECK(intervals_find(&m, a) == innermost(ranges, n, a),
		    "address %d, %zu ranges", (int)a, n);
	check_list(&m);
	intervals_release(&m);
}

/* Ranges are assigned one after the other: later ones replace earlier ones. */
static void
test_assign(void)
{
	struct interval ranges[RANGES];
	struct intervals m = { 0 };
	size_t n = random_ranges(ranges);

	for (size_t i = 0; i < n; i++)
		intervals_assign(&m, ranges[i].start, ranges[i].end,
		    ranges[i].index);
	for (uint64_t a = 0; a < ADDRESSES; a++)
		CHECK(intervals_find(&m, a) == last_assigned(ranges, n, a),
		    "address %d, %zu ranges assigned", (int)a, n);
	check_list(&m);
	intervals_release(&m);
}

/*
 * Boundaries are appended in the order of addresses.  An address has the index
 * of the last boundary that is not above the address.
 */
static void
test_append(void)
{
	uint32_t want[ADDRESSES], index;
	struct intervals m = { 0 };
	size_t n_up_to = 0;	/* boundaries that are not above a */

	memset(want, 0xff, sizeof want);	/* INDEX_NONE */
	for (uint64_t at = unit_random(9); at < ADDRESSES;
	    at += unit_random(9)) {
		index = unit_random(3) > 0 ? (uint32_t)unit_random(3) :
		    INDEX_NONE;
		intervals_append(&m, at, index);
		for (uint64_t a = at; a < ADDRESSES; a++)
			want[a] = index;
	}
	for (uint64_t a = 0; a < ADDRESSES; a++) {
		CHECK(intervals_find(&m, a) == want[a], "address %d", (int)a);
		while (n_up_to < m.n && m.list[n_up_to].start <= a)
			n_up_to++;
		CHECK(intervals_above(&m, a) == n_up_to,
		    "the first boundary above %d", (int)a);
	}
	intervals_release(&m);
}

static void
test_limits(void)
{
	struct interval ranges[] = { { 0, UINT64_MAX, 7 },
	    { UINT64_MAX - 1, UINT64_MAX, 8 } };
	struct intervals m = { 0 };

	CHECK(intervals_find(&m, 0) == INDEX_NONE,
	    "an empty map has a range");
	intervals_build(&m, ranges, 2);
	CHECK(intervals_find(&m, 0) == 7, "the first address");
	CHECK(intervals_find(&m, UINT64_MAX - 1) == 8, "the last address");
	CHECK(intervals_find(&m, UINT64_MAX) == INDEX_NONE,
	    "the end belongs to the range");
	intervals_assign(&m, 0, UINT64_MAX, 9);
	CHECK(intervals_find(&m, UINT64_MAX - 1) == 9,
	    "the innermost range is not replaced");
	/* At 0, where the range begins, and at UINT64_MAX, where it ends */
	CHECK(m.n == 2, "%zu boundaries", m.n);
	intervals_release(&m);
}

int
main(void)
{
	unit_seed();
	for (int i = 0; i < ROUNDS; i++) {
		test_build();
		test_assign();
		test_append();
	}
	test_limits();
	return unit_end();
}
