/* buf - a growing run of bytes */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/buf.h"
#include "common/mem.h"

void
buf_need_more(struct buf *b, size_t n)
{
	if (n > SIZE_MAX - b->len)
		die("out of memory (%zu more bytes)", n);
	b->data = mem_grow(b->data, &b->cap, b->len + n, 1);
}

void
buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

/* Two digits a division: numbers are a third of what the parsers write. */
static const char pairs[] =
    "00010203040506070809101112131415161718192021222324"
    "25262728293031323334353637383940414243444546474849"
    "50515253545556575859606162636465666768697071727374"
    "75767778798081828384858687888990919293949596979899";

void
buf_u64(struct buf *b, uint64_t value)
{
	char digits[20];
	size_t at = sizeof digits;

	for (; value >= 10; value /= 100)
		memcpy(digits + (at -= 2), pairs + value % 100 * 2, 2);
	if (value > 0 || at == sizeof digits)
		digits[--at] = (char)('0' + value);
	buf_add(b, digits + at, sizeof digits - at);
}

void
buf_i64(struct buf *b, int64_t value)
{
	if (value < 0)
		buf_char(b, '-');
	buf_u64(b, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	for (;;) {
		va_start(ap, fmt);
		n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
		va_end(ap);
		if (n < 0)
			bug("cannot format '%s'", fmt);
		if ((size_t)n < b->cap - b->len)
			break;
		buf_need(b, (size_t)n + 1);
	}
	b->len += (size_t)n;
}
