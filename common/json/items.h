#pragma once

#include <stdbool.h>

#include "common/base/text.h"

/*
 * A walk over the items of an array that is known to be valid JSON, such as the
 * token of a field (rec.h).  Each item is a part of the array's text.
 *
 *	for (rest = field->token; items_next(&rest, &item);)
 */
bool items_next(struct span *rest, struct span *item);

/*
 * The same in two steps, for callers that have a quicker way to read an item.
 * items_advance() makes rest begin with the next item; false at the end of the
 * array.  items_take() then moves that item from rest to *item.
 */
bool items_advance(struct span *rest);
void items_take(struct span *rest, struct span *item);

/* items_next() for the members of an object.  The quotes are part of *key. */
bool items_next_member(struct span *rest, struct span *key,
    struct span *value);
