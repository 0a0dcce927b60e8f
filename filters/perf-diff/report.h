#ifndef PERF_DIFF_REPORT_H
#define PERF_DIFF_REPORT_H

#include "filters/perf-diff/results.h"

void report_answer(const struct results *, struct filter *);

#endif
