/* text - UTF-8, escaping for safe display, and decimal numbers */

#include <stdio.h>
#include <string.h>

#include "common/base/text.h"

size_t
utf8_char(const char *p, size_t n, uint32_t *code)
{
	static const uint32_t min_code[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *u = (const unsigned char *)p;
	size_t len;
	uint32_t c;

	if (n == 0)
		return 0;
	c = u[0];
	if (c < 0x80) {
		*code = c;
		return 1;
	}
	len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
	if (c < 0xc2 || c > 0xf4 || len > n)
		return 0;
	c &= 0x7fU >> len;
	for (size_t i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	if (c < min_code[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*code = c;
	return len;
}

bool
utf8_valid(const char *p, size_t n)
{
	uint64_t word;
	uint32_t code;
	size_t len;

	while (n > 0) {
		/* Logs are mostly ASCII: eight bytes at once. */
		if (n >= sizeof word) {
			memcpy(&word, p, sizeof word);
			if ((word & 0x8080808080808080) == 0) {
				p += sizeof word;
				n -= sizeof word;
				continue;
			}
		}
		if ((len = utf8_char(p, n, &code)) == 0)
			return false;
		p += len;
		n -= len;
	}
	return true;
}

/* Whether a terminal would act on a character instead of showing it. */
static bool
is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) ||	/* C0, DEL, C1 */
	    c == 0x2028 || c == 0x2029 ||	/* line separators */
	    c == 0xfeff ||			/* byte order mark */
	    c == 0x061c || c == 0x200e || c == 0x200f ||	/* bidi marks */
	    (c >= 0x202a && c <= 0x202e) ||	/* bidi embeddings */
	    (c >= 0x2066 && c <= 0x2069);	/* bidi isolates */
}

size_t
text_escape(char *to, size_t size, const char *from, size_t n)
{
	char safe[16];
	size_t used = 0, step, len;
	uint32_t c;

	for (; n > 0; from += step, n -= step) {
		step = utf8_char(from, n, &c);
		if (step == 0) {
			step = 1;
			len = (size_t)snprintf(safe, sizeof safe, "\\x%02x",
			    (unsigned char)*from);
		} else if (is_control(c)) {
			len = (size_t)snprintf(safe, sizeof safe,
			    c < 0x80 ? "\\x%02x" : "\\u{%x}", c);
		} else {
			memcpy(safe, from, step);
			len = step;
		}
		if (used + len + 1 > size)
			break;
		memcpy(to + used, safe, len);
		used += len;
	}
	if (size > 0)
		to[used] = '\0';
	return used;
}

const uint32_t text_powers_of_ten[] = { 1, 10, 100, 1000, 10000, 100000,
    1000000, 10000000, 100000000 };

/*
 * Reads 8 to 16 digits with two loads, which may overlap: the first eight
 * characters, and the last eight.  In the second word, the digits that are also
 * in the first word are set to 0.
 */
static bool
read_8_to_16(struct span s, uint64_t *value)
{
	size_t n_rest = s.n - 8;
	uint64_t first, last, bad_first, bad_last;

	first = text_load_eight(s.p, &bad_first);
	last = text_load_eight(s.p + n_rest, &bad_last);
	if ((bad_first | bad_last) != 0)
		return false;
	/* Shifts twice by half, because a shift by 64 is undefined. */
	last &= UINT64_MAX << 4 * (8 - n_rest) << 4 * (8 - n_rest);
	*value = (uint64_t)text_eight_value(first) *
	    text_powers_of_ten[n_rest] + text_eight_value(last);
	return true;
}

/* A uint64_t holds any number of 19 digits. */
enum { SAFE_DIGITS = 19 };

size_t
text_distance(struct span a, struct span b)
{
	enum { LENGTH_MAX = 64 };
	size_t row[LENGTH_MAX + 1], left, above;

	if (a.n > LENGTH_MAX || b.n > LENGTH_MAX)
		return SIZE_MAX;
	for (size_t k = 0; k <= b.n; k++)
		row[k] = k;
	for (size_t i = 0; i < a.n; i++) {
		above = row[0];
		row[0] = i + 1;
		for (size_t k = 0; k < b.n; k++) {
			left = (row[k] < row[k + 1] ? row[k] : row[k + 1]) + 1;
			above += a.p[i] != b.p[k];
			left = above < left ? above : left;
			above = row[k + 1];
			row[k + 1] = left;
		}
	}
	return row[b.n];
}

bool
text_u64(struct span s, uint64_t *value)
{
	uint64_t v = 0;
	unsigned digit;

	if (s.n == 0)
		return false;
	if (LITTLE_ENDIAN_BYTES && s.n >= 8 && s.n <= 16)
		return read_8_to_16(s, value);
	for (size_t i = 0; i < s.n; i++) {
		digit = (unsigned)(unsigned char)s.p[i] - '0';
		if (digit > 9 || (i >= SAFE_DIGITS && (v > UINT64_MAX / 10 ||
		    v * 10 > UINT64_MAX - digit)))
			return false;
		v = v * 10 + digit;
	}
	*value = v;
	return true;
}

bool
text_i64(struct span s, int64_t *value)
{
	bool negative = s.n > 0 && *s.p == '-';
	uint64_t v;

	if (negative)
		s = span_of(s.p + 1, s.n - 1);
	if (!text_u64(s, &v) || v > (uint64_t)INT64_MAX + negative)
		return false;
	*value = (int64_t)(negative ? 0 - v : v);
	return true;
}

/* Whether there is a byte at i, and it continues a UTF-8 character. */
static bool
is_continued(struct span text, size_t i)
{
	return i < text.n && ((unsigned char)text.p[i] & 0xc0) == 0x80;
}

struct span
text_trim(struct span text)
{
	while (text.n > 0 && text_is_space(text.p[text.n - 1]))
		text.n--;
	for (; text.n > 0 && text_is_space(*text.p); text.n--)
		text.p++;
	return text;
}

struct span
text_prefix(struct span text, size_t n)
{
	while (n > 0 && is_continued(text, n))
		n--;
	return span_of(text.p, n < text.n ? n : text.n);
}

size_t
text_common_prefix(struct span a, struct span b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	while (n > 0 && (is_continued(a, n) || is_continued(b, n)))
		n--;
	return n;
}

/* Moves the digits at the front of *s to a span without leading zeros. */
static struct span
take_digits(struct span *s)
{
	struct span digits;
	size_t n = 0, zeros = 0;

	while (n < s->n && text_is_digit(s->p[n]))
		n++;
	while (zeros + 1 < n && s->p[zeros] == '0')
		zeros++;
	digits = span_of(s->p + zeros, n - zeros);
	*s = span_of(s->p + n, s->n - n);
	return digits;
}

int
text_compare_numbers(struct span a, struct span b)
{
	struct span x = a, y = b, m, n;

	while (x.n > 0 && y.n > 0) {
		if (text_is_digit(*x.p) && text_is_digit(*y.p)) {
			m = take_digits(&x);
			n = take_digits(&y);
			if (m.n != n.n)
				return m.n < n.n ? -1 : 1;
			if (span_compare(m, n) != 0)
				return span_compare(m, n);
		} else if (*x.p != *y.p) {
			return (unsigned char)*x.p < (unsigned char)*y.p ? -1 :
			    1;
		} else {
			x = span_of(x.p + 1, x.n - 1);
			y = span_of(y.p + 1, y.n - 1);
		}
	}
	if (x.n != y.n)
		return x.n < y.n ? -1 : 1;
	return span_compare(a, b);
}
