#ifndef PERF_DIFF_EMIT_H
#define PERF_DIFF_EMIT_H

#include "filters/perf-diff/answer.h"

void emit_answer(const struct answer *, struct filter *);

#endif
