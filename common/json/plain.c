/* plain - reads records in the form in which nearly all of them come */

#include "common/json/plain.h"

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

/*
 * Each reader gets what is left of the text, from p to end, and returns where
 * it has come to, or NULL if what it found is not plain.
 */

/* The character c, or NULL. */
static inline const char *
take(const char *p, const char *end, char c)
{
	return p < end && *p == c ? p + 1 : NULL;
}

static inline const char *
skip_spaces(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p;
}

/* What stands between two members or items; NULL behind the last. */
static inline const char *
take_comma(const char *p, const char *end)
{
	p = take(p, end, ',');
	return p == NULL ? NULL : skip_spaces(p, end);
}

/* The characters up to the closing quote, which is consumed. */
static ALWAYS_INLINE const char *
read_chars(const char *p, const char *end, struct span *text)
{
	const char *start = p;
	uint32_t code;
	size_t n;

	for (;;) {
		p += text_unescaped_length(p, (size_t)(end - p));
		if (p == end)
			return NULL;
		if (*p == '"')
			break;
		n = utf8_char(p, (size_t)(end - p), &code);
		if (n < 2)
			return NULL;
		p += n;
	}
	*text = span_of(start, (size_t)(p - start));
	return p + 1;
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

static inline bool
is_fraction(const char *p, const char *end)
{
	return p < end && (*p == '.' || *p == 'e' || *p == 'E');
}

/* What follows an integer and makes it a float. */
static const char *
skip_fraction(const char *p, const char *end)
{
	if (*p == '.' && (p = skip_digits(p + 1, end)) == NULL)
		return NULL;
	if (p == end || (*p != 'e' && *p != 'E'))
		return p;
	p++;
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	return skip_digits(p, end);
}

/*
 * A number.  The value of an integer is learnt on the way, if it has so few
 * digits that it must fit.
 */
static ALWAYS_INLINE const char *
read_number(const char *p, const char *end, struct field *f)
{
	const char *start = p, *digits;
	bool negative = *p == '-';
	uint64_t value = 0;

	digits = p += negative;
	p = text_digits(p, end, &value);
	if (p == digits || (*digits == '0' && p - digits > 1))
		return NULL;
	if (is_fraction(p, end)) {
		if ((p = skip_fraction(p, end)) == NULL)
			return NULL;
	} else if (p - digits <= 18) {
		f->is_int = true;
		f->integer = negative ? -(int64_t)value : (int64_t)value;
	}
	f->text = span_of(start, (size_t)(p - start));
	return p;
}

/* The same where nobody asks for the value. */
static const char *
skip_number(const char *p, const char *end)
{
	struct field ignored;

	return read_number(p, end, &ignored);
}

static const char *
read_word(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - p) >= n && memcmp(p, word, n) == 0 ? p + n : NULL;
}

