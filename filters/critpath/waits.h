#pragma once

#include "filters/critpath/answer.h"

/*
 * Write, for the longest waits between the steps of the first path, which tasks
 * ran then, those that ran longest first.  Nothing if no wait is at least 1 %
 * of the wall time, or if the path is not timed.
 */
void waits_report(struct buf *, const struct answer *);
void waits_emit(const struct answer *, struct filter *);
