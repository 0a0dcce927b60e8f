#pragma once

#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/num.h"

/*
 * String interning: equal strings get the same symbol.  A symbol is a 32-bit
 * number and not a pointer, because millions of records hold several each.
 * Symbols are numbered from 0 in the order in which their strings are added,
 * and are valid as long as the table exists.
 */
typedef uint32_t sym;
#define SYM_NONE INDEX_NONE

struct intern {
	struct map map;		/* from strings to locations */
	char **chunks;		/* the memory that holds the strings */
	size_t n_chunks, chunks_cap;
	size_t chunk_size;	/* of the last chunk */
	size_t used;		/* bytes of the last chunk that are in use */
	uint32_t *locations;	/* where each symbol's string is in the chunks,
				   in units that intern.c defines */
	size_t n, cap;		/* of locations; n is the number of symbols */
	struct intern_queue *queue;	/* of intern_defer(), or NULL */
};

void intern_init(struct intern *);
void intern_release(struct intern *);
sym intern_add(struct intern *, struct span);
sym intern_find(const struct intern *, struct span);	/* or SYM_NONE */

/*
 * Deferred interning, for a string whose symbol is not needed at once: the
 * symbol is stored in an array later, by another intern_defer() or at the
 * latest by intern_flush().  The array may be reallocated until then.
 * Therefore `pointer` is the address of the variable that points to the array,
 * and `offset` is where in the array the symbol belongs, in bytes.
 *
 * A lookup in a large table costs one or two cache misses.  Deferred strings
 * are looked up in batches: first all slots are prefetched, then all strings,
 * and only then are they compared, so that the misses of a batch overlap.
 * Reading a million tasks took a quarter longer without batches.  In a small
 * table, which needs no batches, the symbol is stored at once.
 */
void intern_defer(struct intern *, struct span, const void *pointer,
    size_t offset);
void intern_flush(struct intern *);

/* A symbol's string, followed by a NUL and valid as long as the table. */
struct span intern_span(const struct intern *, sym);
const char *intern_str(const struct intern *, sym);

/* Compares the strings in byte order, SYM_NONE first: < 0, 0 or > 0. */
int intern_cmp(const struct intern *, sym, sym);
