/* pyjson - writes JSON as Python's json module does */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/json/nonfinite.h"
#include "common/json/skip.h"
#include "common/perun/pyjson.h"

/*
 * Decimal digits of a double: 17 always distinguish it from every other double,
 * and any decimal of at most 15 survives conversion to a double and back.
 */
enum { DIGITS_MAX = 17, DIGITS_SAFE = 15 };

/* Writes a character, escaped unless it is printable ASCII. */
static void
put_code(struct buf *b, uint32_t code)
{
	static const char escaped[] = "\"\\\n\r\t\f\b", letters[] = "\"\\nrtfb";
	const char *found;

	if (code < 0x80 && (found = code == 0 ? NULL :
	    strchr(escaped, (int)code)) != NULL) {
		buf_char(b, '\\');
		buf_char(b, letters[found - escaped]);
	} else if (code >= 0x20 && code < 0x7f) {
		buf_char(b, (char)code);
	} else if (code < 0x10000) {
		buf_printf(b, "\\u%04x", (unsigned)code);
	} else {
		buf_printf(b, "\\u%04x\\u%04x",
		    0xd800 + (unsigned)((code - 0x10000) >> 10),
		    0xdc00 + (unsigned)(code & 0x3ff));
	}
}

/* Writes the escape whose backslash precedes p; returns the address past it. */
static const char *
put_escape(struct buf *b, const char *p)
{
	static const char letters[] = "nrtfb/\"\\", values[] =
	    "\n\r\t\f\b/\"\\";
	unsigned unit = 0;

	if (*p != 'u') {
		put_code(b, (unsigned char)values[strchr(letters, *p) -
		    letters]);
		return p + 1;
	}
	/* Each half of a surrogate pair is an escape of its own. */
	for (int i = 1; i <= 4; i++)
		unit = unit << 4 | (unsigned)hex_digit(p[i]);
	put_code(b, unit);
	return p + 5;
}

/*
 * Writes a text as a string or, if is_json is true, the JSON string whose
 * opening quote precedes p; returns the address of its closing quote.
 */
static const char *
put_string(struct buf *b, const char *p, const char *end, bool is_json)
{
	const char *del;
	uint32_t code;
	size_t n;

	buf_char(b, '"');
	for (;;) {
		/* Python escapes DEL, which JSON does not require. */
		n = text_unescaped_length(p, (size_t)(end - p));
		del = n == 0 ? NULL : memchr(p, 0x7f, n);
		if (del != NULL)
			n = (size_t)(del - p);
		buf_add(b, p, n);
		p += n;
		if (p >= end || (is_json && *p == '"'))
			break;
		if (is_json && *p == '\\') {
			p = put_escape(b, p + 1);
			continue;
		}
		n = utf8_char(p, (size_t)(end - p), &code);
		put_code(b, n == 0 ? 0xfffd : code);
		p += n + (n == 0);
	}
	buf_char(b, '"');
	return p;
}

void
pyjson_string(struct buf *b, struct span s)
{
	put_string(b, s.p, s.p + s.n, false);
}

/*
 * Writes the number D.DDD * 10^exponent, given its n digits, as Python's repr()
 * does: in scientific notation below 1e-4 and from 1e16 on, otherwise as a
 * plain decimal.
 */
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
 * Python's repr() of a float: the fewest digits that read back as the same
 * double ("shortest round-trip").  0.1 is 0.1 and not 0.1000000000000000055.
 * Tries 15, 16 and 17 digits (1 and more for subnormal numbers and zero), and
 * drops zeros at the end.
 *
 * Doubles below a power of two are half as far apart as those above it.  So the
 * nearest decimal of n digits, if it is below the power, may be read back as
 * another double, while the next decimal, above it, is read back correctly.
 */
static void
put_double(struct buf *b, double value)
{
	char text[32], digits[DIGITS_MAX + 1], *e;
	int precision = DIGITS_SAFE - 1, n = 0;

	if (fabs(value) < DBL_MIN)
		precision = 0;	/* subnormal: fewer bits, so fewer digits */
	if (isinf(value)) {
		buf_str(b, value < 0 ? "-Infinity" : "Infinity");
		return;
	}
	for (;; precision++) {
		snprintf(text, sizeof text, "%.*e", precision, value);
		if (strtod(text, NULL) == value)
			break;
		e = strchr(text, 'e');
		if (e[-1] < '9')
			e[-1]++;
		if (strtod(text, NULL) == value)
			break;
	}
	if (signbit(value))
		buf_char(b, '-');
	for (const char *p = text; *p != 'e'; p++)
		if (text_is_digit(*p))
			digits[n++] = *p;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	put_digits(b, digits, n, atoi(strchr(text, 'e') + 1));
}

