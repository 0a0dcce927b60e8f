/* report - tables, bars, durations and sizes for reports */

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/frame/report.h"

/* In columns of the terminal.  GAP spaces precede each column of a table. */
enum { DEFAULT_WIDTH = 100, WIDTH_MIN = 40, LAST_WIDTH_MIN = 20, GAP = 2 };

static bool
is_utf8_locale(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;

	for (size_t i = 0; i < 3 && (value == NULL || *value == '\0'); i++)
		value = getenv(names[i]);
	return value != NULL && (strstr(value, "UTF-8") != NULL ||
	    strstr(value, "utf8") != NULL);
}

static bool
is_bold_allowed(void)
{
	const char *no_color = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && (no_color == NULL ||
	    *no_color == '\0');
}

static size_t
terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return DEFAULT_WIDTH;
	return size.ws_col < WIDTH_MIN ? WIDTH_MIN : size.ws_col;
}

void
report_heading(struct buf *b, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	buf_printf(b, is_bold_allowed() ? "\033[1m%s\033[0m\n" : "%s\n", text);
}

void
report_us(struct buf *b, int64_t us)
{
	int64_t s;

	if (us < 0) {
		buf_char(b, '-');
		us = -us;
	}
	s = us / 1000000;
	if (us == 0)
		buf_char(b, '0');
	else if (us < 1000)
		buf_printf(b, "%d us", (int)us);
	else if (us < 1000000)
		buf_printf(b, "%d ms", (int)(us / 1000));
	else if (s < 60)
		buf_printf(b, "%.2f s", (double)us / 1e6);
	else if (s < 3600)
		/* Truncates, because rounding could give "60.0s". */
		buf_printf(b, "%dm %04.1fs", (int)(s / 60),
		    (double)(us % 60000000 / 100000) / 10);
	else
		buf_printf(b, "%lldh %02dm %02ds", (long long)(s / 3600),
		    (int)(s / 60 % 60), (int)(s % 60));
}

void
report_ns(struct buf *b, int64_t ns)
{
	int64_t unit = 1000;

	if (ns < 0) {
		buf_char(b, '-');
		ns = -ns;
	}
	if (ns < 1000 || ns >= 1000000000) {
		if (ns > 0 && ns < 1000)
			buf_printf(b, "%d ns", (int)ns);
		else
			report_us(b, ns / 1000);
		return;
	}
	/* From 1 us to 1 s, three digits. */
	if (ns >= 1000000)
		unit = 1000000;
	if (ns < 10 * unit)
		buf_printf(b, "%d.%02d", (int)(ns / unit),
		    (int)(ns % unit * 100 / unit));
	else if (ns < 100 * unit)
		buf_printf(b, "%d.%d", (int)(ns / unit),
		    (int)(ns % unit * 10 / unit));
	else
		buf_i64(b, ns / unit);
	buf_str(b, unit == 1000 ? " us" : " ms");
}

void
report_bytes(struct buf *b, int64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes / 1024;
	size_t unit = 0;

	if (bytes < 1024) {
		buf_printf(b, "%lld B", (long long)bytes);
		return;
	}
	for (; value >= 1024 && unit < 3; unit++)
		value /= 1024;
	buf_printf(b, "%.1f %s", value, units[unit]);
}

void
report_percent(struct buf *b, double ratio)
{
	buf_printf(b, "%.1f %%", ratio * 100);
}

void
report_text(struct buf *b, struct span text)
{
	/* text_escape() writes at most four bytes for each byte. */
	buf_need(b, text.n * 4 + 1);
	b->len += text_escape(b->data + b->len, text.n * 4 + 1, text.p,
	    text.n);
}

void
report_bar(struct buf *b, double ratio, size_t cells)
{
	static const char *const parts[] = { "", "\u258f", "\u258e", "\u258d",
	    "\u258c", "\u258b", "\u258a", "\u2589" };
	size_t eighths = (size_t)(clamp01(ratio) * (double)cells * 8 + 0.5);

	if (!is_utf8_locale()) {
		for (size_t i = 0; i < (eighths + 4) / 8; i++)
			buf_char(b, '#');
		return;
	}
	for (size_t i = 0; i < eighths / 8; i++)
		buf_str(b, "\u2588");
	buf_str(b, parts[eighths % 8]);
}

void
report_spark(struct buf *b, const double *ratios, size_t n)
{
	static const char *const levels[] = { " ", "\u2581", "\u2582",
	    "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const ascii[] = { " ", ".", ".", ":", ":", "=",
	    "=", "#", "#" };
	bool utf8 = is_utf8_locale();
	size_t level;

	for (size_t i = 0; i < n; i++) {
		level = (size_t)(clamp01(ratios[i]) * 8 + 0.5);
		if (level == 0 && ratios[i] > 0)
			level = 1;
		buf_str(b, utf8 ? levels[level] : ascii[level]);
	}
}

