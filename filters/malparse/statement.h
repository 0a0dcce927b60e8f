#ifndef MALPARSE_STATEMENT_H
#define MALPARSE_STATEMENT_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "filters/malparse/event.h"
#include "filters/malparse/plan.h"

/*
 * Rebuilds MAL text from an event's variables, as servers up to 2019 wrote it:
 * for servers that do not write it, and with --mask to hide the values.
 */
struct recio;

struct statement {
	struct recio *variables;	/* parses objects of variables */
	bool is_masked;			/* *** in place of every value */
	struct buf long_text;	/* "X_1=7:int := calc.+(3:int, 4:int);" */
	struct buf short_text;	/* "X_1=7 := +( 3, 4 )" */
};

void statement_build(struct statement *, const struct execution *,
    const struct event *);

#endif
