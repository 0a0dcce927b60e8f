/* mend - makes JSON of what MonetDB servers write in its place */

#include <ctype.h>

#include "filters/malparse/mend.h"

static bool
is_hex(struct span s, size_t at)
{
	for (size_t i = at; i < at + 4; i++)
		if (i >= s.n || !isxdigit((unsigned char)s.p[i]))
			return false;
	return true;
}

/* The escape at i: how long it is; 0 if it is none. */
static size_t
escape_length(struct span s, size_t i)
{
	if (i + 1 >= s.n || s.p[i + 1] == '\0')
		return 0;
	if (s.p[i + 1] == 'u')
		return is_hex(s, i + 2) ? 6 : 0;
	return strchr("\"\\/bfnrt", s.p[i + 1]) != NULL ? 2 : 0;
}

/* What stands at i within a string; returns how much of it was taken. */
static size_t
mend_char(struct span s, size_t i, struct buf *to)
{
	unsigned char c = (unsigned char)s.p[i];
	uint32_t code;
	size_t n;

	if (c == '\\') {
		n = escape_length(s, i);
		if (n == 0)
			buf_str(to, "\\\\");
	} else if (c < 0x20) {
		buf_printf(to, "\\u%04x", c);
		return 1;
	} else {
		n = utf8_char(s.p + i, s.n - i, &code);
		if (n == 0)
			buf_str(to, "\xef\xbf\xbd");	/* U+FFFD */
	}
	buf_add(to, s.p + i, n);
	return n > 0 ? n : 1;
}

/* From behind the opening quote to behind the closing one. */
static size_t
mend_string(struct span s, size_t i, struct buf *to)
{
	while (i < s.n && s.p[i] != '"')
		i += mend_char(s, i, to);
	if (i < s.n)
		buf_char(to, s.p[i++]);
	return i;
}

/* A run of letters counts if it is a word of JSON's. */
static size_t
mend_word(struct span s, size_t i, struct buf *to)
{
	size_t end = i;
	struct span word;

	while (end < s.n && isalpha((unsigned char)s.p[end]))
		end++;
	word = span_of(s.p + i, end - i);
	if (span_eq(word, "true") || span_eq(word, "false") ||
	    span_eq(word, "null"))
		buf_add(to, word.p, word.n);
	return end;
}

/* A number with its exponent, which is no word. */
static size_t
copy_number(struct span s, size_t i, struct buf *to)
{
	size_t end = i;

	while (end < s.n && s.p[end] != '\0' &&
	    strchr("0123456789+-.eE", s.p[end]) != NULL)
		end++;
	buf_add(to, s.p + i, end - i);
	return end;
}

/* Takes back a comma, and blanks behind it, before a closing bracket. */
static void
drop_comma(struct buf *to)
{
	size_t n = to->len;

	while (n > 0 && isspace((unsigned char)to->data[n - 1]))
		n--;
	if (n > 0 && to->data[n - 1] == ',')
		to->len = n - 1;
}

void
mend(struct span s, struct buf *to)
{
	size_t i = 0;
	char c;

	to->len = 0;
	while (i < s.n) {
		c = s.p[i];
		if (isalpha((unsigned char)c)) {
			i = mend_word(s, i, to);
			continue;
		}
		if (isdigit((unsigned char)c) || c == '-') {
			i = copy_number(s, i, to);
			continue;
		}
		if (c == '}' || c == ']')
			drop_comma(to);
		buf_char(to, c);
		i++;
		if (c == '"')
			i = mend_string(s, i, to);
	}
}
