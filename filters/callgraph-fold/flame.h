#pragma once

#include "filters/callgraph-fold/formats.h"

/* A flame graph (flame.c). */
void put_svg(struct filter *, const struct stacks *, unsigned measure);
