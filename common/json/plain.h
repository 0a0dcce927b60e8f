#ifndef WEIR_PLAIN_H
#define WEIR_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/json/rec.h"

/*
 * Reads a record of the form in which nearly all of them come: an object whose
 * strings have no escapes, a few levels deep, without white space but for a
 * space here and there.  False if the text is anything else, be it good JSON
 * or bad: yajl then tells (recio.h).
 */
bool plain_read(struct rec *, struct span text);

/* The same for the object that the text begins with: its length, or 0. */
size_t plain_read_first(struct rec *, struct span text);

#endif
