#ifndef WEIR_RECIO_H
#define WEIR_RECIO_H

#include "common/rec.h"

/*
 * Reads JSON objects (RFC 8259) as records, by yajl.  Duplicate keys, more
 * than RECIO_DEPTH levels and anything but one object are errors.
 */
enum { RECIO_DEPTH = 512 };

struct recio;

/*
 * keys are the keys that the caller declares (see rec.h), ended by NULL; they
 * are borrowed for ever.
 */
struct recio *recio_new(const char *const *keys);
void recio_free(struct recio *);

/*
 * The record in a piece of text, borrowed until the next call; the text must
 * live as long.  NULL if it is none: *why then says what is wrong with it,
 * borrowed likewise.
 */
struct rec *recio_parse(struct recio *, struct span, const char **why);

#endif
