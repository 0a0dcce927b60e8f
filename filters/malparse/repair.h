#ifndef MALPARSE_REPAIR_H
#define MALPARSE_REPAIR_H

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Repairs where MonetDB servers of 2015 to 2025 deviate from JSON: control
 * characters in strings; an escape or a UTF-8 character that was split when a
 * long text was truncated; a comma before a closing bracket; and letters after
 * a number, from a broken printf format.  The result replaces the contents of
 * `to`.
 */
void repair(struct span object, struct buf *to);

#endif
