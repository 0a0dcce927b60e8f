#ifndef WEIR_MEM_H
#define WEIR_MEM_H

#include <stddef.h>

#include "common/base/text.h"

/*
 * Allocation that does not fail: without memory the program ends with a
 * message.  Sizes are checked for overflow.  mem_zero() clears the memory.
 */
void *mem_alloc(size_t size);
void *mem_zero(size_t n, size_t size);
void *mem_resize(void *p, size_t n, size_t size);

/* Copies of text with a NUL after it; the caller frees them. */
char *mem_strdup(const char *);
char *mem_strndup(const char *p, size_t n);

/*
 * For a large table with random access: uninitialized, or with all bits set.
 * These and mem_zero() use huge pages where the system has them.
 */
void *mem_table(size_t n, size_t size);
void *mem_ones(size_t n, size_t size);

void *mem_grow_more(void *p, size_t *cap, size_t need, size_t size);

/* Makes room for need elements in an array of *cap; at least doubles *cap. */
static inline void *
mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
	return need <= *cap ? p : mem_grow_more(p, cap, need, size);
}

/*
 * An arena: its pieces live until all of it is reset or released.  Start with
 * { 0 }.  A reset keeps one block, so that a record costs no malloc().
 */
struct arena {
	struct arena_block *block;	/* the newest, pieces come from it */
	size_t used;
};

/* Pieces are not aligned: they are for text.  arena_text() adds a NUL. */
char *arena_text(struct arena *, const char *p, size_t n);
char *arena_room(struct arena *, size_t n);
struct span arena_span(struct arena *, struct span);	/* a copy */
void arena_reset(struct arena *);
void arena_release(struct arena *);

#endif
