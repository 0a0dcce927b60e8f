#pragma once

#include <stdbool.h>

#include "common/base/buf.h"
#include "filters/malparse/event.h"
#include "filters/malparse/plan.h"

/*
 * Rebuilds the MAL text of an instruction from the variables of its event, in
 * the form that servers up to 2019 wrote.  This is used with --statement, if a
 * server does not write the text, and with --mask, which hides the values.
 */
struct recio;

struct statement {
	struct recio *variables;	/* borrowed; parses objects of
					   variables */
	bool is_masked;			/* writes *** for every value */
	struct buf long_text;	/* "X_1=7:int := calc.+(3:int, 4:int);" */
	struct buf short_text;	/* "X_1=7 := +( 3, 4 )" */
};

/* Sets long_text and short_text, which are valid until the next call. */
void statement_build(struct statement *, const struct execution *,
    const struct event *);
