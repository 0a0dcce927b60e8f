/* shorten - names of functions that fit a line */

#include <ctype.h>
#include <string.h>

#include "filters/callgraph-stat/shorten.h"

enum { SHORT = 32 };		/* bytes, which fit anywhere */

static bool
begins_with(struct span s, const char *text)
{
	size_t n = strlen(text);

	return s.n >= n && memcmp(s.p, text, n) == 0;
}

static bool
is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * The length of what looks like brackets and is none: an arrow, a namespace
 * without a name, the sign of an operator.
 */
static size_t
unbracketed(struct span name, size_t i)
{
	static const char operator[] = "operator", signs[] = "<>=!+-*/%^&|~,[]";
	struct span s = span_of(name.p + i, name.n - i);
	size_t n = sizeof operator - 1;

	if (begins_with(s, "->"))
		return 2;
	if (begins_with(s, "(anonymous namespace)"))
		return strlen("(anonymous namespace)");
	if (!begins_with(s, operator) || (i > 0 && is_name(name.p[i - 1])))
		return 0;
	if (begins_with(span_of(s.p + n, s.n - n), "()"))
		return n + 2;
	while (n < s.n && memchr(signs, s.p[n], sizeof signs - 1) != NULL)
		n++;
	return n;
}

/* Rust's "<T as U>::f" begins with what is no list of arguments. */
static bool
opens(struct span name, size_t i, size_t depth)
{
	return name.p[i] == '(' || (name.p[i] == '<' &&
	    (depth > 0 || (i > 0 && (is_name(name.p[i - 1]) ||
	    name.p[i - 1] == ' '))));
}

static bool
closes(char c, size_t depth)
{
	return depth > 0 && (c == ')' || c == '>');
}

/* Goes into brackets: of what is in them two dots are left. */
static void
enter(struct buf *b, struct span name, size_t i)
{
	if (i + 1 < name.n && !closes(name.p[i + 1], 1))
		buf_str(b, "..");
}

static bool
put_short(struct buf *b, struct span name)
{
	size_t depth = 0, n;

	for (size_t i = 0; i < name.n; i += n) {
		n = unbracketed(name, i);
		if (depth == 0 && n > 0)
			buf_add(b, name.p + i, n);
		if (n > 0)
			continue;
		n = 1;
		depth -= closes(name.p[i], depth);
		if (depth == 0)
			buf_char(b, name.p[i]);
		if (opens(name, i, depth) && depth++ == 0)
			enter(b, name, i);
	}
	return depth == 0;
}

void
shorten(struct buf *b, struct span name)
{
	size_t before = b->len;

	if (name.n > SHORT && put_short(b, name))
		return;
	b->len = before;
	buf_add(b, name.p, name.n);
}
