#pragma once

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Repairs the deviations from JSON of MonetDB servers of 2015 to 2025: control
 * characters in strings; an escape or a UTF-8 character that was split when the
 * server truncated a long text; a comma before a closing bracket; and letters
 * after a number, from a wrong printf format.  The result replaces the contents
 * of `to`.
 */
void repair_object(struct span object, struct buf *to);
