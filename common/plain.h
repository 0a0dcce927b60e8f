#ifndef WEIR_PLAIN_H
#define WEIR_PLAIN_H

#include <stdbool.h>

#include "common/rec.h"

/*
 * Reads a record that is written as weir writes most of its own: one flat
 * object without white space, whose values are strings without escapes,
 * integers, true, false, and arrays of such strings.  False if the text is
 * anything else, be it good JSON or bad: yajl then tells (recio.h).
 */
bool plain_read(struct rec *, struct span text);

#endif
