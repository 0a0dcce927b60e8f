/* table - tables of reports, narrowed until they fit */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/report/cells.h"
#include "common/report/report-values.h"
#include "common/report/report.h"
#include "common/report/style.h"
#include "common/report/table.h"

/* In cells of the terminal.  GAP spaces precede each column. */
enum { GAP = 2, BAR_MIN = 4, BAR_MAX = 12, BAR_ROOM = 32, LAST_MIN = 20 };

#define CYAN "\033[36m"
#define NORMAL "\033[0m"

void
table_init(struct table *t, const char *align, const char *const *heads)
{
	*t = (struct table){ .align = align, .last_min = LAST_MIN,
	    .has_heads = heads != NULL };
	for (size_t i = 0; heads != NULL && align[i] != '\0'; i++) {
		buf_str(&t->text, heads[i]);
		table_next(t);
	}
}

struct buf *
table_cell(struct table *t)
{
	return &t->text;
}

void
table_next(struct table *t)
{
	t->ends = mem_grow(t->ends, &t->cap, t->n + 1, sizeof *t->ends);
	t->ends[t->n++] = t->text.len;
}

void
table_text(struct table *t, struct span text)
{
	report_text(&t->text, text);
	table_next(t);
}

void
table_name(struct table *t, struct span text, size_t from, size_t end)
{
	struct table_name *name;

	if (style.markdown) {
		table_text(t, text);
		return;
	}
	t->names = mem_grow(t->names, &t->names_cap, t->n_names + 1,
	    sizeof *t->names);
	name = &t->names[t->n_names++];
	name->cell = t->n;
	report_text(&t->text, span_of(text.p, from));
	name->from = t->text.len;
	report_text(&t->text, span_of(text.p + from, end - from));
	name->end = t->text.len;
	report_text(&t->text, span_of(text.p + end, text.n - end));
	table_next(t);
}

void
table_us(struct table *t, int64_t us)
{
	report_us(&t->text, us);
	table_next(t);
}

void
table_percent(struct table *t, double ratio)
{
	report_percent(&t->text, ratio);
	table_next(t);
}

void
table_count(struct table *t, uint64_t n)
{
	buf_u64(&t->text, n);
	table_next(t);
}

void
table_bar(struct table *t, double ratio)
{
	t->bars |= 1U << t->n % strlen(t->align);
	buf_add(&t->text, (const char *)&ratio, sizeof ratio);
	table_next(t);
}

static struct span
cell_of(const struct table *t, size_t i)
{
	size_t from = i == 0 ? 0 : t->ends[i - 1];

	return span_of(t->text.data + from, t->ends[i] - from);
}

static bool
is_bar(const struct table *t, size_t column)
{
	return (t->bars >> column & 1) != 0;
}

static bool
is_right(const struct table *t, size_t column)
{
	return t->align[column] == 'r' || t->align[column] == 'R';
}

/* --- the widths of the columns -------------------------------------------- */

struct layout {
	size_t n_columns;
	size_t *widths;		/* of the columns; 0: not shown */
	size_t bar_cells;	/* of a bar of the ratio 1 */
};

static void
put_bar(struct span cell, size_t cells, struct buf *to)
{
	double ratio;

	if (cell.n != sizeof ratio)
		return;
	memcpy(&ratio, cell.p, sizeof ratio);
	report_bar(to, ratio, cells);
}

static void
measure(const struct table *t, struct layout *l)
{
	struct buf bar = { 0 };
	size_t width, c;

	memset(l->widths, 0, l->n_columns * sizeof *l->widths);
	for (size_t i = 0; i < t->n; i++) {
		c = i % l->n_columns;
		bar.len = 0;
		if (is_bar(t, c))
			put_bar(cell_of(t, i), l->bar_cells, &bar);
		width = cells_width(is_bar(t, c) ? buf_span(&bar) :
		    cell_of(t, i));
		if (width > l->widths[c])
			l->widths[c] = width;
	}
	buf_release(&bar);
}

