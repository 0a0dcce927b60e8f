#pragma once

#include "common/json/rec.h"

/*
 * Reads JSON objects (RFC 8259) as records, with yajl.  Duplicate keys, more
 * than RECIO_DEPTH levels and anything but one object are errors.
 */
enum { RECIO_DEPTH = 512 };

struct recio;

/*
 * keys are the declared keys (rec.h), ended by NULL; they must live as long as
 * the recio.
 */
struct recio *recio_new(const char *const *keys);
void recio_free(struct recio *);

/*
 * Accepts what Python's json module writes and JSON does not have: NaN,
 * Infinity and -Infinity become strings, as from nonfinite_hide().
 */
void recio_accept_python(struct recio *);

/*
 * Reads a text as a record, which is valid until the next call; the text must
 * live as long as the record.  Returns NULL if the text is not a record; *why
 * is then the reason, valid until the next call.
 */
struct rec *recio_parse(struct recio *, struct span, const char **why);

/*
 * Reads a member of a record that is an object, which is valid until the next
 * call for this recio.  NULL if it is absent or something else.
 */
const struct rec *recio_member(struct recio *, const struct rec *,
    unsigned key);

/*
 * The record that the text begins with, and its length in *n, if it has the
 * plain form (plain.h).  Otherwise NULL, and *n is 0.
 */
struct rec *recio_plain(struct recio *, struct span, size_t *n);

/*
 * items_next() (items.h) for an array of objects: returns the next item as a
 * record, and its text in *item.  If the item is not a record, returns NULL and
 * a reason in *why, and the walk can go on.  At the end, returns NULL and sets
 * *why to NULL.
 */
struct rec *recio_item(struct recio *, struct span *rest, struct span *item,
    const char **why);
