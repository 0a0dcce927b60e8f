#ifndef WEIR_REPORT_H
#define WEIR_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * The elements of reports.  Reports are written to a buffer, as records are.
 * Text from logs is escaped.
 */

/* A line with a heading, bold on a terminal unless NO_COLOR is set. */
void report_heading(struct buf *, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* About three digits and a unit: "1h 02m", "3m 05.2s", "12.35 s", "256 ms". */
void report_us(struct buf *, int64_t us);
void report_ns(struct buf *, int64_t ns);	/* "1.25 us" */
void report_bytes(struct buf *, int64_t bytes);	/* "1.4 GiB" */
void report_percent(struct buf *, double ratio);	/* "12.3 %" */

/* Text from a log, escaped. */
void report_text(struct buf *, struct span);

/* A bar of at most `cells` columns: blocks in a UTF-8 locale, or #. */
void report_bar(struct buf *, double ratio, size_t cells);

/* A sparkline: a character for each ratio from 0 to 1. */
void report_spark(struct buf *, const double *ratios, size_t n);

/*
 * A table, with a row of heads unless heads is NULL.  Write each cell to
 * table_cell()'s buffer and call table_next(), or call the functions that do
 * both; rows follow each other.  Where a line is wider than the terminal (100
 * columns if there is none), the last column is shortened in its middle.
 */
struct table {
	const char *align;	/* l or r for each column */
	struct buf text;
	size_t *ends;		/* offsets in text where cells end */
	size_t n, cap;
};

void table_init(struct table *, const char *align, const char *const *heads);
struct buf *table_cell(struct table *);
void table_next(struct table *);
void table_text(struct table *, struct span);	/* escaped */
void table_us(struct table *, int64_t us);
void table_ns(struct table *, int64_t ns);
void table_percent(struct table *, double ratio);
void table_count(struct table *, uint64_t n);

/* Writes the table and releases it. */
void table_print(struct table *, struct buf *to);

#endif
