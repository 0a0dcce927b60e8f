/* units - which units can be converted, and what is a rate */

#include <string.h>
#include <strings.h>

#include "filters/perf-diff/units.h"

static const struct known {
	const char *name, *base;
	double times, per;
} known_units[] = {
	{ "ns", "s", 1, 1e9 }, { "nsec", "s", 1, 1e9 },
	{ "nanoseconds", "s", 1, 1e9 }, { "us", "s", 1, 1e6 },
	{ "usec", "s", 1, 1e6 }, { "\xc2\xb5s", "s", 1, 1e6 },
	{ "\xce\xbcs", "s", 1, 1e6 }, { "microseconds", "s", 1, 1e6 },
	{ "ms", "s", 1, 1e3 }, { "msec", "s", 1, 1e3 },
	{ "milliseconds", "s", 1, 1e3 }, { "s", "s", 1, 1 },
	{ "sec", "s", 1, 1 }, { "secs", "s", 1, 1 }, { "second", "s", 1, 1 },
	{ "seconds", "s", 1, 1 }, { "min", "s", 60, 1 },
	{ "minute", "s", 60, 1 }, { "minutes", "s", 60, 1 },
	{ "h", "s", 3600, 1 }, { "hour", "s", 3600, 1 },
	{ "hours", "s", 3600, 1 }, { "B", "B", 1, 1 }, { "byte", "B", 1, 1 },
	{ "bytes", "B", 1, 1 }, { "kB", "B", 1e3, 1 }, { "KB", "B", 1e3, 1 },
	{ "MB", "B", 1e6, 1 }, { "GB", "B", 1e9, 1 }, { "TB", "B", 1e12, 1 },
	{ "KiB", "B", 0x1p10, 1 }, { "MiB", "B", 0x1p20, 1 },
	{ "GiB", "B", 0x1p30, 1 }, { "TiB", "B", 0x1p40, 1 },
};

/* Rates whose unit is a word, in any case. */
static const char *const rate_words[] = { "qps", "fps", "rps", "tps", "ips",
    "pps", "iops", "bps", "kbps", "mbps", "gbps", "hz", "khz", "mhz", "ghz",
    "flops", "mflops", "gflops", "tflops", "mips" };

static const struct known *
find_unit(struct span text)
{
	for (size_t i = 0; i < sizeof known_units / sizeof *known_units; i++)
		if (span_eq(text, known_units[i].name))
			return &known_units[i];
	return NULL;
}

static bool
is_rate_word(struct span text)
{
	for (size_t i = 0; i < sizeof rate_words / sizeof *rate_words; i++)
		if (strlen(rate_words[i]) == text.n &&
		    strncasecmp(rate_words[i], text.p, text.n) == 0)
			return true;
	return false;
}

/*
 * The text before the last "/" or " per ", and in *rest what is after it; the
 * whole text if there is none.
 */
static struct span
divide(struct span text, struct span *rest)
{
	static const char *const words[] = { "/", " per " };
	size_t length;

	for (size_t i = text.n; i-- > 0;)
		for (int word = 0; word < 2; word++) {
			length = strlen(words[word]);
			if (text.n - i < length ||
			    memcmp(text.p + i, words[word], length) != 0)
				continue;
			*rest = text_trim(span_of(text.p + i + length,
			    text.n - i - length));
			return text_trim(span_of(text.p, i));
		}
	*rest = span_of("", 0);
	return text;
}

struct unit
unit_read(struct span text, struct buf *base)
{
	struct span below, above = divide(text_trim(text), &below);
	struct unit u = { 1, 1, false, is_rate_word(above) };
	const struct known *known = find_unit(above), *time = find_unit(below);

	if (time != NULL && time->base[0] != 's')
		time = NULL;
	if (below.n > 0 && time == NULL) {
		/* Such as "B/op". */
		buf_add(base, text.p, text.n);
		return u;
	}
	if (known != NULL) {
		u = (struct unit){ known->times, known->per,
		    known->base[0] == 's', false };
		above = span_str(known->base);
	}
	buf_add(base, above.p, above.n);
	if (time != NULL) {
		u.times *= time->per;
		u.per *= time->times;
		u.is_time = false;
		u.is_rate = true;
		buf_str(base, "/s");
	}
	return u;
}
