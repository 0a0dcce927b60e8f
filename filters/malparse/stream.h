#ifndef MALPARSE_STREAM_H
#define MALPARSE_STREAM_H

#include "common/base/buf.h"
#include "common/json/rec.h"

/*
 * Reads the objects of a profiler's stream in any framing: one per line, over
 * several lines, several on a line, elements of an array.  Truncated objects,
 * and anything between objects, are rejected up to the start of the next one.
 */
struct filter;
struct recio;

struct stream {
	struct filter *f;
	struct recio *recio;
	struct buf repaired;	/* a repaired object, or a converted tuple */
};

void stream_init(struct stream *, struct filter *);
void stream_release(struct stream *);

/*
 * The next object, read with event_keys; NULL at the end.  It is borrowed until
 * the next call.  Tuples (tuple.h) are returned as objects.
 */
const struct rec *stream_next(struct stream *);

/* Rejects the object that stream_next() returned last. */
void stream_reject(struct stream *, const char *why);

#endif