void
table_init(struct table *t, const char *align, const char *const *heads)
{
	*t = (struct table){ .align = align };
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
table_ns(struct table *t, int64_t ns)
{
	report_ns(&t->text, ns);
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

static struct span
cell_of(const struct table *t, size_t i)
{
	size_t from = i == 0 ? 0 : t->ends[i - 1];

	return span_of(t->text.data + from, t->ends[i] - from);
}

/* The number of bytes that the first `columns` characters of a text take. */
static size_t
bytes_of_columns(struct span s, size_t columns)
{
	uint32_t code;
	size_t n = 0;

	for (size_t i = 0; i < columns && n < s.n; i++)
		n += utf8_char(s.p + n, s.n - n, &code);
	return n;
}

/*
 * Elides the middle of a text, because names usually differ at the beginning or
 * at the end.
 */
static void
put_shortened(struct buf *to, struct span s, size_t columns)
{
	static const char dots[] = "..";
	size_t length = text_columns(s.p, s.n), kept, head, tail;

	if (length <= columns) {
		buf_add(to, s.p, s.n);
		return;
	}
	kept = columns - strlen(dots);
	head = kept / 2;
	tail = bytes_of_columns(s, length - (kept - head));
	buf_add(to, s.p, bytes_of_columns(s, head));
	buf_str(to, dots);
	buf_add(to, s.p + tail, s.n - tail);
}

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
put_last_cell(struct buf *to, struct span s, size_t columns)
{
	size_t n = first_part(s), second_width = columns / 2;
	struct span first = span_of(s.p, n), second;

	if (n == s.n || text_columns(s.p, s.n) <= columns) {
		put_shortened(to, s, columns);
		return;
	}
	second = span_of(s.p + n + GAP, s.n - n - GAP);
	columns -= GAP;
	if (text_columns(first.p, first.n) < columns - second_width)
		second_width = columns - text_columns(first.p, first.n);
	if (text_columns(second.p, second.n) < second_width)
		second_width = text_columns(second.p, second.n);
	put_shortened(to, first, columns - second_width);
	put_spaces(to, GAP);
	put_shortened(to, second, second_width);
}

/* Elides the beginning of a name, because names of files differ at the end. */
static void
put_end(struct buf *to, struct span s, size_t columns)
{
	static const char dots[] = "...";
	size_t length = text_columns(s.p, s.n), skipped;

	if (length <= columns) {
		buf_add(to, s.p, s.n);
		return;
	}
	buf_str(to, dots);
	skipped = bytes_of_columns(s, length - (columns - strlen(dots)));
	buf_add(to, s.p + skipped, s.n - skipped);
}

/*
 * Writes a cell with a name in at most `columns` columns.  The name gets what
 * the texts before and after it leave, but at least half of the columns.
 */
static void
put_named_cell(struct buf *to, struct span cell, struct span name,
    size_t columns)
{
	struct span before = span_of(cell.p, (size_t)(name.p - cell.p));
	struct span after = span_of(name.p + name.n,
	    cell.n - before.n - name.n);
	size_t n_before = text_columns(before.p, before.n);
	size_t n_after = text_columns(after.p, after.n);
	size_t n_name = text_columns(name.p, name.n), rest;

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
	put_shortened(to, before, n_before);
	put_end(to, name, n_name);
	put_shortened(to, after, n_after);
}

/* Writes the cell with the index i, which is in the last column. */
static void
put_last(struct table *t, size_t i, size_t columns, struct buf *to)
{
	const struct table_name *name = &t->names[t->n_printed_names];

	if (t->n_printed_names == t->n_names || name->cell != i) {
		put_last_cell(to, cell_of(t, i), columns);
		return;
	}
	t->n_printed_names++;
	put_named_cell(to, cell_of(t, i), span_of(t->text.data + name->from,
	    name->end - name->from), columns);
}

/* Writes the row whose first cell has the index `first`. */
static void
put_row(struct table *t, size_t first, const size_t *widths,
    size_t n_columns, size_t last_width, struct buf *to)
{
	struct span s;
	size_t pad;

	for (size_t c = 0; c < n_columns; c++) {
		s = cell_of(t, first + c);
		put_spaces(to, GAP);
		pad = widths[c] - text_columns(s.p, s.n);
		if (t->align[c] == 'r' &&
		    (c + 1 < n_columns || widths[c] <= last_width))
			put_spaces(to, pad);
		if (c + 1 == n_columns) {
			put_last(t, first + c, last_width, to);
			break;
		}
		buf_add(to, s.p, s.n);
		if (t->align[c] != 'r')
			put_spaces(to, pad);
	}
	while (to->data[to->len - 1] == ' ')
		to->len--;
	buf_char(to, '\n');
}

void
table_print(struct table *t, struct buf *to)
{
	size_t n_columns = strlen(t->align), used = 0, last_width, width;
	size_t *widths = mem_zero(n_columns, sizeof *widths);
	struct span s;

	for (size_t i = 0; i < t->n; i++) {
		s = cell_of(t, i);
		width = text_columns(s.p, s.n);
		if (width > widths[i % n_columns])
			widths[i % n_columns] = width;
	}
	for (size_t c = 0; c + 1 < n_columns; c++)
		used += widths[c] + GAP;
	width = terminal_width();
	last_width = width > used + GAP + LAST_WIDTH_MIN ?
	    width - used - GAP : LAST_WIDTH_MIN;
	for (size_t i = 0; i + n_columns <= t->n; i += n_columns)
		put_row(t, i, widths, n_columns, last_width, to);
	free(widths);
	free(t->ends);
	free(t->names);
	buf_release(&t->text);
}
