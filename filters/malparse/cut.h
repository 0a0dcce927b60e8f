#ifndef MALPARSE_CUT_H
#define MALPARSE_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"

/*
 * Finds where an object of a profiler ends, without reading it, and notices
 * early if it was cut: no string of a profiler goes over a line, and where no
 * value may stand no object begins.  Start with { 0 } and offer the bytes
 * from the object's first on, more of them each time.
 */
struct cut {
	size_t at;		/* what was looked at */
	unsigned depth;
	uint64_t arrays;	/* a bit a level: is it an array? */
	bool in_string;
	char before;		/* the last byte that is no blank */
	const char *why;	/* after CUT_BROKEN */
};

enum cut_result { CUT_WHOLE, CUT_MORE, CUT_BROKEN };

/* CUT_WHOLE: the object is the first at bytes. */
enum cut_result cut_object(struct cut *, struct span bytes);

/*
 * Where an object may begin, from the byte at on: at the start of a line, or
 * where the first keys of a profiler's object stand.  bytes.n if nowhere.
 */
size_t cut_next(struct span bytes, size_t at);

#endif
