/* number - reads JSON numbers as doubles */

#include <stdlib.h>

#include "common/base/buf.h"
#include "common/json/skip.h"
#include "filters/perf-diff/number.h"

/* 10^0 to 10^22 are exact as doubles. */
enum { EXACT_DECIMALS = 22, EXACT_DIGITS = 15 };
static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8,
    1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22 };

/*
 * Reads a usual number: up to 15 digits without sign and exponent.  The digits
 * and the power of ten are exact doubles, so that their quotient is rounded
 * only once.
 */
static bool
read_usual(struct span text, double *value)
{
	const char *p = text.p, *end = p + text.n, *point;
	uint64_t digits = 0;
	size_t decimals = 0;

	if (text.n > EXACT_DIGITS + 1)
		return false;
	p = point = text_digits(p, end, &digits);
	if (p < end && *p == '.') {
		p = text_digits(p + 1, end, &digits);
		decimals = (size_t)(p - point) - 1;
	}
	if (p < end || decimals > EXACT_DECIMALS || p == text.p)
		return false;
	*value = (double)digits / powers[decimals];
	return true;
}

bool
number_read(struct span text, double *value)
{
	struct buf copy = { 0 };

	if (read_usual(text, value))
		return true;
	if (skip_number(text.p, text.p + text.n) != text.p + text.n)
		return false;
	/* strtod() needs a NUL. */
	buf_add(&copy, text.p, text.n);
	*value = strtod(buf_cstr(&copy), NULL);
	buf_release(&copy);
	return true;
}
