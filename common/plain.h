#ifndef WEIR_PLAIN_H
#define WEIR_PLAIN_H

#include <stdbool.h>

#include "common/rec.h"

/*
 * Reads a record of the form in which nearly all of them come: an object
 * whose strings have no escapes and whose numbers are integers, a few levels
 * deep, without white space but for a space here and there.  False if the
 * text is anything else, be it good JSON or bad: yajl then tells (recio.h).
 */
bool plain_read(struct rec *, struct span text);

#endif
