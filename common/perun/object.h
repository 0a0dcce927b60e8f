#pragma once

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * A profile as it is stored: a zlib stream (RFC 1950) of
 *	"profile" SP type SP length NUL body
 * The name of the object is the SHA-1 of the uncompressed bytes.  length is the
 * number of characters, not bytes, of the body.
 */
enum { OBJECT_NAME_SIZE = 20 };

/* Packs a body, which must be ASCII: sets name and appends the stream. */
void object_pack(struct span type, struct span body, unsigned char *name,
    struct buf *packed);

struct object {
	struct span type, body;		/* borrowed from text */
	unsigned char name[OBJECT_NAME_SIZE];	/* computed from text */
	struct buf text;
};

/*
 * Unpacks a stream.  Inflates no more than the length in the header allows, and
 * ignores bytes after the stream, as Perun does.  Returns why it is not an
 * object, or NULL.  Start with { 0 }; the contents live until the next call.
 * The caller releases text, also after a failure.
 */
const char *object_unpack(struct object *, struct span packed);
