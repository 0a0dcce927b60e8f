#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * A table of a report, with a row of column headings unless heads is NULL.
 * Fill it cell by cell, row after row: write a cell to the buffer that
 * table_cell() returns and call table_next(), or call one of the functions that
 * do both.
 *
 * A table that is wider than the report (style.h) is narrowed in this order
 * until it fits: bars become shorter and disappear, as long as the last column
 * is narrower than BAR_ROOM; columns that are not needed disappear, from the
 * right, as long as it is narrower than last_min; then those that are needed.
 *
 * The last column is what the rows are about.  What is too wide in it is
 * shortened in its middle.  If two spaces separate two parts of such a cell,
 * each part is shortened by itself, and the spaces are kept.  A name in it is
 * shortened at its beginning instead, because names of files differ at the end:
 * see table_name().
 */
struct table {
	const char *align;	/* for each column, to the left or right: L or
				   R; l or r if it is not needed; borrowed */
	size_t last_min;	/* 20 columns; the caller may change it */
	bool marks_bars;	/* in colour on a terminal; false */
	/* Adds the first part of a cell of the last column in at most n cells;
	   NULL: shortened in its middle. */
	void (*shorten)(struct buf *, struct span, size_t n);

	/* Private to table.c. */
	struct buf text;
	size_t *ends;		/* offsets in text where the n cells end */
	size_t n, cap;
	bool has_heads;
	uint32_t bars;		/* a bit for each column of bars, whose cells
				   are empty or ratios: a double each */
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
void table_percent(struct table *, double ratio);
void table_count(struct table *, uint64_t n);

/* Writes a bar of a ratio from 0 to 1; all cells of its column are bars. */
void table_bar(struct table *, double ratio);

/* Writes the table and releases it. */
void table_print(struct table *, struct buf *to);
