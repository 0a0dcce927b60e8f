#pragma once

#include <stddef.h>

struct buf;
struct pictures;

/*
 * Writes the pictures as one SVG element, one below the other on one scale of
 * time, with about bars_max bars at most: what is narrower is merged until
 * there are not more.
 */
void svg_put(struct buf *, const struct pictures *, size_t bars_max);
