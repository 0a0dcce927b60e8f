#ifndef PERF_DIFF_EMIT_H
#define PERF_DIFF_EMIT_H

#include "filters/perf-diff/findings.h"

void emit_answer(const struct findings *, struct filter *);

#endif
