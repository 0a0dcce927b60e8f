/* plain - reads records in the form in which nearly all of them come */

#include "common/plain.h"

/*
 * Not a second JSON reader: it takes a part of JSON only, and nothing that
 * yajl would not.  It is there because nearly all records that weir reads are
 * of this form, and reading them is most of what the filters do: with yajl
 * alone critpath took 0.50 s of CPU for 275,000 tasks and 100,000 nodes, with
 * this 0.26; buildgraph-parse 0.14 s for 39 MB, with this 0.06.
 */

enum {
	OTHERS_MOST = 32,	/* keys of one object that are compared */
	DEPTH_MOST = 4		/* levels below the record */
};

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

/* At least one digit. */
static bool
skip_digits(struct reader *in)
{
	const char *start = in->p;

	while (in->p < in->end && *in->p >= '0' && *in->p <= '9')
		in->p++;
	return in->p > start;
}

/* What may follow an integer and makes it a float. */
static bool
skip_fraction(struct reader *in)
{
	if (take(in, '.') && !skip_digits(in))
		return false;
	if (!take(in, 'e') && !take(in, 'E'))
		return true;
	if (!take(in, '-'))
		take(in, '+');
	return skip_digits(in);
}

/*
 * A number.  The value of an integer is learnt on the way, if it has so few
 * digits that it must fit.
 */
static bool
read_number(struct reader *in, struct field *f)
{
	const char *start = in->p, *digits, *behind;
	bool negative = take(in, '-');
	uint64_t value = 0, part;

	digits = in->p;
	while (in->end - in->p >= 8 && text_eight_digits(in->p, &part)) {
		value = value * 100000000 + (uint32_t)part;
		in->p += 8;
	}
	for (; in->p < in->end && *in->p >= '0' && *in->p <= '9'; in->p++)
		value = value * 10 + (uint64_t)(*in->p - '0');
	behind = in->p;
	if (behind == digits || (*digits == '0' && behind - digits > 1) ||
	    !skip_fraction(in))
		return false;
	f->text = span_of(start, (size_t)(in->p - start));
	f->is_int = in->p == behind && behind - digits <= 18;
	if (f->is_int)
		f->integer = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

static bool
read_word(struct reader *in, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(in->end - in->p) < n || memcmp(in->p, word, n) != 0)
		return false;
	in->p += n;
	return true;
}

static inline void
skip_spaces(struct reader *in)
{
	while (in->p < in->end && *in->p == ' ')
		in->p++;
}

/* What stands between two members or items; false behind the last. */
static inline bool
take_comma(struct reader *in)
{
	skip_spaces(in);
	if (!take(in, ','))
		return false;
	skip_spaces(in);
	return true;
}

static bool
read_key(struct reader *in, struct span *key)
{
	if (!take(in, '"') || !read_chars(in, key))
		return false;
	skip_spaces(in);
	if (!take(in, ':'))
		return false;
	skip_spaces(in);
	return true;
}

/* Few keys, all different; or else it is yajl's to compare them. */
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

/* A value within a field, of which only the place is of interest. */
static bool
skip_value(struct reader *in, unsigned depth)
{
	struct span text, others[OTHERS_MOST];
	struct field ignored;
	size_t n_others = 0;
	char end;

	if (in->p == in->end || depth > DEPTH_MOST)
		return false;
	switch (*in->p) {
	case '"':
		in->p++;
		return read_chars(in, &text);
	case 't':
		return read_word(in, "true");
	case 'f':
		return read_word(in, "false");
	case '{':
	case '[':
		break;
	default:
		return read_number(in, &ignored);
	}
	end = *in->p++ == '{' ? '}' : ']';
	skip_spaces(in);
	if (take(in, end))
		return true;
	do
		if ((end == '}' && (!read_key(in, &text) ||
		    !is_new(others, &n_others, text))) ||
		    !skip_value(in, depth + 1))
			return false;
	while (take_comma(in));
	return take(in, end);
}

static bool
read_array(struct reader *in, struct rec *r, struct field *f)
{
	struct span text;

	f->kind = REC_ARRAY;
	skip_spaces(in);
	if (take(in, ']'))
		return true;
	do
		if (!take(in, '"')) {
			f->mixed = true;
			if (!skip_value(in, 1))
				return false;
		} else if (read_chars(in, &text)) {
			rec_add_item(r, text);
		} else {
			return false;
		}
	while (take_comma(in));
	return take(in, ']');
}

