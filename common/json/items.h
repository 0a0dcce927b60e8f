#ifndef WEIR_ITEMS_H
#define WEIR_ITEMS_H

#include <stdbool.h>

#include "common/base/text.h"

/*
 * A walk over the items of an array that is known to be good JSON: the token
 * of a field (rec.h).  Start with that token; each item is borrowed from it.
 *
 *	for (rest = f->token; items_next(&rest, &item);)
 */
bool items_next(struct span *rest, struct span *item);

/* The same in two steps: to where the next item begins, and behind it. */
bool items_seek(struct span *rest);
void items_take(struct span *rest, struct span *item);

/* A walk over the members of an object.  The key is as it was written. */
bool items_next_member(struct span *rest, struct span *key,
    struct span *value);

/* From behind a string's opening quote to behind its closing one, or end. */
const char *items_string_end(const char *p, const char *end);

#endif
