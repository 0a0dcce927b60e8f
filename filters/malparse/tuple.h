#ifndef MALPARSE_TUPLE_H
#define MALPARSE_TUPLE_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * A line of the profiler before JSON (2012 to 2015),
 *	[ 7,	"12:31:04.000112",	"user.s1_1[3]12",	4,	"done ", ...
 * as the object that servers wrote soon after; false if it is none.
 */
bool tuple_to_object(struct span line, struct buf *to);

#endif
