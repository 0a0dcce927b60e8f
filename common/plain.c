/* plain - reads records in the form in which weir writes them */

#include "common/plain.h"

/*
 * Not a second JSON reader: it takes a part of JSON only, and nothing that
 * yajl would not.  It is there because the records between weir's own filters
 * are nearly all of this form, and reading them was half of what critpath
 * cost: of 275,000 tasks and 100,000 nodes (113 MB) yajl and its callbacks
 * took 0.33 s of CPU, this takes 0.09.
 */

enum { OTHERS_MOST = 16 };	/* undeclared keys, compared pairwise */

struct reader {
	const char *p, *end;
};

static inline bool
take(struct reader *in, char c)
{
	if (in->p == in->end || *in->p != c)
		return false;
	in->p++;
	return true;
}

/* The characters up to the closing quote, which is consumed. */
static bool
read_chars(struct reader *in, struct span *text)
{
	const char *start = in->p;
	uint32_t code;
	size_t n;

	for (;;) {
		in->p += text_plain(in->p, (size_t)(in->end - in->p));
		if (in->p == in->end)
			return false;
		if (*in->p == '"')
			break;
		n = utf8_char(in->p, (size_t)(in->end - in->p), &code);
		if (n < 2)
			return false;
		in->p += n;
	}
	*text = span_of(start, (size_t)(in->p++ - start));
	return true;
}

static bool
read_integer(struct reader *in, struct field *f)
{
	const char *start = in->p, *digits;

	take(in, '-');
	digits = in->p;
	while (in->p < in->end && *in->p >= '0' && *in->p <= '9')
		in->p++;
	if (in->p == digits || (*digits == '0' && in->p - digits > 1) ||
	    in->p == in->end || (*in->p != ',' && *in->p != '}'))
		return false;
	f->kind = REC_NUMBER;
	f->text = span_of(start, (size_t)(in->p - start));
	return true;
}

static bool
read_word(struct reader *in, struct field *f)
{
	const char *word = *in->p == 't' ? "true" : "false";
	size_t n = strlen(word);

	if ((size_t)(in->end - in->p) < n || memcmp(in->p, word, n) != 0)
		return false;
	in->p += n;
	f->kind = *word == 't' ? REC_TRUE : REC_FALSE;
	return true;
}

static bool
read_array(struct reader *in, struct rec *r, struct field *f)
{
	struct span text;

	f->kind = REC_ARRAY;
	if (take(in, ']'))
		return true;
	do {
		if (!take(in, '"') || !read_chars(in, &text))
			return false;
		rec_add_item(r, text);
	} while (take(in, ','));
	return take(in, ']');
}

static bool
read_value(struct reader *in, struct rec *r, struct field *f)
{
	if (in->p == in->end)
		return false;
	f->token.p = in->p;
	switch (*in->p) {
	case '"':
		in->p++;
		if (!read_chars(in, &f->text))
			return false;
		f->kind = REC_STRING;
		break;
	case '[':
		in->p++;
		if (!read_array(in, r, f))
			return false;
		break;
	case 't':
	case 'f':
		if (!read_word(in, f))
			return false;
		break;
	default:
		if (!read_integer(in, f))
			return false;
	}
	f->token.n = (size_t)(in->p - f->token.p);
	return true;
}

/* Keys that are not declared: few, or else yajl's to compare. */
static bool
is_new(struct span *others, size_t *n, struct span key)
{
	for (size_t i = 0; i < *n; i++)
		if (others[i].n == key.n &&
		    memcmp(others[i].p, key.p, key.n) == 0)
			return false;
	if (*n == OTHERS_MOST)
		return false;
	others[(*n)++] = key;
	return true;
}

bool
plain_read(struct rec *r, struct span text)
{
	struct reader in = { text.p, text.p + text.n };
	struct span key, others[OTHERS_MOST];
	size_t n_others = 0;
	struct field *f;
	bool is_declared;

	rec_clear(r);
	if (!take(&in, '{'))
		return false;
	do {
		if (!take(&in, '"') || !read_chars(&in, &key) ||
		    !take(&in, ':'))
			return false;
		f = rec_add(r, key, &is_declared);
		if (f == NULL || !(is_declared ||
		    is_new(others, &n_others, key)) || !read_value(&in, r, f))
			return false;
	} while (take(&in, ','));
	return take(&in, '}') && in.p == in.end;
}
