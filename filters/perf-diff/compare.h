#pragma once

#include "filters/perf-diff/results.h"

/* Compares the samples of two sides. */
void compare_sides(struct results *);
