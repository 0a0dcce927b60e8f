#pragma once

#include "filters/critpath/answer.h"
#include "filters/critpath/verdict.h"

/*
 * One line for each build, to compare many: a `summary` record, or a row of a
 * table, which summaries_print() writes after the last build.
 */

/* `by` is the key of the groups, of which the costliest is shown. */
void summary_add(const struct answer *, const struct verdict *, const char *by,
    struct filter *);
void summaries_print(struct filter *);
