#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/text.h"

/* A buffer of bytes that grows.  Start with { 0 }. */
struct buf {
	char *data;
	size_t len, cap;
};

/* Frees the bytes and empties the buffer. */
void buf_release(struct buf *);

/* Append a number in decimal. */
void buf_u64(struct buf *, uint64_t);
void buf_i64(struct buf *, int64_t);

/* Appends 0x and the number in lower-case hexadecimal digits. */
void buf_address(struct buf *, uint64_t);

void buf_printf(struct buf *, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vprintf(struct buf *, const char *fmt, va_list) PRINTF_LIKE(2, 0);

/* The slow path of buf_need(). */
void buf_need_more(struct buf *, size_t n);

/*
 * Makes room for n more bytes at data + len.  A caller that writes there itself
 * then adds to len.
 */
static inline void
buf_need(struct buf *b, size_t n)
{
	if (n > b->cap - b->len)
		buf_need_more(b, n);
}

static inline void
buf_add(struct buf *b, const char *p, size_t n)
{
	buf_need(b, n);
	if (n > 0)
		memcpy(b->data + b->len, p, n);
	b->len += n;
}

static inline void
buf_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

static inline void
buf_char(struct buf *b, char c)
{
	buf_need(b, 1);
	b->data[b->len++] = c;
}

/* The bytes, borrowed until the buffer changes. */
static inline struct span
buf_span(const struct buf *b)
{
	return span_of(b->data, b->len);
}

/*
 * The bytes as a string, borrowed until the buffer changes.  Adds a NUL, which
 * len does not count.
 */
static inline char *
buf_cstr(struct buf *b)
{
	buf_need(b, 1);
	b->data[b->len] = '\0';
	return b->data;
}
