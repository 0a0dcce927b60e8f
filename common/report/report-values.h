#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/* Writes the values in a report, in the form that people read, to a buffer. */

/* "1 call", "2 calls". */
void report_count(struct buf *, uint64_t n, const char *one, const char *many);

/* A duration: "1h 02m 05s", "3m 05.2s", "12.35 s", "256 ms", "2.7 ms", "81 us"
   or "0". */
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
