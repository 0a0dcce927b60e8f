#ifndef WEIR_ADDRESS_H
#define WEIR_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/hex.h"

/* An address as records have it, "0x401136"; false if the text is none. */
static inline bool
address_get(struct span text, uint64_t *address)
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

#endif
