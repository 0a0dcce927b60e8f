#ifndef WEIR_PLAIN_H
#define WEIR_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/json/rec.h"

/*
 * Reads a record of the plain form, the subset of JSON in which nearly all
 * records are written: an object that is not empty and only a few levels deep,
 * without null, without escapes in its strings, and without white space other
 * than spaces.  False if the text is anything else, valid JSON or not: the
 * caller then leaves it to yajl (recio.h).
 */
bool plain_read(struct rec *, struct span text);

/*
 * The same for the object that the text begins with, whatever follows it.
 * Returns its length, or 0 if it does not have the plain form.
 */
size_t plain_read_first(struct rec *, struct span text);

#endif
