/* repair - repairs objects in which MonetDB servers deviate from JSON */

#include <ctype.h>

#include "common/base/hex.h"
#include "filters/malparse/malparse.h"

/* The length of the escape at i; 0 if it is not valid. */
static size_t
escape_length(struct span s, size_t i)
{
	if (i + 1 >= s.n || s.p[i + 1] == '\0')
		return 0;
	if (s.p[i + 1] == 'u')
		return s.n - i >= 6 && hex_is_valid(span_of(s.p + i + 2, 4)) ?
		    6 : 0;
	return strchr("\"\\/bfnrt", s.p[i + 1]) != NULL ? 2 : 0;
}

/*
 * Copies the character or escape at i of a string, repaired if it is invalid.
 * Returns its length in s.
 */
static size_t
repair_character(struct span s, size_t i, struct buf *to)
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

/* Copies true, false or null; drops any other word.  Returns the word's end. */
static size_t
repair_word(struct span s, size_t i, struct buf *to)
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

void
repair_object(struct span s, struct buf *to)
{
	const char *p, *end;
	size_t i = 0, n;
	char c;

	to->len = 0;
	while (i < s.n) {
		c = s.p[i];
		if (isalpha((unsigned char)c)) {
			i = repair_word(s, i, to);
			continue;
		}
		if (text_is_digit(c) || c == '-') {
			/* With its exponent, which is not a word. */
			p = s.p + i;
			end = skip_number(p, s.p + s.n);
			n = end == NULL ? 1 : (size_t)(end - p);
			buf_add(to, p, n);
			i += n;
			continue;
		}

		if (c == '}' || c == ']') {
			for (n = to->len; n > 0 &&
			    text_is_space(to->data[n - 1]); n--)
				;
			if (n > 0 && to->data[n - 1] == ',')
				to->len = n - 1;
		}
		buf_char(to, c);
		i++;
		if (c != '"')
			continue;
		while (i < s.n && s.p[i] != '"')
			i += repair_character(s, i, to);
		if (i < s.n)
			buf_char(to, s.p[i++]);
	}
}
