#ifndef PERF_DIFF_COMPARE_H
#define PERF_DIFF_COMPARE_H

#include "filters/perf-diff/results.h"

/* Compares the samples of two sides. */
void compare_sides(struct results *);

#endif