/* How wide the table is if the last column has no more than `last` cells. */
static size_t
total_width(const struct layout *l, size_t last)
{
	size_t total = 0, width;

	for (size_t c = 0; c < l->n_columns; c++) {
		width = l->widths[c];
		if (c + 1 == l->n_columns && width > last)
			width = last;
		total += width > 0 ? width + GAP : 0;
	}
	return total;
}

/* Removes columns that are needed, or only others, but not the last one. */
static void
remove_columns(const struct table *t, struct layout *l, bool needed)
{
	for (size_t c = l->n_columns - 1; c-- > 0;)
		if (total_width(l, t->last_min) > style.width && (needed ||
		    t->align[c] == 'l' || t->align[c] == 'r'))
			l->widths[c] = 0;
}

static void
make_layout(const struct table *t, struct layout *l)
{
	size_t last, others;

	l->n_columns = strlen(t->align);
	l->widths = mem_zero(l->n_columns, sizeof *l->widths);
	l->bar_cells = BAR_MAX;
	measure(t, l);
	last = l->n_columns - 1;

	while (total_width(l, BAR_ROOM) > style.width && t->bars != 0) {
		if (l->bar_cells > BAR_MIN) {
			l->bar_cells--;
			measure(t, l);
			continue;
		}
		for (size_t c = 0; c < l->n_columns; c++)
			l->widths[c] = is_bar(t, c) ? 0 : l->widths[c];
		break;
	}

	remove_columns(t, l, false);
	remove_columns(t, l, true);
	others = total_width(l, 0);
	/* total_width() counts the gap before the last column. */
	if (l->widths[last] > 0 && l->widths[last] > style.width - others - GAP)
		l->widths[last] = style.width - others - GAP;
}

/* --- cells ---------------------------------------------------------------- */

static void
put_spaces(struct buf *to, size_t n)
{
	while (n-- > 0)
		buf_char(to, ' ');
}

/*
 * The length in bytes of the first part of a cell such as "main  main.c:7",
 * which ends before the last two adjacent spaces.  A cell without them has one
 * part.
 */
static size_t
first_part(struct span s)
{
	for (size_t i = s.n; i-- > GAP;)
		if (s.p[i - 1] == ' ' && s.p[i - 2] == ' ')
			return i - GAP;
	return s.n;
}

/*
 * Writes a cell in at most `columns` columns of the terminal, and keeps the gap
 * between its two parts.  The second part gets half of the columns, or more if
 * the first part leaves more.
 */
static void
put_parts(const struct table *t, struct buf *to, struct span s,
    size_t columns)
{
	void (*put_first)(struct buf *, struct span, size_t) =
	    t->shorten != NULL ? t->shorten : cells_put;
	size_t n = first_part(s), second_width = columns / 2;
	struct span first = span_of(s.p, n), second;

	if (cells_width(s) <= columns) {
		buf_add(to, s.p, s.n);
		return;
	}
	if (n == s.n) {
		put_first(to, s, columns);
		return;
	}
	second = span_of(s.p + n + GAP, s.n - n - GAP);
	columns -= GAP;
	if (cells_width(first) < columns - second_width)
		second_width = columns - cells_width(first);
	if (cells_width(second) < second_width)
		second_width = cells_width(second);
	put_first(to, first, columns - second_width);
	put_spaces(to, GAP);
	cells_put(to, second, second_width);
}

/*
 * Writes a cell with a name in at most `columns` columns.  The name gets what
 * the texts before and after it leave, but at least half of the columns.
 */
static void
put_named(struct buf *to, struct span cell, struct span name, size_t columns)
{
	struct span before = span_of(cell.p, (size_t)(name.p - cell.p));
	struct span after = span_of(name.p + name.n,
	    cell.n - before.n - name.n);
	size_t n_before = cells_width(before), n_after = cells_width(after);
	size_t n_name = cells_width(name), rest;

	if (n_before + n_name + n_after > columns) {
		rest = n_before + n_after < columns - columns / 2 ?
		    n_before + n_after : columns - columns / 2;
		if (n_name > columns - rest)
			n_name = columns - rest;
		rest = columns - n_name;
		if (n_before > rest / 2)
			n_before = n_after < rest - rest / 2 ?
			    rest - n_after : rest / 2;
		if (n_after > rest - n_before)
			n_after = rest - n_before;
	}
	cells_put(to, before, n_before);
	cells_put_end(to, name, n_name);
	cells_put(to, after, n_after);
}

