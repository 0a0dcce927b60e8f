#ifndef WEIR_SCAN_H
#define WEIR_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"

struct input;

/*
 * Splits a stream of bytes into whole JSON values without reading them, so that
 * a document of any size can be given to recio_parse() element by element.  The
 * values need not be valid JSON; of valid JSON the boundaries are right.  Works
 * on the current file of an input and counts its lines.
 */

/* The next byte that is not white space, not consumed; -1 at the file's end. */
int scan_peek(struct input *);

/* Consumes the next byte that is not white space if it is c. */
bool scan_accept(struct input *, char c);

enum scan_result {
	SCAN_VALUE,	/* *value is whole */
	SCAN_NONE,	/* no value begins here; nothing was consumed */
	SCAN_TRUNCATED,	/* the file ends within it: *value is what there is */
	SCAN_TOO_LONG	/* *value is its beginning; scan_rest() follows */
};

/*
 * Consumes the next value, of at most limit bytes.  It is borrowed until the
 * next call of any scan or input function.  *line is the number of lines before
 * the one on which it begins.
 */
enum scan_result scan_value(struct input *, size_t limit, struct span *value,
    uint64_t *line);

/*
 * Consumes the rest of this file in pieces; false at its end.  For giving up,
 * after a value that is too long or truncated, or where no value begins.
 */
bool scan_rest(struct input *, struct span *piece);

#endif
