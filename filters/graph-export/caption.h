#pragma once

#include "filters/graph-export/chart.h"

/*
 * The texts of a picture, in plain UTF-8: lines with a newline between them.
 * Names from the input are escaped as text_escape() does, and shortened.
 */

/* What the picture shows: the run, its tasks and its critical path. */
void caption_title(struct buf *, const struct chart *);

/* A node: what it does, its time, and its part of the path. */
void caption_node(struct buf *, const struct chart *, const struct folded *);

/* The nodes that are not shown. */
void caption_more(struct buf *, const struct chart *);

/* From 0 to HEAT_MAX: how much of the time of all tasks a node took. */
enum { HEAT_MAX = 4 };
extern const char *const heat_fills[HEAT_MAX + 1];	/* colors, "#rrggbb" */
unsigned caption_heat(const struct chart *, const struct folded *);

/*
 * The next character of a text at *at, which is moved behind it.  What XML does
 * not allow, and what text_escape() did not change, becomes U+FFFD.
 */
uint32_t caption_char(struct span text, size_t *at);