/*
 * Whether repr() writes value as the decimal number digits * 10^-places, where
 * digits has 16 or 17 digits.  It does if this is the nearest decimal of its
 * length, and if no shorter decimal reads back as value.  A shorter one could
 * only be `digits` rounded down or up to a multiple of 10.  The arithmetic is
 * exact: value is m * 2^-shift, and everything is scaled by 10^places *
 * 2^shift.  False also if the numbers might exceed 128 bits, and for some
 * powers of two, because doubles below a power are half as far apart as assumed
 * here: put_number() then uses the slower put_double().
 */
static bool
is_repr(uint64_t digits, int places, double value)
{
	int exponent, shift;
	unsigned __int128 decimal, exact, gap, down, up;
	uint64_t m;

	m = (uint64_t)ldexp(frexp(value, &exponent), 53);
	shift = 53 - exponent;
	if (shift < 1 || shift > 62 || places > 18 || digits % 10 == 0)
		return false;
	exact = m;
	for (int i = 0; i < places; i++)
		exact *= 10;
	gap = exact / m;	/* between value and the next double */
	decimal = (unsigned __int128)digits << shift;
	if ((decimal > exact ? decimal - exact : exact - decimal) * 2 >=
	    (unsigned __int128)1 << shift)
		return false;
	down = (unsigned __int128)(digits / 10 * 10) << shift;
	up = (unsigned __int128)(digits / 10 * 10 + 10) << shift;
	return (exact - down) * 2 > gap && (up - exact) * 2 > gap;
}

/*
 * Is the text certainly what repr() would write?  Nearly all floats of profiles
 * were written by repr(), and this check takes a tenth of the time of
 * converting them.  False also for some texts of repr(), such as 0.05 or 1e-07.
 * True for every plain decimal with a point that is not below 0.1, if it has at
 * most 15 digits and no needless zeros at the end.
 */
static bool
is_shortest(struct span s)
{
	const char *first = s.p + (*s.p == '-'), *dot = NULL, *end = s.p + s.n;
	uint64_t digits = 0;
	char copy[DIGITS_MAX + 4];
	int n;

	for (const char *p = first; p < end; p++)
		if (*p == '.')
			dot = p;
		else if (!text_is_digit(*p))
			return false;
	/* Below 0.1, zeros that are not significant would be counted. */
	if (dot == NULL || (*first == '0' && (dot - first != 1 ||
	    end - dot < 2 || dot[1] == '0')))
		return false;

	/* The significant digits: neither the point nor a zero before it. */
	n = (int)(end - first) - 1 - (*first == '0');
	if (n <= DIGITS_SAFE)
		return end[-1] != '0' || end - dot == 2;
	if (n > DIGITS_MAX || end - first >= (ptrdiff_t)sizeof copy)
		return false;
	for (const char *p = first; p < end; p++)
		if (p != dot)
			digits = digits * 10 + (uint64_t)(*p - '0');
	memcpy(copy, first, (size_t)(end - first));
	copy[end - first] = '\0';
	return is_repr(digits, (int)(end - dot) - 1, strtod(copy, NULL));
}

static void
put_number(struct buf *b, struct span s)
{
	const char *end = s.p + s.n;
	uint64_t value = 0;
	char *copy;

	if (span_eq(s, "-0")) {
		buf_char(b, '0');
		return;
	}
	/* Integers are copied. */
	if (text_digits(s.p + (*s.p == '-'), end, &value) == end ||
	    is_shortest(s)) {
		buf_add(b, s.p, s.n);
		return;
	}
	copy = mem_strndup(s.p, s.n);
	put_double(b, strtod(copy, NULL));
	free(copy);
}

void
pyjson_put(struct buf *b, struct span json)
{
	const char *p = json.p, *end = p + json.n, *start, *number;
	size_t n;

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
			n = nonfinite_find(span_of(start,
			    (size_t)(end - start)), &number);
			if (n > 0)
				buf_str(b, number);
			p = n > 0 ? start + n :
			    put_string(b, p, end, true) + 1;
			break;
		case '-': case '0': case '1': case '2': case '3': case '4':
		case '5': case '6': case '7': case '8': case '9':
			p = skip_number(start, end);
			put_number(b, span_of(start, (size_t)(p - start)));
			break;
		default:
			buf_char(b, *start);
		}
	}
}
