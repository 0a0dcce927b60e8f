#pragma once

#include <stdbool.h>

#include "common/base/buf.h"

/*
 * NaN, Infinity and -Infinity.  Python's json module, and so Perun, writes and
 * reads them as numbers, but JSON has no form for them.
 */

/*
 * Makes a text JSON: these numbers become strings whose second letter is
 * escaped, as in "N\u0061N".  A string of the text itself is not left in that
 * form.  Returns the text, or what was written to the buffer.
 */
struct span nonfinite_hide(struct buf *, struct span text);

/* The length of such a string at the beginning of a text, or 0; sets *number
   to the number, which is a literal. */
size_t nonfinite_find(struct span text, const char **number);

/* Whether a JSON value is such a string, or one from nonfinite_name(). */
bool nonfinite_is_string(struct span value);

/*
 * The same for records: the numbers become the strings "NaN", "Infinity" and
 * "-Infinity".  places gets an array with their places, "[0,3]", or nothing.  A
 * place is counted from 0 over the values that are such a string, in the order
 * of the text, whether it was a number or a string.
 */
struct span nonfinite_name(struct buf *, struct span text, struct buf *places);

/*
 * Replaces a text from nonfinite_name() by what nonfinite_hide() would have
 * returned.  places is valid JSON; false if it is not an array of places.
 */
bool nonfinite_restore(struct buf *, struct span *text, struct span places);
