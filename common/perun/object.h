#ifndef WEIR_OBJECT_H
#define WEIR_OBJECT_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * A profile as the store keeps it: a zlib stream (RFC 1950) of
 *	"profile" SP type SP length NUL body
 * whose name is the SHA-1 of what is compressed.  length is in characters.
 */
enum { OBJECT_NAME = 20 };

/* Names a body, which must be ASCII, and appends its stream to packed. */
void object_pack(struct span type, struct span body, unsigned char *name,
    struct buf *packed);

struct object {
	struct span type, body;		/* in text */
	unsigned char name[OBJECT_NAME];	/* of what was found */
	struct buf text;
};

/*
 * Reads a stream; what is behind it is ignored, as Perun does.  Inflating
 * stops at the length that the object names.  False if it is no object: *why
 * then says what is wrong.  Start with { 0 }; what it holds lives until the
 * next or the release of text.
 */
bool object_unpack(struct object *, struct span packed, const char **why);

#endif
