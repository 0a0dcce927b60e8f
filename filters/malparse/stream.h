#ifndef MALPARSE_STREAM_H
#define MALPARSE_STREAM_H

#include "common/base/buf.h"
#include "common/json/rec.h"

/*
 * The objects of a profiler's stream, in whatever framing: one a line, over
 * several lines, several on a line, elements of an array.  Objects that were
 * cut, and what lies between objects, are rejected up to the next beginning
 * of one.
 */
struct filter;
struct recio;

struct stream {
	struct filter *f;
	struct recio *recio;
	struct buf mended;
};

void stream_init(struct stream *, struct filter *);
void stream_release(struct stream *);

/*
 * The next object, read with event_keys; NULL at the end.  It lives until the
 * next call.  The filter's place is the object.  Lines of the formats before
 * JSON (see tuple.h) come as the objects they would be.
 */
const struct rec *stream_next(struct stream *);

/* Rejects the object that stands at the filter's place. */
void stream_reject(struct stream *, const char *why);

#endif
