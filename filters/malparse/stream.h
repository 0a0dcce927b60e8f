#pragma once

#include "common/base/buf.h"
#include "common/json/rec.h"
#include "filters/malparse/mclient.h"

/*
 * Reads the objects of a profiler's stream in any framing: one on each line,
 * one on several lines, several on a line, or elements of an array; or rows of
 * the tables that mclient prints (mclient.h).  A truncated object, or other
 * text where an object should begin, is rejected up to the start of the next
 * object.
 */
struct filter;
struct recio;

struct stream {
	struct filter *f;
	struct recio *recio;
	struct buf repaired;	/* a repaired object, or a converted tuple or
				   row */
	struct mclient mclient;
	uint64_t measured_line;	/* of this file, from 1: its length was asked
				   for */
};

void stream_init(struct stream *, struct filter *);
void stream_release(struct stream *);

/*
 * The next object, read with event_keys (event.h); NULL at the end.  The object
 * is borrowed until the next call.  Tuples (tuple.h) and rows of tables are
 * returned as objects.
 */
const struct rec *stream_next(struct stream *);

/*
 * Whether the next line contains a text, as far as it has been read: this does
 * not wait for a server to write it.
 */
bool stream_next_line_has(const struct filter *, const char *text);

/* Rejects the object that stream_next() returned last. */
void stream_reject(struct stream *, const char *why);
