/* report-values - counts, durations, sizes, text and bars of reports */

#define _GNU_SOURCE	/* strcasestr() */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/report/report-values.h"
#include "common/report/style.h"

void
report_count(struct buf *b, uint64_t n, const char *one, const char *many)
{
	buf_u64(b, n);
	buf_char(b, ' ');
	buf_str(b, plural(n, one, many));
}

/* The number of units in a value of at least 0, rounded to the nearest. */
static int64_t
in_units(int64_t value, int64_t unit)
{
	return value / unit + (value % unit >= unit - value % unit);
}

void
report_us(struct buf *b, int64_t us)
{
	int64_t tenths, s;

	if (us < 0) {
		buf_char(b, '-');
		us = -us;
	}
	tenths = in_units(us, 100000);
	s = in_units(us, 1000000);
	/* Each limit is where a time is rounded to one of the next unit. */
	if (us == 0)
		buf_char(b, '0');
	else if (us < 1000)
		buf_printf(b, "%d us", (int)us);
	else if (us < 9950)
		buf_printf(b, "%.1f ms", (double)in_units(us, 100) / 10);
	else if (us < 999500)
		buf_printf(b, "%d ms", (int)in_units(us, 1000));
	else if (us < 59995000)
		buf_printf(b, "%.2f s", (double)in_units(us, 10000) / 100);
	else if (tenths < 36000)
		buf_printf(b, "%dm %04.1fs", (int)(tenths / 600),
		    (double)(tenths % 600) / 10);
	else
		buf_printf(b, "%lldh %02dm %02ds", (long long)(s / 3600),
		    (int)(s / 60 % 60), (int)(s % 60));
}

void
report_ns(struct buf *b, int64_t ns)
{
	static const char *const units[] = { "us", "ms" };
	double value;

	if (ns < 0) {
		buf_char(b, '-');
		ns = -ns;
	}
	if (ns > 0 && ns < 1000) {
		buf_printf(b, "%d ns", (int)ns);
		return;
	}
	/* Three digits. */
	value = (double)ns / 1e3;
	for (size_t i = 0; i < 2 && ns > 0; i++, value /= 1e3)
		if (value < 999.5) {
			buf_printf(b, "%.*f %s", value < 9.995 ? 2 :
			    value < 99.95 ? 1 : 0, value, units[i]);
			return;
		}
	report_us(b, in_units(ns, 1000));
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

static void
put_escaped(struct buf *b, struct span text)
{
	/* text_escape() writes at most four bytes for each byte. */
	buf_need(b, text.n * 4 + 1);
	b->len += text_escape(b->data + b->len, text.n * 4 + 1, text.p,
	    text.n);
}

static void
put_backticks(struct buf *b, size_t n)
{
	while (n-- > 0)
		buf_char(b, '`');
}

/*
 * A code span of Markdown begins and ends with more backticks than are in it.
 * One space at either end does not belong to it.
 */
static void
put_code(struct buf *b, struct span text)
{
	size_t n = 0, longest = 0;	/* adjacent backticks */
	bool is_padded = text.n > 0 && (strchr("` ", *text.p) != NULL ||
	    strchr("` ", text.p[text.n - 1]) != NULL);

	if (text.n == 0)
		return;
	for (size_t i = 0; i < text.n; i++) {
		n = text.p[i] == '`' ? n + 1 : 0;
		longest = n > longest ? n : longest;
	}
	put_backticks(b, longest + 1);
	buf_str(b, is_padded ? " " : "");
	put_escaped(b, text);
	buf_str(b, is_padded ? " " : "");
	put_backticks(b, longest + 1);
}

void
report_text(struct buf *b, struct span text)
{
	(style.markdown ? put_code : put_escaped)(b, text);
}

static bool
is_utf8_locale(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;

	for (size_t i = 0; i < 3 && (value == NULL || *value == '\0'); i++)
		value = getenv(names[i]);
	return value != NULL && (strcasestr(value, "utf-8") != NULL ||
	    strcasestr(value, "utf8") != NULL);
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
