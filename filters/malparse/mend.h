#ifndef MALPARSE_MEND_H
#define MALPARSE_MEND_H

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * What the server writes that is no JSON, made JSON (formats as of 2015 to
 * 2025): control characters raw in strings; an escape or a UTF-8 character
 * that was cut where a long text was shortened; a comma before the closing
 * bracket; letters of a broken printf format behind a number.
 */
void mend(struct span object, struct buf *to);

#endif
