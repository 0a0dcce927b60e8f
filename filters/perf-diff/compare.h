#ifndef PERF_DIFF_COMPARE_H
#define PERF_DIFF_COMPARE_H

#include "filters/perf-diff/findings.h"

/* Compares the samples of two sides. */
void compare_sides(struct findings *);

#endif
