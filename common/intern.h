#ifndef WEIR_INTERN_H
#define WEIR_INTERN_H

#include <stdint.h>

#include "common/map.h"
#include "common/mem.h"

/*
 * Equal strings as one symbol: a small number, because millions of records
 * hold several each and a pointer is twice the size.  Symbols count from 0 in
 * the order of first sight and live as long as the table.
 */
typedef uint32_t sym;
#define SYM_NONE MAP_NONE

struct intern {
	struct map map;		/* to places, see intern.c */
	char **chunks;
	size_t n_chunks, chunks_cap, used;
	uint32_t *places;	/* by symbol */
	size_t n, cap;
};

void intern_init(struct intern *);
void intern_release(struct intern *);
sym intern_add(struct intern *, struct span);
sym intern_find(const struct intern *, struct span);	/* or SYM_NONE */

/*
 * The same for several strings, of which those with p == NULL become
 * SYM_NONE.  Their way through memory is asked for before it is walked, so
 * that the machine waits once and not for each.
 */
enum { INTERN_BATCH = 8 };
void intern_add_batch(struct intern *, const struct span *, size_t n, sym *);

/* The string, which also has a NUL after it. */
struct span intern_span(const struct intern *, sym);
const char *intern_str(const struct intern *, sym);

/* Byte order of the strings: < 0, 0 or > 0. */
int intern_cmp(const struct intern *, sym, sym);

#endif
