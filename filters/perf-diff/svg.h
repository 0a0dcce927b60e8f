#pragma once

#include "filters/perf-diff/results.h"

void svg_draw(const struct results *, struct filter *);
