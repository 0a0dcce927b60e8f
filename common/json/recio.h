#ifndef WEIR_RECIO_H
#define WEIR_RECIO_H

#include "common/json/rec.h"

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

/*
 * The record that the text begins with, if it is plain (plain.h), and its
 * length; NULL, of whatever else it may be the beginning.
 */
struct rec *recio_plain(struct recio *, struct span, size_t *n);

/*
 * The next item of an array as a record: a walk as that of items_next()
 * (items.h), and its text.  At the end NULL and no reason; NULL with one for an
 * item that is no record, and the walk can go on.
 */
struct rec *recio_item(struct recio *, struct span *rest, struct span *item,
    const char **why);

#endif