static bool
read_value(struct reader *in, struct rec *r, struct field *f)
{
	bool good;

	if (in->p == in->end)
		return false;
	f->token.p = in->p;
	switch (*in->p) {
	case '"':
		in->p++;
		f->kind = REC_STRING;
		good = read_chars(in, &f->text);
		break;
	case '[':
		in->p++;
		good = read_array(in, r, f);
		break;
	case '{':
		f->kind = REC_OBJECT;
		good = skip_value(in, 1);
		break;
	case 't':
		f->kind = REC_TRUE;
		good = read_word(in, "true");
		break;
	case 'f':
		f->kind = REC_FALSE;
		good = read_word(in, "false");
		break;
	default:
		f->kind = REC_NUMBER;
		good = read_number(in, f);
	}
	f->token.n = (size_t)(in->p - f->token.p);
	return good;
}

/*
 * The keys of a record come in nearly the same order as in one before: two
 * guesses at what follows each key save reading most of them.
 */
static struct field *
add_guessed(struct reader *in, struct rec *r, unsigned *before)
{
	const struct key_guess *g = r->guesses[*before];
	uint64_t word[2];
	struct span key;

	if (in->end - in->p < (ptrdiff_t)sizeof word)
		return NULL;
	memcpy(word, in->p, sizeof word);
	for (int i = 0; i < 2; i++, g++) {
		if (g->place == 0 ||
		    ((word[0] ^ g->raw[0]) & g->mask[0]) != 0 ||
		    ((word[1] ^ g->raw[1]) & g->mask[1]) != 0)
			continue;
		key = span_of(in->p + 1, g->length - 3U);	/* "key": */
		in->p += g->length;
		skip_spaces(in);
		*before = g->place;
		return rec_add_at(r, key, g->place);
	}
	return NULL;
}

/* Remembers what followed a key; the older guess of two goes. */
static void
learn_guess(struct rec *r, unsigned before, const char *raw, size_t n,
    unsigned place)
{
	struct key_guess *g = r->guesses[before];
	unsigned char mask[16] = { 0 };

	if (n > sizeof mask || raw[n - 1] != ':' || raw[n - 2] != '"')
		return;
	g[1] = g[0];
	memset(mask, 0xff, n);
	memcpy(g->mask, mask, sizeof mask);
	memset(g->raw, 0, sizeof g->raw);
	memcpy(g->raw, raw, n);
	g->length = (uint8_t)n;
	g->place = (uint8_t)place;
}

/* The next field, its value not yet read; NULL if it is not plain. */
static struct field *
add_field(struct reader *in, struct rec *r, unsigned *before,
    struct span *others, size_t *n_others)
{
	const char *raw = in->p;
	struct field *f = add_guessed(in, r, before);
	struct span key;
	unsigned place;

	if (f != NULL)
		return f;
	if (in->p != raw || !read_key(in, &key))
		return NULL;	/* the guess was right, and it comes twice */
	place = rec_place(r, key);
	if (place == 0)
		return is_new(others, n_others, key) ?
		    rec_add_at(r, key, place) : NULL;
	learn_guess(r, *before, raw, (size_t)(key.p + key.n - raw) + 2, place);
	*before = place;
	return rec_add_at(r, key, place);
}

/* An object, whatever is behind it. */
static bool
read_object(struct reader *in, struct rec *r)
{
	struct span others[OTHERS_MOST];
	size_t n_others = 0;
	unsigned before = 0;
	struct field *f;

	rec_clear(r);
	if (!take(in, '{'))
		return false;
	do {
		f = add_field(in, r, &before, others, &n_others);
		if (f == NULL || !read_value(in, r, f))
			return false;
	} while (take_comma(in));
	return take(in, '}');
}

bool
plain_read(struct rec *r, struct span text)
{
	struct reader in = { text.p, text.p + text.n };

	return read_object(&in, r) && in.p == in.end;
}

size_t
plain_read_first(struct rec *r, struct span text)
{
	struct reader in = { text.p, text.p + text.n };

	return read_object(&in, r) ? (size_t)(in.p - text.p) : 0;
}
