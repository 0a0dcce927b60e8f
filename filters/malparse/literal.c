/* literal - decodes MAL literals, and SQL texts in them */

#include <string.h>

#include "filters/malparse/malparse.h"

static bool
is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/*
 * Appends the character that the escape at s.p denotes, or the backslash if it
 * does not begin an escape.  Returns the length of what was decoded.
 */
static size_t
decode_escape(struct buf *to, struct span s)
{
	static const char escapes[] = "ntrf\"\\'", values[] = "\n\t\r\f\"\\'";
	const char *found;

	if (s.n >= 4 && s.p[1] <= '3' && is_octal(s.p[1]) &&
	    is_octal(s.p[2]) && is_octal(s.p[3])) {
		buf_char(to, (char)((s.p[1] - '0') << 6 |
		    (s.p[2] - '0') << 3 | (s.p[3] - '0')));
		return 4;
	}
	found = s.n < 2 || s.p[1] == '\0' ? NULL : strchr(escapes, s.p[1]);
	if (found == NULL) {
		buf_char(to, '\\');
		return 1;
	}
	buf_char(to, values[found - escapes]);
	return 2;
}

void
literal_decode(struct buf *to, struct span s)
{
	if (s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"')
		s = span_of(s.p + 1, s.n - 2);
	for (size_t i = 0; i < s.n;) {
		if (s.p[i] == '\\')
			i += decode_escape(to, span_of(s.p + i, s.n - i));
		else
			buf_char(to, s.p[i++]);
	}
}

void
literal_unescape(struct buf *text, bool if_undecided)
{
	bool is_escaped = if_undecided;
	const char *end = text->data + text->len;
	size_t n = 0;

	for (const char *p = text->data; p < end; p++) {
		if (*p == '\'')
			return;
		if (*p != '\\')
			continue;
		p++;	/* to the escaped character */
		if (p == end || *p == '\0' || strchr("'\"\\", *p) == NULL)
			return;
		is_escaped |= *p != '\\';
	}
	if (!is_escaped)
		return;

	for (size_t i = 0; i < text->len; i++) {
		i += text->data[i] == '\\' && i + 1 < text->len;
		text->data[n++] = text->data[i];
	}
	text->len = n;
}