/* A member's name, its colon and the spaces there. */
static const char *
read_key(const char *p, const char *end, struct span *key)
{
	if ((p = take(p, end, '"')) == NULL ||
	    (p = read_chars(p, end, key)) == NULL)
		return NULL;
	p = take(skip_spaces(p, end), end, ':');
	return p == NULL ? NULL : skip_spaces(p, end);
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
static const char *
skip_value(const char *p, const char *end, unsigned depth)
{
	struct span text, others[OTHERS_MOST];
	const char *comma;
	size_t n_others = 0;
	char close;

	if (p == end || depth > DEPTH_MOST)
		return NULL;
	switch (*p) {
	case '"':
		return read_chars(p + 1, end, &text);
	case 't':
		return read_word(p, end, "true");
	case 'f':
		return read_word(p, end, "false");
	case '{':
	case '[':
		break;
	default:
		return skip_number(p, end);
	}
	close = *p == '{' ? '}' : ']';
	p = skip_spaces(p + 1, end);
	if (p < end && *p == close)
		return p + 1;
	for (;; p = comma) {
		if (close == '}' && ((p = read_key(p, end, &text)) == NULL ||
		    !is_new(others, &n_others, text)))
			return NULL;
		if ((p = skip_value(p, end, depth + 1)) == NULL)
			return NULL;
		p = skip_spaces(p, end);
		if ((comma = take_comma(p, end)) == NULL)
			return take(p, end, close);
	}
}

/* An array's items and bracket. */
static const char *
read_array(const char *p, const char *end, struct rec *r, struct field *f)
{
	struct span text;
	const char *comma;

	p = skip_spaces(p, end);
	if (p < end && *p == ']')
		return p + 1;
	for (;; p = comma) {
		if (p < end && *p == '"') {
			if ((p = read_chars(p + 1, end, &text)) == NULL)
				return NULL;
			rec_add_item(r, text);
		} else {
			f->mixed = true;
			if ((p = skip_value(p, end, 1)) == NULL)
				return NULL;
		}
		p = skip_spaces(p, end);
		if ((comma = take_comma(p, end)) == NULL)
			return take(p, end, ']');
	}
}

static ALWAYS_INLINE const char *
read_value(const char *p, const char *end, struct rec *r, struct field *f)
{
	const char *start = p;

	if (p == end)
		return NULL;
	switch (*p) {
	case '"':
		f->kind = REC_STRING;
		p = read_chars(p + 1, end, &f->text);
		break;
	case '[':
		f->kind = REC_ARRAY;
		p = read_array(p + 1, end, r, f);
		break;
	case '{':
		f->kind = REC_OBJECT;
		p = skip_value(p, end, 1);
		break;
	case 't':
		f->kind = REC_TRUE;
		p = read_word(p, end, "true");
		break;
	case 'f':
		f->kind = REC_FALSE;
		p = read_word(p, end, "false");
		break;
	default:
		f->kind = REC_NUMBER;
		p = read_number(p, end, f);
	}
	if (p != NULL)
		f->token = span_of(start, (size_t)(p - start));
	return p;
}

/*
 * What stands between two values, up to the colon, is the same from record to
 * record: two guesses at what follows each key save reading most of it.
 */
static ALWAYS_INLINE const struct key_guess *
guess(const char *p, const char *end, const struct key_guess *g)
{
	uint64_t word[2];

	if (end - p < (ptrdiff_t)sizeof word)
		return NULL;
	memcpy(word, p, sizeof word);
	for (int i = 0; i < 2; i++, g++)
		if ((((word[0] ^ g->raw[0]) & g->mask[0]) |
		    ((word[1] ^ g->raw[1]) & g->mask[1])) == 0 && g->place != 0)
			return g;
	return NULL;
}

/* Remembers what followed a key's value; the older guess of two goes. */
static void
learn_guess(struct rec *r, unsigned before, const char *raw, size_t n,
    unsigned place)
{
	struct key_guess *g = r->guesses[before];
	unsigned char mask[16] = { 0 };

	if (n > sizeof mask || raw[n - 1] != ':')
		return;
	g[1] = g[0];
	memset(mask, 0xff, n);
	memcpy(g->mask, mask, sizeof mask);
	memset(g->raw, 0, sizeof g->raw);
	memcpy(g->raw, raw, n);
	g->length = (uint8_t)n;
	g->place = (uint8_t)place;
}

/*
 * A field that one could not guess, up to its value, which is not yet read.
 * before is the place of the key before: 0 at first, OTHER if not declared.
 */
enum { OTHER = KEYS_MAX + 1 };

static const char *
add_field(const char *p, const char *end, struct rec *r, unsigned *before,
    struct span *others, size_t *n_others, struct field **field)
{
	const char *raw = p;
	struct span key;
	unsigned place;

	p = skip_spaces(p, end);
	if (r->n > 0 && (p = take_comma(p, end)) == NULL)
		return NULL;
	if ((p = read_key(p, end, &key)) == NULL)
		return NULL;
	place = rec_place(r, key);
	if (place != 0)
		learn_guess(r, *before, raw, (size_t)(key.p + key.n - raw) + 2,
		    place);
	else if (!is_new(others, n_others, key))
		return NULL;
	*before = place != 0 ? place : OTHER;
	*field = rec_add_at(r, key, place);
	return p;
}

/* An object, whatever is behind it. */
static const char *
read_object(const char *p, const char *end, struct rec *r)
{
	struct span others[OTHERS_MOST];
	size_t n_others = 0;
	unsigned before = 0;
	const struct key_guess *g;
	const char *close;
	struct field *f;

	rec_clear(r);
	if ((p = take(p, end, '{')) == NULL)
		return NULL;
	for (;;) {
		if ((g = guess(p, end, r->guesses[before])) != NULL) {
			p += g->length;
			/* Seldom: the loop would cost a hundredth. */
			if (p < end && *p == ' ')
				p = skip_spaces(p, end);
			before = g->place;
			f = rec_add_at(r, r->keys[before - 1], before);
		} else {
			close = take(skip_spaces(p, end), end, '}');
			if (close != NULL && r->n > 0)
				return close;
			if ((p = add_field(p, end, r, &before, others,
			    &n_others, &f)) == NULL)
				return NULL;
		}
		if (f == NULL || (p = read_value(p, end, r, f)) == NULL)
			return NULL;
	}
}

bool
plain_read(struct rec *r, struct span text)
{
	const char *end = text.p + text.n;

	return read_object(text.p, end, r) == end;
}

size_t
plain_read_first(struct rec *r, struct span text)
{
	const char *p = read_object(text.p, text.p + text.n, r);

	return p != NULL ? (size_t)(p - text.p) : 0;
}
