#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Writes the elements of a report, which is text for people, to a buffer: as
 * text whose lines are at most style.width wide, or as Markdown (style.h).
 * Tables are in table.h.
 */

/*
 * A heading on lines of its own, bold on a terminal.  A newline at the
 * beginning of fmt leaves an empty line before it.
 */
void report_heading(struct buf *, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * End a sentence, or an item of a list: what has been appended to the buffer
 * since it had the length `from`, and does not end with a newline.  Lines are
 * wrapped at words.  An item of depth 1 is indented by two columns, and one of
 * depth 2, which belongs to the item before, by four.
 */
void report_sentence(struct buf *, size_t from);
void report_item(struct buf *, size_t from, size_t depth);

/* The same for what has failed, or is over budget: red on a terminal. */
void report_failed_sentence(struct buf *, size_t from);
void report_failed_item(struct buf *, size_t from);

/* "... and 3 more" and rest, as an item; nothing if n is 0. */
void report_more(struct buf *, uint64_t n, const char *rest);

/* An empty line. */
void report_blank(struct buf *);

/* A sentence after an empty line. */
void report_note(struct buf *, const char *text);
