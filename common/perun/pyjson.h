#ifndef WEIR_PYJSON_H
#define WEIR_PYJSON_H

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Writes a JSON text as Python's json module does when it has read it: Perun
 * names its objects by a hash of that.  ", " and ": " are the separators; every
 * character that is not printable ASCII is \uXXXX; integers are copied; floats
 * get the fewest digits that read back as the same value.  json must be valid
 * (recio.h), without duplicate keys.
 */
void pyjson_put(struct buf *, struct span json);

/* Writes text, which is not JSON, as a string with its quotes. */
void pyjson_string(struct buf *, struct span text);

#endif
