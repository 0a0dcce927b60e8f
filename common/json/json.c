/* json - writes records as JSON */

#include <math.h>

#include "common/json/json.h"

static void
put_escape(struct buf *b, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char unicode[] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

	switch (c) {
	case '"':
		buf_add(b, "\\\"", 2);
		break;
	case '\\':
		buf_add(b, "\\\\", 2);
		break;
	case '\n':
		buf_add(b, "\\n", 2);
		break;
	case '\t':
		buf_add(b, "\\t", 2);
		break;
	case '\r':
		buf_add(b, "\\r", 2);
		break;
	default:
		buf_add(b, unicode, sizeof unicode);
	}
}

/*
 * Writes the rest of a string, which begins with a byte that
 * text_needs_no_escape() does not accept, and the closing quote.  Escapes what
 * JSON requires, copies valid UTF-8, and replaces invalid bytes.
 */
static void
put_tail(struct buf *b, struct span s)
{
	const char *p = s.p, *end = s.p + s.n;
	uint32_t code;
	size_t n;

	while (p < end) {
		n = utf8_char(p, (size_t)(end - p), &code);
		if (n > 1) {
			buf_add(b, p, n);
		} else if (n == 1) {
			put_escape(b, (unsigned char)*p);
		} else {
			buf_str(b, "\xef\xbf\xbd");	/* U+FFFD */
			n = 1;
		}
		p += n;
		n = text_unescaped_length(p, (size_t)(end - p));
		buf_add(b, p, n);
		p += n;
	}
	buf_char(b, '"');
}

/*
 * Copies the beginning of a string up to the first byte that
 * text_needs_no_escape() does not accept; returns its length.  Each block is
 * copied before it is examined, so later bytes of the string may be written as
 * well, but none past its end.  With a scan of the whole string before the
 * copy, buildgraph-parse needed 4 % more instructions.  The last block overlaps
 * the one before it, so that no shorter block remains.
 */
static inline size_t
copy_unescaped(char *to, struct span s)
{
	size_t last = s.n - TEXT_BLOCK, n;
	unsigned escapes;

	if (s.n < TEXT_BLOCK) {
		n = text_unescaped_length(s.p, s.n);
		if (n > 0)
			memcpy(to, s.p, n);
		return n;
	}
	for (size_t i = 0;; i = i + TEXT_BLOCK < last ? i + TEXT_BLOCK : last) {
		memcpy(to + i, s.p + i, TEXT_BLOCK);
		if ((escapes = text_escape_mask(s.p + i)) != 0)
			return i + (size_t)__builtin_ctz(escapes);
		if (i == last)
			return s.n;
	}
}

void
json_quote(struct buf *b, struct span s)
{
	size_t n;
	char *p;

	buf_need(b, s.n + 2);
	p = b->data + b->len;
	*p++ = '"';
	n = copy_unescaped(p, s);
	b->len += 1 + n;
	if (n < s.n) {
		put_tail(b, span_of(s.p + n, s.n - n));
		return;
	}
	p[n] = '"';
	b->len++;
}

void
json_end(struct buf *b)
{
	buf_add(b, "}\n", 2);
}

void
json_ratio(struct buf *b, const char *key, double value)
{
	if (!isfinite(value))
		return;
	json_key(b, key);
	buf_printf(b, "%.6f", value);
}

void
json_raw(struct buf *b, const char *key, struct span token)
{
	char *p;

	json_key(b, key);
	buf_add(b, token.p, token.n);
	/* A newline within a token is white space, but a record is one line. */
	for (p = b->data + b->len - token.n; p < b->data + b->len; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
}

void
json_close(struct buf *b, char bracket)
{
	buf_char(b, bracket);
}

void
json_item(struct buf *b, struct span s)
{
	if (b->data[b->len - 1] != '[')
		buf_char(b, ',');
	json_quote(b, s);
}

void
json_int_member(struct buf *b, struct span key, int64_t value)
{
	if (b->data[b->len - 1] != '{')
		buf_char(b, ',');
	json_quote(b, key);
	buf_char(b, ':');
	buf_i64(b, value);
}

void
json_address(struct buf *b, const char *key, uint64_t address)
{
	json_key(b, key);
	buf_char(b, '"');
	buf_address(b, address);
	buf_char(b, '"');
}
