#ifndef WEIR_REPORT_H
#define WEIR_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Writes the elements of a report, which is text for people, to a buffer.
 */

/* A heading on a line of its own, bold on a terminal unless NO_COLOR is set. */
void report_heading(struct buf *, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A duration: "1h 02m 05s", "3m 05.2s", "12.35 s", "256 ms", "81 us" or "0". */
void report_us(struct buf *, int64_t us);
void report_ns(struct buf *, int64_t ns);	/* "1.25 us" */
void report_bytes(struct buf *, int64_t bytes);	/* "1.4 GiB" */
void report_percent(struct buf *, double ratio);	/* "12.3 %" */

/* Text from an input, escaped so that it cannot control the terminal. */
void report_text(struct buf *, struct span);

/*
 * A bar of ratio (0 to 1) times `cells` columns: block characters in a UTF-8
 * locale, otherwise #.
 */
void report_bar(struct buf *, double ratio, size_t cells);

/* A sparkline: a character for each ratio from 0 to 1. */
void report_spark(struct buf *, const double *ratios, size_t n);

/*
 * A table, with a row of column headings unless heads is NULL.  Fill it cell by
 * cell, row after row: write a cell to the buffer that table_cell() returns and
 * call table_next(), or call one of the functions that do both.  If a line is
 * wider than the terminal (100 columns if there is none), the cell in the last
 * column is shortened in its middle, to 20 columns at the least.  If two spaces
 * separate two parts of that cell, each part is shortened by itself if it is
 * too long, and the spaces are kept.  A name in it is shortened at its
 * beginning instead, because names of files differ at the end: see
 * table_name().
 */
struct table {
	const char *align;	/* l or r for each column; borrowed */
	struct buf text;
	size_t *ends;		/* offsets in text where the n cells end */
	size_t n, cap;
	struct table_name {
		size_t cell;	/* the index of its cell */
		size_t from, end;	/* offsets in text */
	} *names;
	size_t n_names, names_cap;
	size_t n_printed_names;	/* of them, while the table is printed */
};

void table_init(struct table *, const char *align, const char *const *heads);
struct buf *table_cell(struct table *);
void table_next(struct table *);
void table_text(struct table *, struct span);	/* escaped */

/*
 * Writes a cell of the last column with a name, the bytes from `from` to `end`
 * of the text: "CC lib/main.o on ash-1".  If the cell is too wide, the name
 * loses its beginning, "CC ...b/main.o on ash-1", and the rest is kept unless
 * the name would get less than half of the width.
 */
void table_name(struct table *, struct span text, size_t from, size_t end);
void table_us(struct table *, int64_t us);
void table_ns(struct table *, int64_t ns);
void table_percent(struct table *, double ratio);
void table_count(struct table *, uint64_t n);

/* Writes the table and releases it. */
void table_print(struct table *, struct buf *to);

#endif
