#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

struct buf;

/*
 * Writes a text element (svg.h), escaped, with its left end and its baseline.
 * If it is wider than `room` cells (cells.h), its end is replaced by an
 * ellipsis; nothing is written if fewer than 6 cells would be left.
 */
void svg_label(struct buf *, struct span, int64_t x, int64_t y, size_t room);
