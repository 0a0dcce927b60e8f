#pragma once

#include "common/base/buf.h"
#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/base/text.h"

/*
 * Writes one record:
 *
 *	json_begin(b, "task"); json_str(b, "id", id); ...; json_end(b);
 *
 * Each function that has a key appends a member, after a comma if needed.  Keys
 * are snake_case literals and are not escaped, except where a comment says so.
 * Strings that may need escapes go through json_quote(), except in two places:
 * common/perun/pyjson writes JSON as Python does, and instrument/ has a writer
 * of its own.
 */
void json_end(struct buf *);
void json_address(struct buf *, const char *key, uint64_t);	/* "0x401136" */
/* Six decimals; nothing is written for a value that is not finite. */
void json_ratio(struct buf *, const char *key, double);
/* A copy of a JSON token from an input, its line breaks replaced by spaces. */
void json_raw(struct buf *, const char *key, struct span token);

void json_close(struct buf *, char bracket);	/* what json_open() began */
void json_item(struct buf *, struct span);	/* a string in an array */

/* A member whose key comes from an input, and is escaped. */
void json_int_member(struct buf *, struct span key, int64_t);

/*
 * A string token without a key.  Quotes, backslashes and control characters are
 * escaped; bytes that are not UTF-8 become U+FFFD.
 */
void json_quote(struct buf *, struct span);

/* White space as JSON defines it (RFC 8259, 2). */
static inline bool
json_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/*
 * A key and its colon, after a comma if one is needed.  Inline, as its callers
 * are, so that the length of a literal key is a constant.
 */
static ALWAYS_INLINE void
json_key(struct buf *b, const char *key)
{
	size_t n = strlen(key);
	char *p;

	buf_need(b, n + 4);
	p = b->data + b->len;
	if (b->len > 0 && p[-1] != '{' && p[-1] != '[')
		*p++ = ',';
	*p++ = '"';
	memcpy(p, key, n);
	p += n;
	*p++ = '"';
	*p++ = ':';
	b->len = (size_t)(p - b->data);
}

static ALWAYS_INLINE void
json_str(struct buf *b, const char *key, struct span s)
{
	json_key(b, key);
	json_quote(b, s);
}

static ALWAYS_INLINE void
json_cstr(struct buf *b, const char *key, const char *s)
{
	json_str(b, key, span_of(s, strlen(s)));
}

/* A string that needs no escapes, usually a literal. */
static ALWAYS_INLINE void
json_word(struct buf *b, const char *key, const char *word)
{
	size_t n = strlen(word);
	char *p;

	json_key(b, key);
	buf_need(b, n + 2);
	p = b->data + b->len;
	*p++ = '"';
	memcpy(p, word, n);
	p[n] = '"';
	b->len += n + 2;
}

static ALWAYS_INLINE void
json_begin(struct buf *b, const char *type)
{
	buf_char(b, '{');
	json_word(b, "type", type);
}

/* A member that has no value is left out: INT_UNKNOWN, ... */
static ALWAYS_INLINE void
json_int(struct buf *b, const char *key, int64_t value)
{
	if (value == INT_UNKNOWN)
		return;
	json_key(b, key);
	buf_i64(b, value);
}

static ALWAYS_INLINE void
json_uint(struct buf *b, const char *key, uint64_t value)
{
	json_key(b, key);
	buf_u64(b, value);
}

static ALWAYS_INLINE void
json_true(struct buf *b, const char *key)
{
	json_key(b, key);
	buf_str(b, "true");
}

/* ... 0, ... */
static ALWAYS_INLINE void
json_count(struct buf *b, const char *key, uint64_t n)
{
	if (n != 0)
		json_uint(b, key, n);
}

/* ... an empty text, ... */
static ALWAYS_INLINE void
json_text(struct buf *b, const char *key, struct span s)
{
	if (s.n > 0)
		json_str(b, key, s);
}

/* ... no name, ... */
static ALWAYS_INLINE void
json_sym(struct buf *b, const char *key, const struct intern *names, sym s)
{
	if (s != SYM_NONE)
		json_str(b, key, intern_span(names, s));
}

/* ... or false. */
static ALWAYS_INLINE void
json_flag(struct buf *b, const char *key, bool is_set)
{
	if (is_set)
		json_true(b, key);
}

/* Begins an array or object that is a member's value. */
static ALWAYS_INLINE void
json_open(struct buf *b, const char *key, char bracket)
{
	json_key(b, key);
	buf_char(b, bracket);
}
