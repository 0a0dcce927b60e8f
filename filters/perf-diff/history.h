#pragma once

#include "filters/perf-diff/results.h"

/* Finds the changes in a history. */
void history_find(struct results *, struct filter *);
