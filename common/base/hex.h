#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

/*
 * Writes n bytes as lower-case hexadecimal digits, followed by a NUL: 2 n + 1
 * characters in all.
 */
static inline void
hex_encode(char *to, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		to[2 * i] = digits[bytes[i] >> 4];
		to[2 * i + 1] = digits[bytes[i] & 15];
	}
	to[2 * n] = '\0';
}

/* The value of a hexadecimal digit in either case; -1 if c is not one. */
static inline int
hex_digit(char c)
{
	if (text_is_digit(c))
		return c - '0';
	c |= 0x20;	/* upper case to lower case */
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Whether the text consists of one or more hexadecimal digits. */
static inline bool
hex_is_valid(struct span text)
{
	for (size_t i = 0; i < text.n; i++)
		if (hex_digit(text.p[i]) < 0)
			return false;
	return text.n > 0;
}

/* Decodes 2 n hexadecimal digits to n bytes; false for any other text. */
static inline bool
hex_decode(struct span text, unsigned char *bytes, size_t n)
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

/*
 * Reads an address in the form that records use, such as "0x401136": 0x and 1
 * to 16 hexadecimal digits.  False if the text does not have this form.
 */
static inline bool
hex_address(struct span text, uint64_t *address)
{
	uint64_t value = 0;
	int digit;

	if (text.n < 3 || text.n > 18 || text.p[0] != '0' || text.p[1] != 'x')
		return false;
	for (size_t i = 2; i < text.n; i++) {
		if ((digit = hex_digit(text.p[i])) < 0)
			return false;
		value = value << 4 | (uint64_t)digit;
	}
	*address = value;
	return true;
}
