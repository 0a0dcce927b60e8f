/* pyjson - JSON as Python's json module writes it */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/perun/pyjson.h"

enum { DIGITS_MOST = 17, DIGITS_SURE = 15 };

static void
put_unit(struct buf *b, unsigned unit)
{
	buf_printf(b, "\\u%04x", unit);
}

static void
put_code(struct buf *b, uint32_t code)
{
	static const char plain[] = "\"\\\n\r\t\f\b", letters[] = "\"\\nrtfb";
	const char *found;

	if (code < 0x80 && (found = code == 0 ? NULL :
	    strchr(plain, (int)code)) != NULL) {
		buf_char(b, '\\');
		buf_char(b, letters[found - plain]);
	} else if (code >= 0x20 && code < 0x7f) {
		buf_char(b, (char)code);
	} else if (code < 0x10000) {
		put_unit(b, code);
	} else {
		put_unit(b, 0xd800 + ((code - 0x10000) >> 10));
		put_unit(b, 0xdc00 + (code & 0x3ff));
	}
}

/* Copies what needs no escape; returns how much that was. */
static size_t
put_plain(struct buf *b, struct span s)
{
	size_t n = text_unescaped_length(s.p, s.n);
	const char *del = n == 0 ? NULL : memchr(s.p, 0x7f, n);

	if (del != NULL)
		n = (size_t)(del - s.p);
	buf_add(b, s.p, n);
	return n;
}

void
pyjson_string(struct buf *b, struct span s)
{
	uint32_t code;
	size_t n;

	buf_char(b, '"');
	for (;;) {
		n = put_plain(b, s);
		s = span_of(s.p + n, s.n - n);
		if (s.n == 0)
			break;
		n = utf8_char(s.p, s.n, &code);
		put_code(b, n == 0 ? 0xfffd : code);
		n += n == 0;
		s = span_of(s.p + n, s.n - n);
	}
	buf_char(b, '"');
}

static unsigned
hex_value(const char *p)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++)
		value = value << 4 | (unsigned)(p[i] <= '9' ? p[i] - '0' :
		    (p[i] | 0x20) - 'a' + 10);
	return value;
}

/* The escape at p, behind its backslash; returns what is behind it. */
static const char *
put_escape(struct buf *b, const char *p)
{
	static const char letters[] = "nrtfb/\"\\", values[] =
	    "\n\r\t\f\b/\"\\";

	if (*p != 'u') {
		put_code(b, (unsigned char)values[strchr(letters, *p) -
		    letters]);
		return p + 1;
	}
	/* Halves of a pair are written as they came: one after the other. */
	put_code(b, hex_value(p + 1));
	return p + 5;
}

/* From behind the opening quote; returns what is behind the closing one. */
static const char *
put_string(struct buf *b, const char *p, const char *end)
{
	uint32_t code;
	size_t n;

	buf_char(b, '"');
	for (;;) {
		p += put_plain(b, span_of(p, (size_t)(end - p)));
		if (p >= end || *p == '"')
			break;
		if (*p == '\\') {
			p = put_escape(b, p + 1);
			continue;
		}
		n = utf8_char(p, (size_t)(end - p), &code);
		put_code(b, n == 0 ? (unsigned char)*p : code);
		p += n + (n == 0);
	}
	buf_char(b, '"');
	return p < end ? p + 1 : end;
}

/* Digits and exponent, as Python's repr() puts them. */
static void
put_digits(struct buf *b, const char *digits, int n, int exponent)
{
	if (exponent < -4 || exponent >= 16) {
		buf_char(b, digits[0]);
		if (n > 1)
			buf_char(b, '.');
		buf_add(b, digits + 1, (size_t)n - 1);
		buf_printf(b, "e%c%02d", exponent < 0 ? '-' : '+',
		    abs(exponent));
		return;
	}
	if (exponent < 0)
		buf_str(b, "0.");
	for (int i = exponent + 1; i < 0; i++)
		buf_char(b, '0');
	for (int i = 0; i < n || i <= exponent; i++) {
		if (i == exponent + 1 && exponent >= 0)
			buf_char(b, '.');
		buf_char(b, i < n ? digits[i] : '0');
	}
	if (exponent >= n - 1)
		buf_str(b, ".0");
}

/*
 * One more in the last place of "d.ddde-08", if that is no 9.  Below a power of
 * two values lie closer than above it: there the nearest decimal may fail
 * where this one holds.
 */
static void
raise_last(char *text)
{
	char *e = strchr(text, 'e');

	if (e[-1] < '9')
		e[-1]++;
}

static void
put_double(struct buf *b, double value)
{
	char text[32], digits[DIGITS_MOST + 1];
	int precision = DIGITS_SURE - 1, n = 0;

	if (fabs(value) < DBL_MIN)
		precision = 0;	/* it has fewer bits, and digits */
	if (isinf(value)) {
		buf_str(b, value < 0 ? "-Infinity" : "Infinity");
		return;
	}
	for (;; precision++) {
		snprintf(text, sizeof text, "%.*e", precision, value);
		if (strtod(text, NULL) == value)
			break;
		raise_last(text);
		if (strtod(text, NULL) == value)
			break;
	}
	if (signbit(value))
		buf_char(b, '-');
	for (const char *p = text; *p != 'e'; p++)
		if (text_is_digit(*p))
			digits[n++] = *p;
	while (n > 1 && digits[n - 1] == '0')
		n--;	/* of 15 digits the others are the shortest form */
	put_digits(b, digits, n, atoi(strchr(text, 'e') + 1));
}

