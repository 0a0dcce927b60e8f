#ifndef WEIR_INTERN_H
#define WEIR_INTERN_H

#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/num.h"

/*
 * Equal strings as one symbol: a small number, because millions of records
 * hold several each and a pointer is twice the size.  Symbols count from 0 in
 * the order of first sight and live as long as the table.
 */
typedef uint32_t sym;
#define SYM_NONE INDEX_NONE

enum { INTERN_QUEUE = 32 };

struct intern {
	struct map map;		/* to places, see intern.c */
	char **chunks;
	size_t n_chunks, chunks_cap, used;
	uint32_t *places;	/* by symbol */
	size_t n, cap;

	struct intern_item {
		uint64_t hash;
		size_t slot;	/* map_probe()'s, within intern_flush() */
		size_t text, n;	/* its place in texts */
		const void *pointer;
		size_t offset;
	} queue[INTERN_QUEUE];	/* of intern_defer() */
	size_t n_queue;
	struct buf texts;
};

void intern_init(struct intern *);
void intern_release(struct intern *);
sym intern_add(struct intern *, struct span);
sym intern_find(const struct intern *, struct span);	/* or SYM_NONE */

/*
 * The same for a string whose symbol is not needed at once: a further
 * intern_defer() or at last intern_flush() stores it in an array that may have
 * moved till then.  So `pointer` is the address of the pointer to the array,
 * whose type is any, and `offset` the symbol's in bytes.  Strings are looked up
 * many at a time, and their way through memory is asked for before it is
 * walked: the machine then waits once and not for each, which was a quarter of
 * what a million tasks cost.
 */
void intern_defer(struct intern *, struct span, const void *pointer,
    size_t offset);
void intern_flush(struct intern *);

/* The string, which also has a NUL after it. */
struct span intern_span(const struct intern *, sym);
const char *intern_str(const struct intern *, sym);

/* Byte order of the strings, SYM_NONE before all: < 0, 0 or > 0. */
int intern_cmp(const struct intern *, sym, sym);

#endif
