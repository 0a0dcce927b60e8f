#pragma once

#include "filters/critpath/answer.h"

/*
 * A step that only waits for a plan on another server names its execution: the
 * path goes on in the run of that execution, whose times are by another clock.
 */
struct buf;

/* Writes the members that name the plan, if the step has one. */
void remote_emit(const struct answer *, const struct step *, struct buf *);

/* Says how much of the first path is in plans of other servers, if any is. */
void remote_report(const struct answer *, struct filter *);
