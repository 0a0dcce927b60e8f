#ifndef WEIR_SKIP_H
#define WEIR_SKIP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/text.h"
#include "common/json/json.h"

/*
 * Finds where tokens and values of JSON text end, without reading them: the one
 * place that does.  Nothing here accepts a text.  Whoever delimits a value with
 * it gives the value to yajl (recio.h), or has had it from there: every text
 * that yajl accepts is delimited as yajl does.
 */

/* Past white space. */
static inline const char *
skip_space(const char *p, const char *end)
{
	while (p < end && json_is_space(*p))
		p++;
	return p;
}

/*
 * Within a string: past its characters and escapes, up to a quote that ends it,
 * a newline, which no string contains, or the end of the text.  A backslash
 * that is the last byte is not skipped, so that the search can go on from there
 * when more bytes have arrived.
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

/* From past a string's opening quote to past its closing one, or to end. */
const char *skip_string(const char *p, const char *end);

/*
 * Past a number; NULL if there is none at p that is written as JSON requires.
 * skip_fraction() is for what may follow an integer, from its first byte on.
 */
const char *skip_number(const char *p, const char *end);
const char *skip_fraction(const char *p, const char *end);

/*
 * The search for a value's end, which may be given the value's bytes in
 * pieces.  Start with { 0 }; text always begins with the value's first byte,
 * and has more bytes each time.
 */
struct skip {
	size_t at;		/* bytes that have been looked at */
	size_t depth;		/* brackets that are open */
	bool in_string;
};

/*
 * Past the next byte that gives the value its structure, which is returned: a
 * bracket, or the quote that ends a string.  A newline within a string is
 * returned as well, so that the caller may decide what it means.  NUL if there
 * are no more bytes.  depth is the caller's to count.
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
 * True if the value ends within the text: its first s->at bytes are the value.
 * A number or word that ends with the text may go on after it: false.
 */
bool skip_value(struct skip *, struct span text);

#endif
