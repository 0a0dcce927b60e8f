#ifndef WEIR_SCAN_H
#define WEIR_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"

struct input;

/*
 * Cuts a stream of bytes into whole JSON values without reading them: finds
 * where strings and brackets end, so that a document of any size can be given
 * to recio_parse() element by element.  What it cuts need not be valid; what
 * is valid is cut right.  Works on the current file of an input and counts
 * its lines.
 */

/* The next byte that is no white space, not consumed; -1 at the end. */
int scan_peek(struct input *);

/* Consumes the next byte that is no white space if it is c. */
bool scan_take(struct input *, char c);

enum scan_result {
	SCAN_VALUE,	/* *value is whole */
	SCAN_NONE,	/* no value begins here; nothing was consumed */
	SCAN_CUT,	/* the file ends within it: *value is what there is */
	SCAN_TOO_LONG	/* *value is its beginning; scan_rest() follows */
};

/*
 * Consumes the next value.  It is borrowed until the next call of any scan or
 * input function.  It begins at *line.
 */
enum scan_result scan_value(struct input *, size_t limit, struct span *value,
    uint64_t *line);

/*
 * Consumes what is left of this file in pieces; false at its end.  It is how
 * one gives up: behind a value that is too long or cut, or at no value.
 */
bool scan_rest(struct input *, struct span *piece);

#endif
