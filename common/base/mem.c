/* mem - checked allocation, and the arena */

#define _DEFAULT_SOURCE	/* madvise() */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "common/base/err.h"
#include "common/base/mem.h"

enum {				/* in bytes */
	BLOCK_MIN = 64 * 1024,	/* of an arena */
	FIRST_BYTES = 32,	/* of an array: many stay small */
	HUGE_PAGE = 2 * 1024 * 1024,
	HUGE_MIN = 2 * HUGE_PAGE	/* contains an aligned huge page
					   wherever it begins */
};

struct arena_block {
	struct arena_block *older;
	size_t size;
	char data[];
};

/* Of mem_limit(). */
static const char *const *limited_input;

void
mem_limit(uint64_t bytes, const char *const *input)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_DATA, &limit) == 0 && bytes < limit.rlim_cur) {
		limit.rlim_cur = bytes;
		if (setrlimit(RLIMIT_DATA, &limit) != 0)
			die_errno("cannot set --max-memory");
	}
	limited_input = input;
}

void
mem_die(size_t bytes)
{
	if (limited_input == NULL)
		die("out of memory (%zu bytes)", bytes);
	if (*limited_input == NULL)
		die("out of memory: --max-memory is too low");
	die("out of memory: '%s' needs more than --max-memory allows",
	    *limited_input);
}

void *
mem_alloc(size_t size)
{
	return mem_resize(NULL, size, 1);
}

/*
 * Asks for huge pages if the memory is large, and returns p.  With pages of 4
 * KiB, nearly every random access to a large table misses the TLB as well as
 * the cache, and every page costs a page fault.
 */
static void *
use_huge_pages(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
	uintptr_t mask = -(uintptr_t)HUGE_PAGE;
	uintptr_t first = ((uintptr_t)p + HUGE_PAGE - 1) & mask;
	uintptr_t end = ((uintptr_t)p + bytes) & mask;

	if (bytes >= HUGE_MIN)
		madvise((void *)first, end - first, MADV_HUGEPAGE);
#endif
	return p;
}

void *
mem_zero(size_t n, size_t size)
{
	void *p = calloc(n > 0 ? n : 1, size);

	if (p == NULL)
		mem_die(n * size);
	return use_huge_pages(p, n * size);
}

void *
mem_table(size_t n, size_t size)
{
	return use_huge_pages(mem_resize(NULL, n, size), n * size);
}

void *
mem_ones(size_t n, size_t size)
{
	return memset(mem_table(n, size), 0xff, n * size);
}

void *
mem_resize(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX)
		mem_die(SIZE_MAX);
	p = realloc(p, bytes > 0 ? bytes : 1);
	if (p == NULL)
		mem_die(bytes);
	return p;
}

char *
mem_strndup(const char *p, size_t n)
{
	char *copy = mem_alloc(n + 1);

	if (n > 0)
		memcpy(copy, p, n);
	copy[n] = '\0';
	return copy;
}

char *
mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

void *
mem_grow_more(void *p, size_t *cap, size_t need, size_t size)
{
	size_t first = size < FIRST_BYTES ? FIRST_BYTES / size : 1;
	size_t twice = *cap == 0 ? first : *cap * 2;

	*cap = twice < need ? need : twice;
	return mem_resize(p, *cap, size);
}

char *
arena_alloc(struct arena *a, size_t n)
{
	struct arena_block *b = a->block;
	size_t size = n > BLOCK_MIN ? n : BLOCK_MIN;

	/* Half of what mem_alloc() allows: the sum below cannot overflow. */
	if (n > PTRDIFF_MAX / 2)
		mem_die(n);
	if (b == NULL || n > b->size - a->used) {
		b = mem_alloc(sizeof *b + size);
		b->older = a->block;
		b->size = size;
		a->block = b;
		a->used = 0;
	}
	a->used += n;
	return b->data + a->used - n;
}

char *
arena_text(struct arena *a, const char *p, size_t n)
{
	char *copy = arena_alloc(a, n + 1);

	if (n > 0)
		memcpy(copy, p, n);
	copy[n] = '\0';
	return copy;
}

struct span
arena_span(struct arena *a, struct span s)
{
	return span_of(arena_text(a, s.p, s.n), s.n);
}

static void
free_blocks(struct arena_block *b)
{
	struct arena_block *older;

	for (; b != NULL; b = older) {
		older = b->older;
		free(b);
	}
}

void
arena_reset(struct arena *a)
{
	if (a->block != NULL) {
		free_blocks(a->block->older);
		a->block->older = NULL;
	}
	a->used = 0;
}

void
arena_release(struct arena *a)
{
	free_blocks(a->block);
	*a = (struct arena){ 0 };
}
