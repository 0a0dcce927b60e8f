/* cut - finds the ends of objects, and where the next begins after damage */

#include <string.h>

#include "filters/malparse/cut.h"

enum { LEVELS_MOST = 64 };

static enum cut_result
broken(struct cut *c, const char *why)
{
	c->why = why;
	return CUT_BROKEN;
}

/* Goes to the end of the string, which need not be within the bytes. */
static enum cut_result
finish_string(struct cut *c, struct span s)
{
	while (c->at < s.n) {
		c->at += text_unescaped_length(s.p + c->at, s.n - c->at);
		if (c->at == s.n)
			break;
		switch (s.p[c->at]) {
		case '"':
			c->in_string = false;
			c->at++;
			return CUT_WHOLE;
		case '\n':
			return broken(c, "a string is cut by the line's end");
		case '\\':
			if (c->at + 1 == s.n)
				return CUT_MORE;
			c->at += s.p[c->at + 1] != '\n';
			/* fallthrough */
		default:
			c->at++;
		}
	}
	return CUT_MORE;
}

static enum cut_result
open_level(struct cut *c, bool is_array)
{
	if (c->depth == LEVELS_MOST)
		return broken(c, "it has more than 64 levels");
	c->arrays = c->arrays << 1 | is_array;
	c->depth++;
	return CUT_MORE;
}

static enum cut_result
close_level(struct cut *c, bool is_array)
{
	if ((c->arrays & 1) != is_array)
		return broken(c, "its brackets do not match");
	c->arrays >>= 1;
	return --c->depth == 0 ? CUT_WHOLE : CUT_MORE;
}

/* An object that begins a line is a new one where none can stand in this. */
static bool
is_out_of_place(const struct cut *c)
{
	bool in_array = (c->arrays & 1) != 0;

	return c->before != ':' &&
	    !(in_array && (c->before == '[' || c->before == ','));
}

static enum cut_result
take(struct cut *c, char byte, bool begins_line)
{
	switch (byte) {
	case '"':
		c->in_string = true;
		return CUT_MORE;
	case '{':
		if (begins_line && c->depth > 0 && is_out_of_place(c))
			return broken(c, "another begins within it");
		return open_level(c, false);
	case '[':
		return open_level(c, true);
	case '}':
		return close_level(c, false);
	case ']':
		return close_level(c, true);
	}
	return CUT_MORE;
}

enum cut_result
cut_object(struct cut *c, struct span s)
{
	enum cut_result result;
	bool begins_line;
	char byte;

	for (;;) {
		if (c->in_string) {
			result = finish_string(c, s);
			if (result != CUT_WHOLE)
				return result;
			c->before = '"';
		}
		if (c->at == s.n)
			return CUT_MORE;
		byte = s.p[c->at];
		begins_line = c->at > 0 && s.p[c->at - 1] == '\n';
		result = take(c, byte, begins_line);
		if (result == CUT_BROKEN)
			return result;
		c->at++;
		if (result == CUT_WHOLE)
			return result;
		if (byte != ' ' && byte != '\t' && byte != '\n' && byte != '\r')
			c->before = byte;
	}
}

/* The keys that objects of a profiler begin with; variables have others. */
static bool
is_first_key(const char *p, size_t n)
{
	static const char *const keys[] = { "{\"version\":", "{\"source\":",
	    "{\"sessionid\":", "{\"session\":", "{\"event\":", "{\"user\":" };
	size_t length;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		length = strlen(keys[i]);
		if (n >= length && memcmp(p, keys[i], length) == 0)
			return true;
	}
	return false;
}

size_t
cut_next(struct span s, size_t at)
{
	const char *brace;

	for (; at < s.n; at++) {
		brace = memchr(s.p + at, '{', s.n - at);
		if (brace == NULL)
			break;
		at = (size_t)(brace - s.p);
		if ((at > 0 && brace[-1] == '\n') ||
		    is_first_key(brace, s.n - at))
			return at;
	}
	return s.n;
}
