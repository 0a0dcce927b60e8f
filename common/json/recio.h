#ifndef WEIR_RECIO_H
#define WEIR_RECIO_H

#include "common/json/rec.h"

/*
 * Reads JSON objects (RFC 8259) as records, by yajl.  Duplicate keys, more
 * than RECIO_DEPTH levels and anything but one object are errors.
 */
enum { RECIO_DEPTH = 512 };

struct recio;

/* keys are declared (rec.h); they end with NULL and are borrowed for good. */
struct recio *recio_new(const char *const *keys);
void recio_free(struct recio *);

/*
 * Reads a text as a record, which is borrowed until the next call; the text
 * must live as long.  NULL if it is not a record: *why then says what is wrong,
 * also borrowed.
 */
struct rec *recio_parse(struct recio *, struct span, const char **why);

/*
 * The record that the text begins with, and its length, if it has the plain
 * form (plain.h); NULL otherwise.
 */
struct rec *recio_plain(struct recio *, struct span, size_t *n);

/*
 * The next item of an array as a record, and its text: a walk like that of
 * items_next() (items.h).  NULL without a reason at the end; NULL with a reason
 * for an item that is not a record, after which the walk can go on.
 */
struct rec *recio_item(struct recio *, struct span *rest, struct span *item,
    const char **why);

#endif
