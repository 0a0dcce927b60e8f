#pragma once

#include "filters/perf-diff/results.h"

void report_answer(const struct results *, struct filter *);
