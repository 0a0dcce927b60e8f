#ifndef MALPARSE_BOUNDARY_H
#define MALPARSE_BOUNDARY_H

#include <stdint.h>

#include "common/base/text.h"
#include "common/json/skip.h"

/*
 * Finds where a profiler's object ends, without reading it, and notices early
 * that it was truncated: a profiler writes no string over two lines, and no
 * object begins where JSON allows no value.  Start with { 0 } and pass the bytes
 * from the object's first one on, more of them each time.
 */
struct boundary {
	struct skip skip;	/* skip.at: bytes that have been looked at */
	uint64_t arrays;	/* a bit for each open level: is it an array? */
	const char *why;	/* set with BOUNDARY_BROKEN */
};

enum boundary_result { BOUNDARY_FOUND, BOUNDARY_MORE, BOUNDARY_BROKEN };

/* BOUNDARY_FOUND: the object is the first skip.at bytes. */
enum boundary_result boundary_find(struct boundary *, struct span bytes);

/*
 * After damage: where the next object may begin, from the byte at `at` on.  That
 * is at a brace that starts a line, or before the keys that a profiler's object
 * begins with.  bytes.n if there is no such place.
 */
size_t boundary_next(struct span bytes, size_t at);

#endif
