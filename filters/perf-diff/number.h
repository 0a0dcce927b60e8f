#ifndef PERF_DIFF_NUMBER_H
#define PERF_DIFF_NUMBER_H

#include <stdbool.h>

#include "common/base/text.h"

/*
 * Reads a JSON number as the nearest double, infinite if it is too great.
 * False if the text is not a number.
 */
bool number_read(struct span, double *);

#endif
