/* fingerprint - a query's text without its constants */

#include <string.h>

#include "common/json/json.h"
#include "common/mal/fingerprint.h"

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    text_is_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The length of white space or of a comment at p; 0 if there is none. */
static size_t
space_length(const char *p, size_t n)
{
	size_t i = 2;

	if (json_is_space(p[0]))
		return 1;
	if (n >= 2 && p[0] == '-' && p[1] == '-') {
		while (i < n && p[i] != '\n')
			i++;
		return i;
	}
	if (n < 2 || p[0] != '/' || p[1] != '*')
		return 0;
	for (; i + 1 < n; i++)
		if (p[i] == '*' && p[i + 1] == '/')
			return i + 2;
	return n;
}

/* The length of a quoted text at p; a doubled quote is part of it. */
static size_t
quoted_length(const char *p, size_t n, bool has_escapes)
{
	for (size_t i = 1; i < n; i++)
		if ((has_escapes && p[i] == '\\') ||
		    (p[i] == p[0] && i + 1 < n && p[i + 1] == p[0]))
			i++;
		else if (p[i] == p[0])
			return i + 1;
	return n;
}

static size_t
number_length(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && (is_word(p[i]) || p[i] == '.'))
		i += (p[i] == 'e' || p[i] == 'E') && i + 1 < n &&
		    (p[i + 1] == '-' || p[i + 1] == '+') ? 2 : 1;
	return i < n ? i : n;
}

/*
 * The length of a string or number at p; 0 if there is none.  In a string with
 * the prefix r a backslash is not an escape.
 */
static size_t
constant_length(const char *p, size_t n)
{
	if (p[0] == '\'')
		return quoted_length(p, n, true);
	if (n >= 2 && p[1] == '\'' && strchr("rReExX", p[0]) != NULL)
		return 1 + quoted_length(p + 1, n - 1, strchr("rR", p[0]) ==
		    NULL);
	if (text_is_digit(p[0]) || (n >= 2 && p[0] == '.' &&
	    text_is_digit(p[1])))
		return number_length(p, n);
	return 0;
}

static bool
ends_with(const struct buf *b, size_t start, const char *end)
{
	size_t n = strlen(end);

	return b->len - start >= n &&
	    memcmp(b->data + b->len - n, end, n) == 0;
}

/* Adds a constant, without its sign, unless it continues a list of them. */
static void
put_constant(struct buf *b, size_t start)
{
	size_t n = b->len;

	if (ends_with(b, start, "-")) {
		n -= ends_with(b, start, " -") ? 2 : 1;
		/* It is a sign, and not a difference. */
		if (n == start || strchr("(,=<>+-*/%|", b->data[n - 1]) != NULL)
			b->len--;
	}
	if (ends_with(b, start, "?, "))
		b->len -= 2;
	else if (ends_with(b, start, "?,"))
		b->len--;
	else
		buf_char(b, '?');
}

void
query_fingerprint(struct buf *b, struct span text)
{
	size_t start = b->len, n, left;
	const char *p = text.p, *end = p + text.n;

	for (; p < end; p += n) {
		left = (size_t)(end - p);
		if ((n = space_length(p, left)) > 0) {
			if (b->len > start && !ends_with(b, start, " "))
				buf_char(b, ' ');
		} else if ((n = constant_length(p, left)) > 0) {
			put_constant(b, start);
		} else if (*p == '"') {
			n = quoted_length(p, left, false);
			buf_add(b, p, n);
		} else {
			do {
				buf_char(b, p[n] >= 'A' && p[n] <= 'Z' ?
				    (char)(p[n] - 'A' + 'a') : p[n]);
				n++;
			} while (n < left && is_word(p[n - 1]) &&
			    is_word(p[n]));
		}
	}
	while (ends_with(b, start, " ") || ends_with(b, start, ";"))
		b->len--;
}
