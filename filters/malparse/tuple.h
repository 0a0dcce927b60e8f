#pragma once

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Converts a tuple, which profilers wrote from 2012 to 2015, before they wrote
 * JSON,
 *	[ 7, "12:31:04.000112", "user.s1_1[3]12", 4, "done ", 52, ... ]
 * to an object of format E (event.h), which the next servers wrote,
 *	{"event":7,"time":"12:31:04.000112","function":"user.s1_1","pc":3,
 *	 "tag":12,"thread":4,"state":"done ","usec":52,...}.
 * False if the line is not a tuple of 14 columns.
 */
bool tuple_to_object(struct span line, struct buf *to);

/*
 * Writes "user.s1_1[3]12", in which nothing needs an escape, as the members
 * KEY, "pc" and "tag" of an object.  False if it is not of this form.
 */
bool tuple_put_instruction(struct buf *to, const char *key, struct span);
