#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

/*
 * Allocation that does not fail: if memory runs out, the program ends with a
 * message.  Sizes are checked for overflow.  mem_zero() clears the memory;
 * mem_resize() reallocates p, which may be NULL, as n elements of `size` bytes.
 */
void *mem_alloc(size_t size);
void *mem_zero(size_t n, size_t size);
void *mem_resize(void *p, size_t n, size_t size);

/*
 * Makes allocations fail that would give the process more than this many bytes
 * of memory that it may write (RLIMIT_DATA: not its stack, nor files that it
 * only reads).  *input is what messages then name; it must stay valid, and may
 * be NULL.
 */
void mem_limit(uint64_t bytes, const char *const *input);

/* Ends the program because it cannot get this many bytes. */
_Noreturn void mem_die(size_t bytes);

/* Copies of text with a NUL after it; the caller frees them. */
char *mem_strdup(const char *);
char *mem_strndup(const char *p, size_t n);

/*
 * Allocate a large table for random access: mem_table() leaves it
 * uninitialized, mem_ones() sets all bits.  Both, and mem_zero(), use huge
 * pages for 4 MiB or more if the system has them.
 */
void *mem_table(size_t n, size_t size);
void *mem_ones(size_t n, size_t size);

/* The slow path of mem_grow(). */
void *mem_grow_more(void *p, size_t *cap, size_t need, size_t size);

/*
 * Makes room for `need` elements of `size` bytes in the array p, which has room
 * for *cap elements.  Returns p, or the reallocated array; in that case *cap at
 * least doubles.
 */
static inline void *
mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
	return need <= *cap ? p : mem_grow_more(p, cap, need, size);
}

/*
 * An arena: what is allocated from it lives until the arena is reset or
 * released.  Start with { 0 }.  A reset keeps the newest block of memory, so
 * that an arena that is reset for each record seldom calls malloc().
 */
struct arena {
	struct arena_block *block;	/* the newest */
	size_t used;			/* bytes of that block in use */
};

/*
 * Allocates n bytes without padding before them: a caller that needs an
 * alignment must allocate only multiples of it from this arena.
 */
char *arena_alloc(struct arena *, size_t n);

/* An array of n elements, whose size is a multiple of their alignment. */
static inline void *
arena_array(struct arena *a, size_t n, size_t size)
{
	return arena_alloc(a, n * size);
}

/* Copies of text with a NUL after it, which the span does not count. */
char *arena_text(struct arena *, const char *p, size_t n);
struct span arena_span(struct arena *, struct span);

void arena_reset(struct arena *);
void arena_release(struct arena *);
