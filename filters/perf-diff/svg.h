#ifndef PERF_DIFF_SVG_H
#define PERF_DIFF_SVG_H

#include "filters/perf-diff/findings.h"

void svg_draw(const struct findings *, struct filter *);

#endif
