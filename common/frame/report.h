#ifndef WEIR_REPORT_H
#define WEIR_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * What the reports for people are made of.  They go to a buffer like records
 * do.  Text from logs is escaped on the way.
 */

/* A heading, bold on a terminal (unless NO_COLOR is set), and a new line. */
void report_heading(struct buf *, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Three or so digits and a unit: "1h 02m", "3m 05.2s", "12.35 s", "256 ms". */
void report_us(struct buf *, int64_t us);
void report_ns(struct buf *, int64_t ns);	/* "1.25 us" */
void report_bytes(struct buf *, int64_t bytes);	/* "1.4 GiB" */
void report_percent(struct buf *, double ratio);	/* "12.3 %" */

/* Text from a log, escaped. */
void report_text(struct buf *, struct span);

/* A bar of at most cells columns; blocks where the locale is UTF-8. */
void report_bar(struct buf *, double ratio, size_t cells);

/* One character for each ratio in 0 .. 1: a graph in a line. */
void report_spark(struct buf *, const double *ratios, size_t n);

/*
 * A table, with a row of heads unless heads is NULL: build a cell in
 * table_cell()'s buffer, then go on to the next; a row is full when every
 * column has its cell.  The last column is cut in the middle where the line
 * would not fit the terminal (100 columns elsewhere).
 */
struct table {
	const char *align;	/* a letter for each column: l or r */
	struct buf text;
	size_t *ends;		/* of the cells, in text */
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
void table_print(struct table *, struct buf *to);	/* and releases it */

#endif