/* Writes the cell with the index i, without the spaces around it. */
static void
put_cell(struct table *t, size_t i, const struct layout *l, struct buf *to)
{
	const struct table_name *name = &t->names[t->n_printed_names];
	struct span cell = cell_of(t, i);
	size_t c = i % l->n_columns;

	if (is_bar(t, c)) {
		put_bar(cell, l->bar_cells, to);
	} else if (c + 1 < l->n_columns) {
		buf_add(to, cell.p, cell.n);
	} else if (t->n_printed_names < t->n_names && name->cell == i) {
		t->n_printed_names++;
		put_named(to, cell, span_of(t->text.data + name->from,
		    name->end - name->from), l->widths[c]);
	} else if (t->has_heads && i < l->n_columns) {
		cells_put(to, cell, l->widths[c]);
	} else {
		put_parts(t, to, cell, l->widths[c]);
	}
}

/* Writes the row whose first cell has the index `first`. */
static void
put_row(struct table *t, size_t first, const struct layout *l, struct buf *to)
{
	size_t n_spaces = 0, pad;
	struct buf text = { 0 };
	bool is_coloured;

	for (size_t c = 0; c < l->n_columns; c++) {
		if (l->widths[c] == 0)
			continue;
		text.len = 0;
		put_cell(t, first + c, l, &text);
		pad = l->widths[c] - cells_width(buf_span(&text));
		n_spaces += GAP + (is_right(t, c) ? pad : 0);
		is_coloured = style.has_colour && t->marks_bars && is_bar(t, c);
		if (text.len > 0) {
			put_spaces(to, n_spaces);
			n_spaces = 0;
			buf_str(to, is_coloured ? CYAN : "");
			buf_add(to, text.data, text.len);
			buf_str(to, is_coloured ? NORMAL : "");
		}
		n_spaces += is_right(t, c) ? 0 : pad;
	}
	buf_char(to, '\n');
	buf_release(&text);
}

/* --- Markdown ------------------------------------------------------------- */

static void
put_markdown_row(const struct table *t, size_t first, const struct layout *l,
    struct buf *to)
{
	struct span s;

	for (size_t c = 0; c < l->n_columns; c++) {
		if (is_bar(t, c))
			continue;
		buf_str(to, "| ");
		s = cell_of(t, first + c);
		for (size_t i = 0; i < s.n; i++) {
			if (s.p[i] == '|')
				buf_char(to, '\\');
			buf_char(to, s.p[i]);
		}
		buf_char(to, ' ');
	}
	buf_str(to, "|\n");
}

/* A table of Markdown has a row of headings, which may be empty. */
static void
put_markdown(const struct table *t, struct buf *to)
{
	struct layout l = { .n_columns = strlen(t->align) };
	size_t first = t->has_heads ? l.n_columns : 0;

	if (t->n == first)
		return;
	if (to->len > 0)	/* rows after an item would be its text */
		report_blank(to);
	if (t->has_heads)
		put_markdown_row(t, 0, &l, to);
	else
		for (size_t c = 0; c < l.n_columns; c++)
			buf_str(to, is_bar(t, c) ? "" : "| ");
	buf_str(to, t->has_heads ? "" : "|\n");
	for (size_t c = 0; c < l.n_columns; c++)
		buf_str(to, is_bar(t, c) ? "" : is_right(t, c) ? "| --: " :
		    "| :-- ");
	buf_str(to, "|\n");
	for (; first + l.n_columns <= t->n; first += l.n_columns)
		put_markdown_row(t, first, &l, to);
	buf_char(to, '\n');
}

void
table_print(struct table *t, struct buf *to)
{
	struct layout l;

	if (style.markdown) {
		put_markdown(t, to);
	} else {
		make_layout(t, &l);
		for (size_t i = 0; i + l.n_columns <= t->n; i += l.n_columns)
			put_row(t, i, &l, to);
		free(l.widths);
	}
	free(t->ends);
	free(t->names);
	buf_release(&t->text);
}
