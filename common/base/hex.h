#ifndef WEIR_HEX_H
#define WEIR_HEX_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/text.h"

/* Bytes as lower case digits, two each, and a NUL: 2 n + 1 characters. */
static inline void
hex_put(char *to, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		to[2 * i] = digits[bytes[i] >> 4];
		to[2 * i + 1] = digits[bytes[i] & 15];
	}
	to[2 * n] = '\0';
}

/* The value of a digit, of either case; -1 if it is none. */
static inline int
hex_digit(char c)
{
	if (text_is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exactly n bytes as digits; false if the text is anything else. */
static inline bool
hex_get(struct span text, unsigned char *bytes, size_t n)
{
	int high, low;

	if (text.n != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++) {
		high = hex_digit(text.p[2 * i]);
		low = hex_digit(text.p[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		bytes[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

#endif
