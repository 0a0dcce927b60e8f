#pragma once

#include <stdint.h>

#include "common/base/text.h"
#include "common/json/skip.h"

/*
 * Finds the end of a JSON object written by a profiler, without parsing it.
 * Detects truncation before the end of the input in two cases: a string
 * contains a raw newline (profilers escape newlines), or a line starts with '{'
 * or a tuple, as old profilers wrote them, where JSON allows no value (that
 * must be the start of the next object or tuple).
 */
struct object_scan {
	struct skip skip;	/* skip.at: bytes examined so far */
	uint64_t bracket_stack;	/* one bit for each open bracket, 1 for [ and 0
				   for {; the lowest bit is the innermost
				   bracket's.  More than 64 open brackets are
				   BOUNDARY_BROKEN */
	const char *why;	/* the reason for BOUNDARY_BROKEN */
};

enum boundary_result {
	BOUNDARY_FOUND,		/* the object is the first skip.at bytes */
	BOUNDARY_MORE,		/* the object may end after these bytes */
	BOUNDARY_BROKEN		/* the object was truncated, is not valid, or
				   has too many levels */
};

/*
 * Initialize the struct to zero, and pass bytes that begin with the object's
 * opening brace.  After BOUNDARY_MORE, call this again with the same bytes and
 * some that follow them.
 */
enum boundary_result boundary_find(struct object_scan *, struct span bytes);

/*
 * Where to continue after BOUNDARY_BROKEN: the first offset, not less than
 * `at`, at which an object or tuple may begin; bytes.n if there is none.  An
 * object may begin at a brace that starts a line, or that is followed by a key
 * with which profilers begin their objects; a tuple at the start of a line.
 */
size_t boundary_next(struct span bytes, size_t at);
