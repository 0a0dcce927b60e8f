/* scan - cuts a stream of bytes into whole JSON values */

#include <string.h>

#include "common/io/input.h"
#include "common/json/scan.h"

/* What one knows within a value; at is an offset from its first byte. */
struct cursor {
	size_t at;
	size_t depth;
	bool in_string;
	size_t string;		/* where its characters begin */
};

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int
scan_peek(struct input *in)
{
	for (;;) {
		for (; in->at < in->end; in->at++) {
			if (!is_space(*in->at))
				return (unsigned char)*in->at;
			in->line += *in->at == '\n';
		}
		if (!input_more(in))
			return -1;
	}
}

bool
scan_take(struct input *in, char c)
{
	if (scan_peek(in) != (unsigned char)c)
		return false;
	in->at++;
	return true;
}

/* Is the byte at i behind an odd number of backslashes, from from on? */
static bool
is_escaped(const char *p, size_t i, size_t from)
{
	size_t n = 0;

	while (i > from && p[i - 1] == '\\') {
		i--;
		n++;
	}
	return n % 2 == 1;
}

/* Goes to the end of the string or of the bytes; true if it has ended. */
static bool
finish_string(struct cursor *c, const char *p, size_t n)
{
	const char *quote;

	while ((quote = memchr(p + c->at, '"', n - c->at)) != NULL) {
		c->at = (size_t)(quote - p) + 1;
		if (!is_escaped(p, c->at - 1, c->string)) {
			c->in_string = false;
			return true;
		}
	}
	c->at = n;
	return false;
}

/* Goes to the end of a number or word; it may go on behind the bytes. */
static bool
finish_word(struct cursor *c, const char *p, size_t n)
{
	while (c->at < n && !is_space(p[c->at]) &&
	    strchr(",:]}[{\"", p[c->at]) == NULL)
		c->at++;
	return c->at < n;
}

/* Goes to the end of the value; true if it lies within the n bytes. */
static bool
finish_value(struct cursor *c, const char *p, size_t n)
{
	if (c->in_string) {
		if (!finish_string(c, p, n))
			return false;
		if (c->depth == 0)
			return true;
	} else if (c->depth == 0 && c->at > 0) {
		return finish_word(c, p, n);
	}
	while (c->at < n) {
		switch (p[c->at++]) {
		case '"':
			c->in_string = true;
			c->string = c->at;
			if (!finish_string(c, p, n))
				return false;
			break;
		case '{':
		case '[':
			c->depth++;
			continue;
		case '}':
		case ']':
			c->depth--;
			break;
		default:
			if (c->depth == 0)
				return finish_word(c, p, n);
			continue;
		}
		if (c->depth == 0)
			return true;
	}
	return false;
}

static uint64_t
count_lines(const char *p, size_t n)
{
	const char *end = p + n;
	uint64_t lines = 0;

	while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		lines++;
		p++;
	}
	return lines;
}

static void
consume(struct input *in, struct span *piece, size_t n)
{
	*piece = span_of(in->at, n);
	in->line += count_lines(in->at, n);
	in->at += n;
}

enum scan_result
scan_value(struct input *in, size_t limit, struct span *value, uint64_t *line)
{
	struct cursor c = { 0 };
	int first = scan_peek(in);
	bool whole;

	if (first == -1 || strchr("]},:", first) != NULL)
		return SCAN_NONE;
	*line = in->line;
	for (;;) {
		whole = finish_value(&c, in->at, (size_t)(in->end - in->at));
		if (whole || c.at > limit || !input_more(in))
			break;
	}
	consume(in, value, c.at);
	if (c.at > limit)
		return SCAN_TOO_LONG;
	/* A word may end with the file, a string or bracket may not. */
	return whole || (c.depth == 0 && !c.in_string) ? SCAN_VALUE : SCAN_CUT;
}

bool
scan_rest(struct input *in, struct span *piece)
{
	if (in->at == in->end && !input_more(in))
		return false;
	consume(in, piece, (size_t)(in->end - in->at));
	return true;
}
