/* mem - arenas keep their contents, arrays grow, impossible sizes are fatal */

#include "common/base/err.h"
#include "common/base/mem.h"
#include "test/unit/unit.h"

/*
 * AddressSanitizer calls this function for its options.  By default malloc()
 * aborts when it fails; with this option it returns NULL, which mem.c reports.
 */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

enum { PIECES = 3000 };

/* Most are below 1000 bytes; every 500th exceeds an arena's block of 64 KiB. */
static size_t
piece_size(size_t i)
{
	return i % 500 == 499 ? 100000 + i : i * 37 % 1000;
}

static void
fill_arena(struct arena *a)
{
	static char *piece[PIECES];
	char text[1000];
	bool is_unchanged;

	for (size_t i = 0; i < PIECES; i++) {
		piece[i] = arena_alloc(a, piece_size(i));
		memset(piece[i], (int)(i % 251), piece_size(i));
	}
	for (size_t i = 0; i < PIECES; i++) {
		is_unchanged = true;
		for (size_t j = 0; j < piece_size(i); j++)
			is_unchanged &= (unsigned char)piece[i][j] == i % 251;
		CHECK(is_unchanged, "piece %zu of %zu bytes has changed", i,
		    piece_size(i));
	}
	memset(text, 't', sizeof text);
	for (size_t n = 0; n < sizeof text; n++) {
		char *copy = arena_text(a, text, n);

		CHECK(memcmp(copy, text, n) == 0 && copy[n] == '\0',
		    "the copy of a text of %zu bytes differs", n);
	}
}

static void
test_arena(void)
{
	struct arena a = { 0 };

	for (int i = 0; i < 3; i++) {
		fill_arena(&a);
		arena_reset(&a);
	}
	CHECK(a.block != NULL, "the reset has freed the last block");
	arena_release(&a);
	CHECK(a.block == NULL && a.used == 0, "a block is not released");
	/* An arena without a block can be reset and released again. */
	arena_reset(&a);
	arena_release(&a);
}

static void
test_grow(void)
{
	size_t cap = 0, n_grown = 0, before;
	int *p = NULL;

	for (size_t n = 1; n <= 100000; n++) {
		before = cap;
		p = mem_grow(p, &cap, n, sizeof *p);
		CHECK(cap >= n, "room for only %zu of %zu", cap, n);
		CHECK(cap == before || cap >= before * 2,
		    "grown only from %zu to %zu", before, cap);
		n_grown += cap != before;
		p[n - 1] = (int)n;
	}
	/* From 0 to 16, and 13 times to the double, 131072: 14 times. */
	CHECK(n_grown < 20, "grown %zu times", n_grown);
	for (size_t i = 0; i < 100000; i++)
		CHECK(p[i] == (int)i + 1, "element %zu has changed", i);
	/* The array must now grow to more than twice its size at once. */
	p = mem_grow(p, &cap, 1000000, sizeof *p);
	CHECK(cap >= 1000000, "room for only %zu", cap);
	free(p);
}

static void
test_zero_bytes(void)
{
	char *p = mem_alloc(0), *q = mem_zero(0, 8), *r = mem_zero(3, 5);

	CHECK(p != NULL && q != NULL, "allocating no bytes failed");
	for (int i = 0; i < 15; i++)
		CHECK(r[i] == 0, "byte %d is not cleared", i);
	free(mem_resize(p, 0, 0));
	free(q);
	free(r);
}

static void
product_overflows(void)
{
	mem_resize(NULL, SIZE_MAX / 2, 3);
}

/* In 64 bits, the product would be 16. */
static void
product_wraps_to_small_size(void)
{
	mem_resize(NULL, ((size_t)1 << 63) + 8, 2);
}

static void
more_than_largest_object(void)
{
	mem_alloc((size_t)PTRDIFF_MAX + 1);
}

static void
more_than_available(void)
{
	mem_alloc((size_t)PTRDIFF_MAX);
}

static void
whole_address_space(void)
{
	mem_alloc(SIZE_MAX);
}

static void
zeroed_product_overflows(void)
{
	/* volatile: gcc would warn of the overflow if it knew the value. */
	volatile size_t half = SIZE_MAX / 2;

	mem_zero(half, 4);
}

static void
growth_overflows(void)
{
	size_t cap = SIZE_MAX / 4;

	mem_grow(NULL, &cap, SIZE_MAX / 4 + 1, 8);
}

static void
arena_overflows(void)
{
	struct arena a = { 0 };

	arena_alloc(&a, SIZE_MAX - 4);
}

static void
test_fatal(void)
{
	static const struct { const char *name; void (*act)(void); } cases[] = {
		{ "product overflows", product_overflows },
		{ "product wraps to small size", product_wraps_to_small_size },
		{ "more than the largest object", more_than_largest_object },
		{ "more than is available", more_than_available },
		{ "whole address space", whole_address_space },
		{ "zeroed product overflows", zeroed_product_overflows },
		{ "growth overflows", growth_overflows },
		{ "arena overflows", arena_overflows },
	};
	int status;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		status = unit_child(cases[i].act);
		CHECK(status == EXIT_FATAL, "%s: status %d", cases[i].name,
		    status);
	}
}

int
main(void)
{
	test_arena();
	test_grow();
	test_zero_bytes();
	test_fatal();
	return unit_end();
}
