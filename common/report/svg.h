#pragma once

#include <stdint.h>

#include "common/base/buf.h"

/*
 * Elements of pictures in SVG.  Lengths are in tenths of a pixel, which is how
 * they are written, so that the bytes do not depend on how the processor
 * rounds.
 */

/*
 * Colors that people with any kind of color blindness can distinguish (Okabe
 * and Ito, "Color Universal Design").  Black text can be read on all of them
 * but SVG_BLUE.
 */
enum { SVG_ORANGE = 0xe69f00, SVG_SKY = 0x56b4e9, SVG_GREEN = 0x009e73,
    SVG_YELLOW = 0xf0e442, SVG_BLUE = 0x0072b2, SVG_VERMILION = 0xd55e00,
    SVG_PURPLE = 0xcc79a7, SVG_GRAY = 0x999999 };

/* Write a length, and ' NAME="LENGTH"', in pixels.  It is not negative. */
void svg_length(struct buf *, int64_t tenths);
void svg_number(struct buf *, const char *name, int64_t tenths);

/* Begins a rect element: the caller adds attributes and "/>". */
void svg_rect(struct buf *, int64_t x, int64_t y, int64_t width,
    int64_t height);

/*
 * Begins a text element with these attributes, "" or " NAME=..."; the caller
 * adds the text and "</text>".
 */
void svg_text(struct buf *, int64_t x, int64_t y, const char *attributes);
