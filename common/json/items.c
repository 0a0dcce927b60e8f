/* items - walks over the items of an array or the members of an object */

#include "common/json/items.h"
#include "common/json/skip.h"

/* Skips white space, the character c if it is there, and white space again. */
static void
skip_separator(struct span *rest, char c)
{
	const char *p = rest->p, *end = p + rest->n;

	p = skip_space(p, end);
	p = skip_space(p + (p < end && *p == c), end);
	*rest = span_of(p, (size_t)(end - p));
}

/*
 * Before the first item or member, rest begins with the opening bracket; later
 * with what follows the previous item or member.
 */
static bool
advance(struct span *rest, char open, char close)
{
	skip_separator(rest, rest->n > 0 && *rest->p == open ? open : ',');
	return rest->n > 0 && *rest->p != close;
}

bool
items_advance(struct span *rest)
{
	return advance(rest, '[', ']');
}

void
items_take(struct span *rest, struct span *item)
{
	struct skip s = { 0 };

	skip_value(&s, *rest);
	*item = span_of(rest->p, s.at);
	*rest = span_of(rest->p + s.at, rest->n - s.at);
}

bool
items_next(struct span *rest, struct span *item)
{
	if (!items_advance(rest))
		return false;
	items_take(rest, item);
	return true;
}

bool
items_next_member(struct span *rest, struct span *key, struct span *value)
{
	if (!advance(rest, '{', '}'))
		return false;
	items_take(rest, key);
	skip_separator(rest, ':');
	items_take(rest, value);
	return true;
}
