/* scan - splits a stream of bytes into JSON values */

#include <string.h>

#include "common/io/input.h"
#include "common/json/scan.h"
#include "common/json/skip.h"

int
scan_peek(struct input *in)
{
	for (;;) {
		for (; in->at < in->end; in->at++) {
			if (!json_is_space(*in->at))
				return (unsigned char)*in->at;
			in->line += *in->at == '\n';
		}
		if (!input_more(in))
			return -1;
	}
}

bool
scan_accept(struct input *in, char c)
{
	if (scan_peek(in) != (unsigned char)c)
		return false;
	in->at++;
	return true;
}

bool
scan_each(struct input *in, const char *brackets, bool (*read)(void *context),
    void *context)
{
	if (!scan_accept(in, brackets[0]))
		return false;
	if (scan_accept(in, brackets[1]))
		return true;
	do
		if (!read(context))
			return false;
	while (scan_accept(in, ','));
	return scan_accept(in, brackets[1]);
}

struct span
scan_consume(struct input *in, size_t n)
{
	struct span piece = span_of(in->at, n);
	const char *p = in->at, *end = p + n;

	while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		in->line++;
		p++;
	}
	in->at = end;
	return piece;
}

enum scan_result
scan_value(struct input *in, size_t limit, struct span *value, uint64_t *line)
{
	struct skip s = { 0 };
	int first = scan_peek(in);
	bool whole;

	if (first == -1 || strchr("]},:", first) != NULL)
		return SCAN_NONE;
	*line = in->line;
	do
		whole = skip_value(&s, span_of(in->at,
		    (size_t)(in->end - in->at)));
	while (!whole && s.at <= limit && input_more(in));
	if (s.at > limit) {
		*value = scan_consume(in, s.at);
		return SCAN_TOO_LONG;
	}
	/*
	 * At the end of the file a number or word is complete, although
	 * skip_value() could not know.  Anything else is truncated.
	 */
	if (!whole && (s.depth > 0 || s.in_string)) {
		*value = scan_consume(in, (size_t)(in->end - in->at));
		return SCAN_TRUNCATED;
	}
	*value = scan_consume(in, s.at);
	return SCAN_WHOLE;
}

bool
scan_rest(struct input *in, struct span *piece)
{
	if (in->at == in->end && !input_more(in))
		return false;
	*piece = scan_consume(in, (size_t)(in->end - in->at));
	return true;
}

bool
scan_is_stream(struct input *in, size_t limit)
{
	const char *newline;
	size_t seen = 0, n;

	if (scan_peek(in) != '{')
		return true;
	do {
		n = (size_t)(in->end - in->at);
		newline = memchr(in->at + seen, '\n', n - seen);
		if (newline != NULL) {
			while (newline[-1] == '\r' || newline[-1] == ' ')
				newline--;
			return newline[-1] == '}';
		}
		seen = n;
	} while (seen <= limit && input_more(in));
	return true;
}
