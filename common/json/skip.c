/* skip - finds where tokens and values of JSON text end */

#include "common/json/skip.h"

const char *
skip_string(const char *p, const char *end)
{
	for (;;) {
		p = skip_characters(p, end);
		if (p == end || *p == '\\')
			return end;
		if (*p++ == '"')
			return p;
	}
}

/* At least one digit. */
static const char *
skip_digits(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && text_is_digit(*p))
		p++;
	return p > start ? p : NULL;
}

const char *
skip_fraction(const char *p, const char *end)
{
	if (p < end && *p == '.' && (p = skip_digits(p + 1, end)) == NULL)
		return NULL;
	if (p == end || (*p != 'e' && *p != 'E'))
		return p;
	p++;
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	return skip_digits(p, end);
}

const char *
skip_number(const char *p, const char *end)
{
	const char *digits = p + (p < end && *p == '-');

	p = skip_digits(digits, end);
	if (p == NULL || (*digits == '0' && p - digits > 1))
		return NULL;
	return skip_fraction(p, end);
}

/*
 * A number, true, false or null.  It ends before white space, a separator, a
 * bracket, a quote or a NUL; false if none of these has arrived.
 */
static bool
skip_word(struct skip *s, struct span text)
{
	if (s->at == 0 && text.n > 0)
		s->at = 1;	/* any byte, so that callers advance */
	while (s->at < text.n && !json_is_space(text.p[s->at]) &&
	    strchr(",:]}[{\"", text.p[s->at]) == NULL)
		s->at++;
	return s->at < text.n;
}

bool
skip_value(struct skip *s, struct span text)
{
	char c;

	/* At depth 0 and outside of a string, at > 0 means: within a word. */
	if (s->depth == 0 && !s->in_string && (s->at > 0 || text.n == 0 ||
	    memchr("\"{[", *text.p, 3) == NULL))
		return skip_word(s, text);
	while ((c = skip_to_structure(s, text)) != '\0') {
		if (c == '{' || c == '[')
			s->depth++;
		else if (c == '}' || c == ']')
			s->depth--;
		if (s->depth == 0 && c != '\n')
			return true;
	}
	return false;
}
