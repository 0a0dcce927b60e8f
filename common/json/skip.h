#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/text.h"
#include "common/json/json.h"

/*
 * Finds where the tokens and values of JSON text end; besides this, only
 * plain.c does that.  Validates only numbers.  A caller must pass a value on to
 * yajl (recio.h) for validation, or have got it from there.  In every text that
 * yajl accepts, the ends are those that yajl finds.
 *
 * The functions from skip_space() to skip_fraction() return the address after
 * what they skip.
 */

/* White space. */
static inline const char *
skip_space(const char *p, const char *end)
{
	while (p < end && json_is_space(*p))
		p++;
	return p;
}

/* A literal text; NULL if p is NULL or at something else. */
static inline const char *
skip_literal(const char *p, const char *end, const char *text)
{
	size_t n = strlen(text);

	return p != NULL && (size_t)(end - p) >= n &&
	    memcmp(p, text, n) == 0 ? p + n : NULL;
}

/*
 * The characters and escapes of a string, up to the quote that ends it, to a
 * newline (which no valid string contains) or to the end of the text.  A
 * backslash at the end of the text is not skipped, so that the search can go on
 * from there when more bytes have arrived.
 */
static inline const char *
skip_characters(const char *p, const char *end)
{
	for (;;) {
		p += text_unescaped_length(p, (size_t)(end - p));
		if (p == end || *p == '"' || *p == '\n')
			return p;
		if (*p == '\\') {
			if (p + 1 == end)
				return p;
			p += p[1] != '\n';
		}
		p++;
	}
}

/* The rest of a string, after its opening quote; `end` if it is not closed. */
const char *skip_string(const char *p, const char *end);

/*
 * A number, or with skip_fraction() only the fraction and exponent of one, if
 * there are any.  NULL if it is not written as JSON requires.
 */
const char *skip_number(const char *p, const char *end);
const char *skip_fraction(const char *p, const char *end);

/*
 * The search for a value's end, which may be given the value's bytes in
 * pieces.  Start with { 0 }; text always begins with the value's first byte,
 * and has more bytes each time.
 */
struct skip {
	size_t at;		/* bytes that have been examined */
	size_t depth;		/* brackets that are open */
	bool in_string;
};

/*
 * Advances s->at past the next structural byte, which is a bracket or the quote
 * that ends a string, and returns that byte.  A newline within a string is
 * returned as well, so that the caller may decide what it means.  NUL if there
 * are no more bytes.  The caller maintains s->depth.
 */
static inline char
skip_to_structure(struct skip *s, struct span text)
{
	const char *p = text.p + s->at, *end = text.p + text.n;
	char c = '\0';

	while (c == '\0' && p < end) {
		if (s->in_string) {
			p = skip_characters(p, end);
			if (p == end || *p == '\\')
				break;
			c = *p++;
			s->in_string = c != '"';
			continue;
		}
		switch (*p) {
		case '"':
			s->in_string = true;
			break;
		case '{':
		case '[':
		case '}':
		case ']':
			c = *p;
		}
		p++;
	}
	s->at = (size_t)(p - text.p);
	return c;
}

/*
 * True if the value ends within the text: the first `at` bytes of the text are
 * then the value.  False for a number or word that extends to the end of the
 * text, because more of it may follow.
 */
bool skip_value(struct skip *, struct span text);
