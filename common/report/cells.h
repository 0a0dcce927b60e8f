#pragma once

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * The cells that text takes on a terminal: two for a wide character, such as
 * those of Chinese, none for a combining one, otherwise one.  Text must be
 * valid UTF-8 without control characters, as text_escape() writes it.
 */
size_t cells_width(struct span);

/*
 * The length in bytes of the longest beginning, and of the longest end, of a
 * text that takes at most n cells.  They do not divide a character from those
 * that combine with it.
 */
size_t cells_head(struct span, size_t n);
size_t cells_tail(struct span, size_t n);

/*
 * Add a text in at most n cells.  If it is wider, two dots replace its middle,
 * or three its beginning.
 */
void cells_put(struct buf *, struct span, size_t n);
void cells_put_end(struct buf *, struct span, size_t n);
