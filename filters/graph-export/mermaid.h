#ifndef GRAPH_EXPORT_MERMAID_H
#define GRAPH_EXPORT_MERMAID_H

#include "filters/graph-export/formats.h"

/* A flowchart of Mermaid (mermaid.c). */
void mermaid_put(struct buf *, const struct chart *);

#endif
