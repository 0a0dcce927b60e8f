#ifndef PERF_DIFF_SVG_H
#define PERF_DIFF_SVG_H

#include "filters/perf-diff/answer.h"

void svg_draw(const struct answer *, struct filter *);

#endif