/* Digits with a point within, as repr() would place it. */
static bool
is_plain_decimal(struct span s, const char **first, const char **dot)
{
	const char *end = s.p + s.n;

	*first = s.p + (*s.p == '-');
	*dot = NULL;
	for (const char *p = *first; p < end; p++)
		if (*p == '.')
			*dot = p;
		else if (*p < '0' || *p > '9')
			return false;
	return *dot != NULL && (**first != '0' || (*dot - *first == 1 &&
	    end - *dot > 1 && (*dot)[1] != '0'));
}

/*
 * Is the decimal digits / 10^places, of 16 or 17 digits, what repr() writes
 * for value?  That is: it is the nearest of its length, and no shorter one,
 * which would be one of its neighbours that end in 0, is as near as to read as
 * the same value.  All is exact: value is m * 2^-shift.
 */
static bool
is_repr(uint64_t digits, int places, double value)
{
	int exponent, shift;
	unsigned __int128 scaled, target, half, down, up;
	uint64_t m;

	m = (uint64_t)ldexp(frexp(value, &exponent), 53);
	shift = 53 - exponent;
	if (shift < 1 || shift > 62 || places > 18 || digits % 10 == 0)
		return false;
	target = m;
	for (int i = 0; i < places; i++)
		target *= 10;
	half = target / m;	/* half the distance of two values is half/2 */
	scaled = (unsigned __int128)digits << shift;
	if ((scaled > target ? scaled - target : target - scaled) * 2 >=
	    (unsigned __int128)1 << shift)
		return false;	/* or one of two that are, which is seldom */
	down = (unsigned __int128)(digits / 10 * 10) << shift;
	up = (unsigned __int128)(digits / 10 * 10 + 10) << shift;
	return (target - down) * 2 > half && (up - target) * 2 > half;
}

/*
 * Nearly all floats of profiles were written by repr() already; to find out
 * takes a tenth of the time of writing them again.  Of 15 digits or fewer
 * that neither begin nor end with a 0 too many there is nothing to find out.
 */
static bool
is_shortest(struct span s)
{
	const char *first, *dot, *end = s.p + s.n;
	uint64_t digits = 0;
	char copy[DIGITS_MOST + 4];
	int n;

	if (!is_plain_decimal(s, &first, &dot))
		return false;
	n = (int)(end - first) - 1 - (*first == '0');
	if (n <= DIGITS_SURE)
		return end[-1] != '0' || end - dot == 2;
	if (n > DIGITS_MOST || end - first >= (ptrdiff_t)sizeof copy)
		return false;
	for (const char *p = first; p < end; p++)
		if (p != dot)
			digits = digits * 10 + (uint64_t)(*p - '0');
	memcpy(copy, first, (size_t)(end - first));
	copy[end - first] = '\0';
	return is_repr(digits, (int)(end - dot) - 1, strtod(copy, NULL));
}

static void
put_float(struct buf *b, struct span s)
{
	char text[64], *copy = text;

	if (is_shortest(s)) {
		buf_add(b, s.p, s.n);
		return;
	}
	if (s.n >= sizeof text)
		copy = mem_alloc(s.n + 1);
	memcpy(copy, s.p, s.n);
	copy[s.n] = '\0';
	put_double(b, strtod(copy, NULL));
	if (copy != text)
		free(copy);
}

/* Returns what is behind the number that begins at start. */
static const char *
put_number(struct buf *b, const char *start, const char *end)
{
	const char *p = start + 1;
	struct span s;

	while (p < end && text_is_digit(*p))
		p++;
	if (p < end && (*p == '.' || (*p | 0x20) == 'e')) {
		while (p < end && memchr("0123456789+-.eE", *p, 15) != NULL)
			p++;
		put_float(b, span_of(start, (size_t)(p - start)));
		return p;
	}
	s = span_of(start, (size_t)(p - start));
	if (span_eq(s, "-0"))
		buf_char(b, '0');
	else
		buf_add(b, s.p, s.n);
	return p;
}

void
pyjson_put(struct buf *b, struct span json)
{
	const char *p = json.p, *end = p + json.n, *start;

	while (p < end) {
		start = p++;
		switch (*start) {
		case ' ': case '\t': case '\n': case '\r':
			break;
		case ',':
			buf_str(b, ", ");
			break;
		case ':':
			buf_str(b, ": ");
			break;
		case '"':
			p = put_string(b, p, end);
			break;
		case '-': case '0': case '1': case '2': case '3': case '4':
		case '5': case '6': case '7': case '8': case '9':
			p = put_number(b, start, end);
			break;
		default:
			buf_char(b, *start);
		}
	}
}
