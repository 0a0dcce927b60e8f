#ifndef PERF_DIFF_HISTORY_H
#define PERF_DIFF_HISTORY_H

#include "filters/perf-diff/findings.h"

/* Finds the changes in a history. */
void history_find(struct findings *, struct filter *);

#endif
