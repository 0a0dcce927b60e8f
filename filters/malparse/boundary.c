/* boundary - finds where a profiler's objects end, and where the next begins */

#include <string.h>

#include "filters/malparse/malparse.h"

enum { LEVELS_MAX = 64 };	/* bits of boundary.bracket_stack */

static enum boundary_result
set_broken(struct object_scan *b, const char *why)
{
	b->why = why;
	return BOUNDARY_BROKEN;
}

/* Whether bytes are a bracket and, after blanks, the number of an event. */
static bool
begins_tuple(struct span s)
{
	size_t i = 1;

	while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t'))
		i++;
	return i < s.n && s.p[0] == '[' && text_is_digit(s.p[i]);
}

/*
 * Whether the bracket at `at` starts a line where JSON allows no value: a value
 * may follow only a colon or, in an array, the opening bracket or a comma.
 */
static bool
begins_next_object(const struct object_scan *b, struct span s, size_t at)
{
	bool in_array = (b->bracket_stack & 1) != 0;
	char before;

	if (at == 0 || s.p[at - 1] != '\n')
		return false;
	while (json_is_space(s.p[at - 1]))
		at--;
	before = s.p[at - 1];
	return before != ':' && !(in_array && (before == '[' || before == ','));
}

enum boundary_result
boundary_find(struct object_scan *b, struct span s)
{
	bool is_array;
	size_t at;
	char c;

	for (;;) {
		c = skip_to_structure(&b->skip, s);
		is_array = c == '[' || c == ']';
		at = b->skip.at - 1;
		switch (c) {
		case '\0':
			return BOUNDARY_MORE;
		case '\n':
			return set_broken(b, "a string is truncated by the "
			    "end of the line");
		case '{':
		case '[':
			if (begins_next_object(b, s, at) && (!is_array ||
			    begins_tuple(span_of(s.p + at, s.n - at))))
				return set_broken(b, is_array ? "a tuple "
				    "begins within it" : "another object "
				    "begins within it");
			if (b->skip.depth == LEVELS_MAX)
				return set_broken(b, "it has more than 64 "
				    "levels");
			b->bracket_stack = b->bracket_stack << 1 | is_array;
			b->skip.depth++;
			break;
		case '}':
		case ']':
			if ((b->bracket_stack & 1) != is_array)
				return set_broken(b, "its brackets do not "
				    "match");
			b->bracket_stack >>= 1;
			if (--b->skip.depth == 0)
				return BOUNDARY_FOUND;
		}
	}
}

/*
 * Whether the bytes begin with a brace and a key with which profilers begin
 * their objects.  The nested objects, which describe variables, begin with
 * other keys.
 */
static bool
begins_with_first_key(struct span s)
{
	static const char *const keys[] = { "{\"version\":", "{\"source\":",
	    "{\"sessionid\":", "{\"session\":", "{\"event\":", "{\"user\":" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (span_begins_with(s, keys[i]))
			return true;
	return false;
}

size_t
boundary_next(struct span s, size_t at)
{
	struct span rest;
	bool starts_line;

	for (; at < s.n; at++) {
		rest = span_of(s.p + at, s.n - at);
		starts_line = at > 0 && s.p[at - 1] == '\n';
		if ((s.p[at] == '{' && (starts_line ||
		    begins_with_first_key(rest))) ||
		    (starts_line && begins_tuple(rest)))
			return at;
	}
	return s.n;
}
