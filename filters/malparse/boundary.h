#ifndef MALPARSE_BOUNDARY_H
#define MALPARSE_BOUNDARY_H

#include <stdint.h>

#include "common/base/text.h"
#include "common/json/skip.h"

/*
 * Finds where a profiler's object ends, without parsing it.  Detects early that
 * the object was truncated: if a string contains a newline, which profilers
 * escape, or if a line begins with an object where JSON allows no value, which
 * must be the next object.
 */
struct boundary {
	struct skip skip;	/* skip.at: bytes that have been looked at */
	uint64_t arrays;	/* open brackets as a stack of bits; 1: array */
	const char *why;	/* set with BOUNDARY_BROKEN */
};

enum boundary_result {
	BOUNDARY_FOUND,		/* the object is the first skip.at bytes */
	BOUNDARY_MORE,		/* the bytes do not contain its end */
	BOUNDARY_BROKEN		/* it was truncated, or is not valid */
};

/*
 * Start with { 0 } and the object's first bytes.  After BOUNDARY_MORE, call it
 * again with the same bytes and those that follow them.
 */
enum boundary_result boundary_find(struct boundary *, struct span bytes);

/*
 * After damage: the first offset, from `at` on, at which the next object may
 * begin; bytes.n if there is none.  This is a brace that starts a line, or that
 * comes before a key with which a profiler's objects begin.
 */
size_t boundary_next(struct span bytes, size_t at);

#endif
