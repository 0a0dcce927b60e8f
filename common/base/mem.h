#ifndef WEIR_MEM_H
#define WEIR_MEM_H

#include <stddef.h>

#include "common/base/text.h"

/*
 * Memory that is there or ends the program: nobody can go on without it.
 * Sizes are checked for overflow.
 */
void *mem_alloc(size_t size);
void *mem_zero(size_t n, size_t size);
void *mem_resize(void *p, size_t n, size_t size);

/* Copies of text with a NUL after it; the caller frees them. */
char *mem_strdup(const char *);
char *mem_strndup(const char *p, size_t n);

/*
 * For a table that will be full and is read all over: not set, and on huge
 * pages where there are any, if it is large.  mem_zero() has them likewise.
 */
void *mem_table(size_t n, size_t size);
void *mem_ones(size_t n, size_t size);	/* a table, all bits set */

void *mem_grow_more(void *p, size_t *cap, size_t need, size_t size);

/* Makes room for need elements of an array of *cap; *cap at least doubles. */
static inline void *
mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
	return need <= *cap ? p : mem_grow_more(p, cap, need, size);
}

/*
 * An arena gives pieces that live until the whole is reset or released.
 * Start with { 0 }.  A reset keeps one block, so a record costs no malloc.
 */
struct arena {
	struct arena_block *block;	/* the newest, pieces come from it */
	size_t used;
};

/* Aligned to 1: for text. */
char *arena_text(struct arena *, const char *p, size_t n);	/* adds a NUL */
char *arena_room(struct arena *, size_t n);
struct span arena_span(struct arena *, struct span);	/* a copy */
void arena_reset(struct arena *);
void arena_release(struct arena *);

#endif
