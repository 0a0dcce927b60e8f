#ifndef WEIR_REPORT_H
#define WEIR_REPORT_H

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

/* "1 call", "2 calls". */
void report_count(struct buf *, uint64_t n, const char *one, const char *many);

/* A duration: "1h 02m 05s", "3m 05.2s", "12.35 s", "256 ms", "81 us" or "0". */
void report_us(struct buf *, int64_t us);
void report_ns(struct buf *, int64_t ns);	/* "1.25 us" */
void report_bytes(struct buf *, int64_t bytes);	/* "1.4 GiB" */
void report_percent(struct buf *, double ratio);	/* "12.3 %" */

/*
 * Text from an input, escaped so that it cannot control the terminal.  In
 * Markdown it is a code span, in which nothing is a link, a mention or HTML:
 * between two of them must be other text.
 */
void report_text(struct buf *, struct span);

/*
 * A bar of ratio (0 to 1) times `cells` columns: block characters in a UTF-8
 * locale, otherwise #.
 */
void report_bar(struct buf *, double ratio, size_t cells);

/* A sparkline: a character for each ratio from 0 to 1. */
void report_spark(struct buf *, const double *ratios, size_t n);

#endif
