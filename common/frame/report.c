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

/* In columns of the terminal.  GAP precedes each column of a table. */
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

/* Writes the row whose first cell is `first`. */
static void
put_row(const struct table *t, size_t first, const size_t *widths,
    size_t columns, size_t last_width, struct buf *to)
{
	struct span s;
	size_t pad;

	for (size_t c = 0; c < columns; c++) {
		s = cell_of(t, first + c);
		put_spaces(to, GAP);
		if (c + 1 == columns) {
			put_shortened(to, s, last_width);
			break;
		}
		pad = widths[c] - text_columns(s.p, s.n);
		if (t->align[c] == 'r')
			put_spaces(to, pad);
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
	size_t columns = strlen(t->align), used = 0, last_width, width;
	size_t *widths = mem_zero(columns, sizeof *widths);
	struct span s;

	for (size_t i = 0; i < t->n; i++) {
		s = cell_of(t, i);
		width = text_columns(s.p, s.n);
		if (width > widths[i % columns])
			widths[i % columns] = width;
	}
	for (size_t c = 0; c + 1 < columns; c++)
		used += widths[c] + GAP;
	width = terminal_width();
	last_width = width > used + GAP + LAST_WIDTH_MIN ?
	    width - used - GAP : LAST_WIDTH_MIN;
	for (size_t i = 0; i + columns <= t->n; i += columns)
		put_row(t, i, widths, columns, last_width, to);
	free(widths);
	free(t->ends);
	buf_release(&t->text);
}
