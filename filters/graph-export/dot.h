#pragma once

#include "filters/graph-export/formats.h"

/* DOT, the language of graphviz (dot.c). */
void dot_put(struct buf *, const struct chart *);
