#ifndef WEIR_PYJSON_H
#define WEIR_PYJSON_H

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * JSON as Python's json module writes it after it has read it, which is what
 * Perun names its objects by: ", " and ": " between, every character that is
 * not printable ASCII as \uXXXX, integers as they are, floats with the fewest
 * digits that give them back.  json must be good (recio.h) and have no key
 * twice in one object.
 */
void pyjson_put(struct buf *, struct span json);

/* A string that is no JSON, with its quotes. */
void pyjson_string(struct buf *, struct span text);

#endif
