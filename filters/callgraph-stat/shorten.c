/* shorten - shortens the names of functions until they fit */

#include <ctype.h>
#include <string.h>

#include "common/report/cells.h"
#include "filters/callgraph-stat/callgraph-stat.h"

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

	if (span_begins_with(s, "->"))
		return 2;
	if (span_begins_with(s, "(anonymous namespace)"))
		return strlen("(anonymous namespace)");
	if (!span_begins_with(s, operator) ||
	    (i > 0 && is_name_char(name.p[i - 1])))
		return 0;
	if (span_begins_with(span_of(s.p + n, s.n - n), "()"))
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

/*
 * The length of what is at i: a token, or one character.  Changes the depth of
 * brackets if it is one.
 */
static size_t
step(struct span name, size_t i, size_t *depth)
{
	size_t n = token_length(name, i);

	if (n > 0)
		return n;
	if (closes(name.p[i], *depth))
		--*depth;
	else if (opens(name, i, *depth))
		++*depth;
	return 1;
}

/*
 * Adds a name without what is in the brackets that begin with one of the
 * characters of `kinds`.  False if the brackets are unbalanced.
 */
static bool
put_elided(struct buf *b, struct span name, const char *kinds)
{
	size_t depth = 0, before, n;
	bool is_elided = false;

	for (size_t i = 0; i < name.n; i += n) {
		before = depth;
		n = step(name, i, &depth);
		if (depth == 0 || (before == 0 && depth == 1) || !is_elided)
			buf_add(b, name.p + i, n);
		if (before != 0 || depth != 1)
			continue;
		is_elided = strchr(kinds, name.p[i]) != NULL;
		/* Empty brackets stay empty. */
		if (is_elided && i + 1 < name.n && !closes(name.p[i + 1], 1))
			buf_str(b, "..");
	}
	return depth == 0;
}

/*
 * Where the arguments of a name begin: the last bracket outside others, or the
 * end of the name.
 */
static size_t
find_arguments(struct span name)
{
	size_t depth = 0, before, n, found = name.n;

	for (size_t i = 0; i < name.n; i += n) {
		before = depth;
		n = step(name, i, &depth);
		if (before == 0 && depth == 1 && name.p[i] == '(')
			found = i;
	}
	return found;
}

static bool
is_operator(struct span name, size_t i)
{
	return token_length(name, i) >= strlen("operator") &&
	    span_begins_with(span_of(name.p + i, name.n - i), "operator");
}

/*
 * Where the next part of a name begins, after the part that begins at `from`:
 * after "::" or, because a type may precede the name, after a space before the
 * arguments.  An operator is one part: its own name may be a type.  The end of
 * the name if there is no further part.
 */
static size_t
next_part(struct span name, size_t from, size_t arguments)
{
	bool in_operator = is_operator(name, from);
	size_t depth = 0, before, n;

	for (size_t i = from; i < name.n; i += n) {
		if (depth == 0 && i > from && is_operator(name, i))
			return i;
		before = depth;
		n = step(name, i, &depth);
		in_operator &= before == 0 || depth > 0 || name.p[i] != ')';
		if (before > 0 || depth > 0 || in_operator)
			continue;
		if (span_begins_with(span_of(name.p + i, name.n - i), "::"))
			return i + 2;
		if (name.p[i] == ' ' && arguments < name.n && i < arguments)
			return i + 1;
	}
	return name.n;
}

/* Where the identifier at i ends: before its brackets. */
static size_t
identifier_end(struct span name, size_t i, size_t arguments)
{
	size_t end = i + token_length(name, i);

	/* "operator new[]", "operator unsigned long" */
	if (is_operator(name, i) && end < name.n && name.p[end] == ' ' &&
	    end < arguments)
		return arguments;
	if (end > i)
		return end;
	while (end < name.n && !opens(name, end, 0) && name.p[end] != ' ' &&
	    name.p[end] != '[')
		end++;
	return end;
}

/* Adds a name without as many of its first parts as necessary. */
static void
put_last_parts(struct buf *b, struct span name, size_t n)
{
	static const char dots[] = "..";
	size_t arguments = find_arguments(name), width = cells_width(name);
	size_t own = 0, next;	/* own: the function's own identifier */

	for (size_t i = 0; i < name.n; i = next_part(name, i, arguments))
		own = i;
	for (size_t i = 0; i < own; i = next) {
		next = next_part(name, i, arguments);
		width -= cells_width(span_of(name.p + i, next - i));
		if (width + strlen(dots) > n)
			continue;
		buf_str(b, dots);
		buf_add(b, name.p + next, name.n - next);
		return;
	}
	cells_put(b, span_of(name.p + own,
	    identifier_end(name, own, arguments) - own), n);
}

void
shorten(struct buf *b, struct span name, size_t n)
{
	static const char *const kinds[] = { "", "(", "(<" };
	struct buf text = { 0 };
	bool is_balanced = true, fits = false;

	if (name.n == 0)
		return;
	for (size_t i = 0; i < 3 && is_balanced && !fits; i++) {
		text.len = 0;
		is_balanced = put_elided(&text, name, kinds[i]);
		fits = cells_width(buf_span(&text)) <= n;
	}
	/* "(the first of its thread)" has no name. */
	if (!is_balanced || (*name.p == '(' && token_length(name, 0) == 0))
		cells_put(b, name, n);
	else if (fits)
		buf_add(b, text.data, text.len);
	else
		put_last_parts(b, buf_span(&text), n);
	buf_release(&text);
}

struct span
shorten_caller(struct span s)
{
	size_t depth = 0, n;

	for (size_t i = 0; i < s.n; i += n) {
		if (depth == 0 && span_begins_with(span_of(s.p + i, s.n - i),
		    CALLS_SIGN))
			return span_of(s.p, i);
		n = step(s, i, &depth);
	}
	return s;
}

void
shorten_qualified(struct buf *b, struct span name)
{
	size_t end = find_arguments(name), depth = 0, before, n;
	size_t start = b->len;
	const char *tag;

	for (size_t i = 0; i < end; i += n) {
		before = depth;
		n = step(name, i, &depth);
		tag = memchr(name.p + i, ']', end - i);
		if (tag != NULL && span_begins_with(span_of(name.p + i,
		    end - i), "[abi:"))
			n = (size_t)(tag + 1 - name.p) - i;
		else if (before == 0 && depth == 0 && n == 1 &&
		    name.p[i] == ' ' && end < name.n)
			b->len = start;		/* a type precedes */
		else if (before == 0 && depth == 0)
			buf_add(b, name.p + i, n);
	}
}
