#pragma once

#include <stdint.h>

struct buf;
struct picture;
struct pictures;

/*
 * Draws how many tasks ran at each time, stacked by color: from left to right
 * in tenths of a pixel, and `height` high for the most that ran at once.
 */
void strip_put(struct buf *, const struct pictures *, const struct picture *,
    int64_t left, int64_t top, int64_t right, int64_t height);
