/* units - what the unit of a measured value means */

#include <string.h>
#include <strings.h>

#include "common/base/units.h"

/*
 * The names of units that can be converted, those of a unit between blanks: it
 * is times / per of the base.
 */
static const struct known {
	const char *names, *base;
	double times, per;
} known_units[] = {
	{ " ns nsec nanoseconds ", "s", 1, 1e9 },
	{ " us usec \xc2\xb5s \xce\xbcs microseconds ", "s", 1, 1e6 },
	{ " ms msec milliseconds ", "s", 1, 1e3 },
	{ " s sec secs second seconds ", "s", 1, 1 },
	{ " min minute minutes ", "s", 60, 1 },
	{ " h hour hours ", "s", 3600, 1 }, { " B byte bytes ", "B", 1, 1 },
	{ " kB KB ", "B", 1e3, 1 }, { " MB ", "B", 1e6, 1 },
	{ " GB ", "B", 1e9, 1 }, { " TB ", "B", 1e12, 1 },
	{ " KiB ", "B", 0x1p10, 1 }, { " MiB ", "B", 0x1p20, 1 },
	{ " GiB ", "B", 0x1p30, 1 }, { " TiB ", "B", 0x1p40, 1 },
};

/* Rates whose unit is a word, in any case. */
static const char rate_words[] = " qps fps rps tps ips pps iops bps kbps mbps "
    "gbps hz khz mhz ghz flops mflops gflops tflops mips ";

/* Is this one of the words between blanks? */
static bool
is_word(const char *words, struct span text,
    int (*compare)(const char *, const char *, size_t))
{
	for (; words[1] != '\0'; words = strchr(words + 1, ' '))
		if (compare(words + 1, text.p, text.n) == 0 &&
		    words[1 + text.n] == ' ')
			return memchr(text.p, ' ', text.n) == NULL;
	return false;
}

static const struct known *
find_unit(struct span text)
{
	for (size_t i = 0; i < sizeof known_units / sizeof *known_units; i++)
		if (is_word(known_units[i].names, text, strncmp))
			return &known_units[i];
	return NULL;
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

/* What is measured once each time: "ns/op" is a time, "allocs/op" a count. */
static const char each_words[] = " op iter iteration call run exec round ";

struct unit
unit_read(struct span text, struct buf *base)
{
	struct span whole = text_trim(text), below, above;
	const struct known *known, *time;
	struct unit u = { 1, 1, false, false, text.n };

	above = divide(whole, &below);
	if (is_word(each_words, below, strncmp)) {
		u.shown = (size_t)(above.p + above.n - text.p);
		below.n = 0;
	}
	known = find_unit(above);
	time = find_unit(below);
	if (time != NULL && time->base[0] != 's')
		time = NULL;
	if (known != NULL) {
		u.times = known->times;
		u.per = known->per;
		u.is_time = known->base[0] == 's' && time == NULL;
		above = span_str(known->base);
	}
	buf_add(base, above.p, above.n);
	if (time != NULL) {
		u.times *= time->per;
		u.per *= time->times;
		buf_str(base, "/s");
	} else if (below.n > 0) {
		buf_printf(base, "/%.*s", SPAN_ARG(below));
	}
	u.is_rate = time != NULL || (below.n == 0 &&
	    is_word(rate_words, above, strncasecmp));
	return u;
}
