/* fingerprint - a query's text without its constants */

#include <string.h>

#include "common/json/json.h"
#include "common/mal/fingerprint.h"

/* A text that is read from at on, and what was made of the part before. */
struct reader {
	struct span text;
	size_t at;
	struct buf *to;
	size_t start;		/* of the result in to */
};

/* The character this far after the current one; NUL after the end. */
static char
peek(const struct reader *r, size_t ahead)
{
	return r->at + ahead < r->text.n ? r->text.p[r->at + ahead] : '\0';
}

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    text_is_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
ends_with(const struct reader *r, const char *end)
{
	size_t n = strlen(end);

	return r->to->len - r->start >= n &&
	    memcmp(r->to->data + r->to->len - n, end, n) == 0;
}

static void
put_space(struct reader *r)
{
	if (r->to->len > r->start && !ends_with(r, " "))
		buf_char(r->to, ' ');
}

/* Skips white space and comments.  Returns false if there are none. */
static bool
skip_space(struct reader *r)
{
	if (json_is_space(peek(r, 0))) {
		r->at++;
	} else if (peek(r, 0) == '-' && peek(r, 1) == '-') {
		while (r->at < r->text.n && peek(r, 0) != '\n')
			r->at++;
	} else if (peek(r, 0) == '/' && peek(r, 1) == '*') {
		for (r->at += 2; r->at < r->text.n; r->at++)
			if (peek(r, 0) == '*' && peek(r, 1) == '/') {
				r->at += 2;
				break;
			}
	} else {
		return false;
	}
	return true;
}

/* Skips a quoted text; a doubled quote is part of it. */
static void
skip_quoted(struct reader *r, bool has_escapes)
{
	char quote = peek(r, 0);

	for (r->at++; r->at < r->text.n; r->at++) {
		if (has_escapes && peek(r, 0) == '\\')
			r->at++;
		else if (peek(r, 0) == quote && peek(r, 1) == quote)
			r->at++;
		else if (peek(r, 0) == quote)
			break;
	}
	r->at = r->at < r->text.n ? r->at + 1 : r->text.n;
}

static void
skip_number(struct reader *r)
{
	while (is_word(peek(r, 0)) || peek(r, 0) == '.') {
		if ((peek(r, 0) == 'e' || peek(r, 0) == 'E') &&
		    (peek(r, 1) == '-' || peek(r, 1) == '+'))
			r->at++;
		r->at++;
	}
}

/* Is the - at the end of the result a sign, and not a difference? */
static bool
ends_with_sign(const struct reader *r)
{
	const char *p = r->to->data + r->start;
	size_t n = r->to->len - r->start;

	if (n == 0 || p[--n] != '-')
		return false;
	if (n > 0 && p[n - 1] == ' ')
		n--;
	return n == 0 || strchr("(,=<>+-*/%|", p[n - 1]) != NULL;
}

static void
put_constant(struct reader *r)
{
	if (ends_with_sign(r))
		r->to->len--;
	if (ends_with(r, "?, "))
		r->to->len -= 2;
	else if (ends_with(r, "?,"))
		r->to->len--;
	else
		buf_char(r->to, '?');
}

/* Copies an identifier or keyword; r, e or the like before ' is a prefix. */
static void
put_word(struct reader *r)
{
	char first = peek(r, 0);

	if (peek(r, 1) == '\'' && strchr("rReExX", first) != NULL) {
		r->at++;
		skip_quoted(r, first != 'r' && first != 'R');
		put_constant(r);
		return;
	}
	for (; is_word(peek(r, 0)); r->at++)
		buf_char(r->to, lower(peek(r, 0)));
}

void
query_fingerprint(struct buf *to, struct span text)
{
	struct reader reader = { .text = text, .to = to, .start = to->len };
	struct reader *r = &reader;
	size_t from;
	char c;

	while (r->at < text.n) {
		c = peek(r, 0);
		from = r->at;
		if (skip_space(r)) {
			put_space(r);
		} else if (c == '\'') {
			skip_quoted(r, true);
			put_constant(r);
		} else if (c == '"') {
			skip_quoted(r, false);
			buf_add(to, text.p + from, r->at - from);
		} else if (text_is_digit(c) ||
		    (c == '.' && text_is_digit(peek(r, 1)))) {
			skip_number(r);
			put_constant(r);
		} else if (is_word(c)) {
			put_word(r);
		} else {
			buf_char(to, c);
			r->at++;
		}
	}
	while (to->len > r->start && (ends_with(r, " ") || ends_with(r, ";")))
		to->len--;
}
