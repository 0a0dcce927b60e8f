#ifndef MALPARSE_REPAIR_H
#define MALPARSE_REPAIR_H

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Makes JSON of what MonetDB servers of 2015 to 2025 write in its place:
 * control characters in strings; an escape or a UTF-8 character that was
 * truncated with the end of a long text; a comma before a closing bracket; and
 * letters of a broken printf format after a number.  `to` is overwritten.
 */
void repair(struct span object, struct buf *to);

#endif
