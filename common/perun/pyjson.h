#pragma once

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Writes a JSON text as Python's json module does after reading it, because
 * Perun names an object by the hash of the result.  ", " and ": " are the
 * separators; quotes, backslashes and characters that are not printable ASCII
 * are escaped, as \uXXXX or \n and the like; integers are copied, but -0
 * becomes 0; floats get the fewest digits that read back as the same value, and
 * strings from nonfinite_hide() become NaN or Infinity again.  json must be
 * valid (recio.h), without duplicate keys.
 */
void pyjson_put(struct buf *, struct span json);

/* Writes a text, which is not JSON, as a JSON string with quotes. */
void pyjson_string(struct buf *, struct span text);
