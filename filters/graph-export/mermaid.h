#pragma once

#include "filters/graph-export/formats.h"

/* A flowchart of Mermaid (mermaid.c). */
void mermaid_put(struct buf *, const struct chart *);
