#ifndef PERF_DIFF_EMIT_H
#define PERF_DIFF_EMIT_H

#include "filters/perf-diff/results.h"

void emit_answer(const struct results *, struct filter *);

#endif
