#ifndef MALPARSE_BOUNDARY_H
#define MALPARSE_BOUNDARY_H

#include <stdint.h>

#include "common/base/text.h"
#include "common/json/skip.h"

/*
 * Finds the end of a JSON object written by a profiler, without parsing it.
 * Detects truncation early in two cases: a string contains a raw newline
 * (profilers escape them), or a line starts with '{' where JSON allows no value
 * (this must be the start of the next object).
 */
struct boundary {
	struct skip skip;	/* skip.at: bytes that have been looked at */
	uint64_t bracket_stack;	/* a bit for each open bracket, the innermost
				   lowest; 1: [, 0: {.  More than 64 open
				   brackets are BOUNDARY_BROKEN. */
	const char *why;	/* set with BOUNDARY_BROKEN */
};

enum boundary_result {
	BOUNDARY_FOUND,		/* the object is the first skip.at bytes */
	BOUNDARY_MORE,		/* the bytes do not contain its end */
	BOUNDARY_BROKEN		/* the object was truncated, or is not valid */
};

/*
 * Initialize the struct to zero and pass bytes that begin with the object's
 * first byte.  After BOUNDARY_MORE, call this again with the same bytes and
 * those that follow them.
 */
enum boundary_result boundary_find(struct boundary *, struct span bytes);

/*
 * Where to continue after BOUNDARY_BROKEN: the first offset, not less than
 * `at`, at which an object may begin; bytes.n if there is none.  An object may
 * begin at a brace that starts a line, or that is followed by a key with which
 * profilers begin their objects.
 */
size_t boundary_next(struct span bytes, size_t at);

#endif
