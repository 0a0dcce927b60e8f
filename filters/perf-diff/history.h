#ifndef PERF_DIFF_HISTORY_H
#define PERF_DIFF_HISTORY_H

#include "filters/perf-diff/results.h"

/* Finds the changes in a history. */
void history_find(struct results *, struct filter *);

#endif
