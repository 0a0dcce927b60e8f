#ifndef PERF_DIFF_REPORT_H
#define PERF_DIFF_REPORT_H

#include "filters/perf-diff/answer.h"

void report_answer(const struct answer *, struct filter *);

#endif
