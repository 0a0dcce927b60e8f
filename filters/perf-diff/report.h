#ifndef PERF_DIFF_REPORT_H
#define PERF_DIFF_REPORT_H

#include "filters/perf-diff/findings.h"

void report_answer(const struct findings *, struct filter *);

#endif
