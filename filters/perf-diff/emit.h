#pragma once

#include "filters/perf-diff/results.h"

void emit_answer(const struct results *, struct filter *);
