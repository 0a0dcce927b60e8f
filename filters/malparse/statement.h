#ifndef MALPARSE_STATEMENT_H
#define MALPARSE_STATEMENT_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "filters/malparse/event.h"
#include "filters/malparse/plan.h"

/*
 * MAL text from an event's variables, as servers up to 2019 wrote it: for
 * those that do not, and for those whose values must not be seen.
 */
struct recio;

struct statement {
	struct recio *variables;	/* reads objects of variables */
	bool masks;			/* *** for every value */
	struct buf text;		/* "X_1=7:int := calc.+(3:int, 4:int);" */
	struct buf brief;		/* "X_1=7 := +( 3, 4 )" */
};

void statement_build(struct statement *, const struct execution *,
    const struct event *);

#endif
