/* buf - a buffer of bytes that grows, and numbers as text */

#include <stdio.h>
#include <stdlib.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/base/text.h"

void
buf_need_more(struct buf *b, size_t n)
{
	if (n > SIZE_MAX - b->len)
		mem_die(SIZE_MAX);
	b->data = mem_grow(b->data, &b->cap, b->len + n, 1);
}

void
buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

/*
 * The eight digits of a number below 10^8, one in each byte, the first digit in
 * the lowest byte.  SIMD within a register: splits 12345678 into the fours 1234
 * and 5678, these into the pairs 12, 34, 56 and 78, and these into digits; each
 * step works on the whole word at once.
 *
 * A step replaces each part x by the quotient in its lower half and the
 * remainder in its upper half:
 *
 *	((x - quotient * base) << s) + quotient
 *	    = (x << s) - quotient * ((base << s) - 1)
 *
 * where base is the divisor (10000, 100 or 10) and s is the number of bits in a
 * half.  The quotients by 100 and 10 are computed as products with the
 * reciprocal (10486 / 2^20 and 103 / 2^10), which is exact for numbers this
 * small; a mask removes the other bits of the products.
 *
 * The effort pays: a third of the bytes that the parsers write are numbers.
 */
static inline uint64_t
eight_digits(uint32_t value)
{
	uint64_t fours, pairs, quotient;

	quotient = value / 10000;
	fours = ((uint64_t)value << 32) -
	    quotient * ((UINT64_C(10000) << 32) - 1);
	quotient = (fours * 10486 >> 20) & 0x7f0000007f;
	pairs = (fours << 16) - quotient * ((100 << 16) - 1);
	quotient = (pairs * 103 >> 10) & 0xf000f000f000f;
	return (pairs << 8) - quotient * ((10 << 8) - 1);
}

/*
 * Writes n digits, in the form that eight_digits() returns, at p, then 8 - n
 * meaningless bytes; returns p + n.
 */
static inline char *
put_digits(char *p, uint64_t digits, unsigned n)
{
	digits += TEXT_BYTES('0');
	if (!LITTLE_ENDIAN_BYTES)
		digits = __builtin_bswap64(digits);
	memcpy(p, &digits, sizeof digits);
	return p + n;
}

/* Writes a value below 10^8 without leading zeros. */
static inline char *
put_up_to_8_digits(char *p, uint64_t value)
{
	uint64_t digits = eight_digits((uint32_t)value);
	/* The last digit is written even if it is 0. */
	unsigned leading_zeros = (unsigned)__builtin_ctzll(digits |
	    UINT64_C(1) << 56) / 8;

	return put_digits(p, digits >> leading_zeros * 8, 8 - leading_zeros);
}

#define TEN_TO_8 100000000

static char *
put_u64(char *p, uint64_t value)
{
	if (value < TEN_TO_8)
		return put_up_to_8_digits(p, value);
	p = put_u64(p, value / TEN_TO_8);
	return put_digits(p, eight_digits((uint32_t)(value % TEN_TO_8)), 8);
}

void
buf_u64(struct buf *b, uint64_t value)
{
	enum { DIGITS_MAX = 20, OVERRUN = 7 /* of put_digits() */ };

	buf_need(b, DIGITS_MAX + OVERRUN);
	b->len = (size_t)(put_u64(b->data + b->len, value) - b->data);
}

void
buf_i64(struct buf *b, int64_t value)
{
	if (value < 0)
		buf_char(b, '-');
	buf_u64(b, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void
buf_address(struct buf *b, uint64_t address)
{
	enum { HEX_DIGITS_MAX = 16 };
	char digits[HEX_DIGITS_MAX], *p = digits + sizeof digits;

	do
		*--p = "0123456789abcdef"[address & 15];
	while ((address >>= 4) != 0);
	buf_add(b, "0x", 2);
	buf_add(b, p, (size_t)(digits + sizeof digits - p));
}

void
buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list copy;
	int n;

	for (;;) {
		va_copy(copy, ap);
		n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, copy);
		va_end(copy);
		if (n < 0)
			bug("cannot format '%s'", fmt);
		if ((size_t)n < b->cap - b->len)
			break;
		buf_need(b, (size_t)n + 1);
	}
	b->len += (size_t)n;
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}
