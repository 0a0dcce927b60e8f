/* shorten - shortens function names to fit into a line */

#include <ctype.h>
#include <string.h>

#include "filters/callgraph-stat/shorten.h"

enum { SHORT_BYTES = 32 };	/* names up to this length are not changed */

static bool
begins_with(struct span s, const char *text)
{
	size_t n = strlen(text);

	return s.n >= n && memcmp(s.p, text, n) == 0;
}

static bool
is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * The length of the token at i if it is one whose brackets do not enclose
 * arguments: "->", "(anonymous namespace)" or an operator such as "operator<".
 * Otherwise 0.
 */
static size_t
token_length(struct span name, size_t i)
{
	static const char operator[] = "operator", signs[] = "<>=!+-*/%^&|~,[]";
	struct span s = span_of(name.p + i, name.n - i);
	size_t n = sizeof operator - 1;

	if (begins_with(s, "->"))
		return 2;
	if (begins_with(s, "(anonymous namespace)"))
		return strlen("(anonymous namespace)");
	if (!begins_with(s, operator) || (i > 0 && is_name_char(name.p[i - 1])))
		return 0;
	if (begins_with(span_of(s.p + n, s.n - n), "()"))
		return n + 2;
	while (n < s.n && memchr(signs, s.p[n], sizeof signs - 1) != NULL)
		n++;
	return n;
}

/*
 * Whether the character at i is a bracket that opens arguments.  Outside other
 * brackets, an angle bracket does so only after a name or a space: the one that
 * begins Rust's "<T as U>::f" does not.
 */
static bool
opens(struct span name, size_t i, size_t depth)
{
	return name.p[i] == '(' || (name.p[i] == '<' &&
	    (depth > 0 || (i > 0 && (is_name_char(name.p[i - 1]) ||
	    name.p[i - 1] == ' '))));
}

static bool
closes(char c, size_t depth)
{
	return depth > 0 && (c == ')' || c == '>');
}

/* Adds two dots for what the bracket at i encloses, unless that is nothing. */
static void
put_dots(struct buf *b, struct span name, size_t i)
{
	/* The next character is inside the bracket at i: at depth 1. */
	if (i + 1 < name.n && !closes(name.p[i + 1], 1))
		buf_str(b, "..");
}

/* Adds what is outside brackets.  False if the brackets are unbalanced. */
static bool
put_short(struct buf *b, struct span name)
{
	size_t depth = 0, n;

	for (size_t i = 0; i < name.n; i += n) {
		n = token_length(name, i);
		if (depth == 0 && n > 0)
			buf_add(b, name.p + i, n);
		if (n > 0)
			continue;
		n = 1;
		depth -= closes(name.p[i], depth);
		if (depth == 0)
			buf_char(b, name.p[i]);
		if (opens(name, i, depth) && depth++ == 0)
			put_dots(b, name, i);
	}
	return depth == 0;
}

void
shorten(struct buf *b, struct span name)
{
	size_t before = b->len;

	if (name.n > SHORT_BYTES && put_short(b, name))
		return;
	b->len = before;
	buf_add(b, name.p, name.n);
}
