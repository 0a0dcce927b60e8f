#ifndef PERF_DIFF_SVG_H
#define PERF_DIFF_SVG_H

#include "filters/perf-diff/results.h"

void svg_draw(const struct results *, struct filter *);

#endif
