#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"

struct input;

/*
 * Splits a stream of bytes into JSON values without parsing them, so that a
 * document of any size can be given to recio_parse() (recio.h) element by
 * element.  The boundaries are right if the values are valid JSON, which is not
 * checked.  Works on the current file of an input and counts its lines.
 */

/*
 * The next byte that is not white space, without consuming it; -1 at the end of
 * the file.
 */
int scan_peek(struct input *);

/*
 * Consumes white space, and the byte after it if that is c; returns whether it
 * is.
 */
bool scan_accept(struct input *, char c);

/* Consumes n bytes, which are in the buffer, and returns them. */
struct span scan_consume(struct input *, size_t n);

enum scan_result {
	SCAN_WHOLE,	/* *value is whole */
	SCAN_NONE,	/* no value begins here; nothing was consumed */
	SCAN_TRUNCATED,	/* the file ends within it: *value is its beginning */
	SCAN_TOO_LONG	/* *value is its beginning, or even all of
			   it: call scan_rest() */
};

/*
 * Consumes the next value, of at most limit bytes.  It is valid until the next
 * call of any scan or input function.  *line is the number of lines before the
 * one on which it begins.
 */
enum scan_result scan_value(struct input *, size_t limit, struct span *value,
    uint64_t *line);

/*
 * Consumes an array (brackets is "[]") or an object ("{}"): calls read at the
 * beginning of each element or member, which must consume it.  Returns false
 * where read() does, or where a bracket or comma is missing.
 */
bool scan_each(struct input *, const char *brackets,
    bool (*read)(void *context), void *context);

/*
 * Consumes the rest of this file in pieces; false at its end.  For a caller
 * that gives up after a value that is too long or truncated, or where no value
 * begins.
 */
bool scan_rest(struct input *, struct span *piece);

/*
 * Is the current file a stream of records, one per line?  It is not if its
 * first nonempty line begins with '{' but does not end with '}': the file is
 * then a sequence of JSON documents on any number of lines.  A line of more
 * than limit bytes, of which no more than that is buffered, is that of a
 * stream.  Consumes only white space before the first line.
 */
bool scan_is_stream(struct input *, size_t limit);
