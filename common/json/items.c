/* items - a walk over the items of a JSON array */

#include "common/json/items.h"

const char *
items_string_end(const char *p, const char *end)
{
	for (;;) {
		p += text_unescaped_length(p, (size_t)(end - p));
		if (p >= end || *p == '"')
			return p < end ? p + 1 : end;
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	}
}

/* The end of the value that begins at p. */
static const char *
value_end(const char *p, const char *end)
{
	unsigned depth = 0;

	for (; p < end; p++) {
		switch (*p) {
		case '"':
			p = items_string_end(p + 1, end) - 1;
			break;
		case '{':
		case '[':
			depth++;
			continue;
		case '}':
		case ']':
			if (depth == 0)
				return p;
			depth--;
			break;
		case ',':
			if (depth == 0)
				return p;
			continue;
		default:
			continue;
		}
		if (depth == 0)
			return p + 1;
	}
	return end;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void
items_take(struct span *rest, struct span *item)
{
	const char *p = rest->p, *end = p + rest->n;
	const char *behind = value_end(p, end);

	*rest = span_of(behind, (size_t)(end - behind));
	while (behind > p && is_blank(behind[-1]))
		behind--;
	*item = span_of(p, (size_t)(behind - p));
}

/* Behind blanks, and one of the character c. */
static void
skip(struct span *rest, char c)
{
	const char *p = rest->p, *end = p + rest->n;

	while (p < end && is_blank(*p))
		p++;
	p += p < end && *p == c;
	while (p < end && is_blank(*p))
		p++;
	*rest = span_of(p, (size_t)(end - p));
}

/* At the first item or member: behind the bracket, or else the comma. */
static bool
seek(struct span *rest, char open, char close)
{
	skip(rest, rest->n > 0 && *rest->p == open ? open : ',');
	return rest->n > 0 && *rest->p != close;
}

bool
items_seek(struct span *rest)
{
	return seek(rest, '[', ']');
}

bool
items_next(struct span *rest, struct span *item)
{
	if (!items_seek(rest))
		return false;
	items_take(rest, item);
	return true;
}

bool
items_next_member(struct span *rest, struct span *key, struct span *value)
{
	const char *end = rest->p + rest->n, *behind;

	if (!seek(rest, '{', '}'))
		return false;
	behind = items_string_end(rest->p + 1, end);
	*key = span_of(rest->p, (size_t)(behind - rest->p));
	*rest = span_of(behind, (size_t)(end - behind));
	skip(rest, ':');
	items_take(rest, value);
	return true;
}
