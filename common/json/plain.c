/* plain - reads the subset of JSON in which nearly all records are written */

#include "common/json/plain.h"
#include "common/json/skip.h"

/*
 * This reader does not replace yajl: it accepts nothing that yajl would reject,
 * and what it does not accept goes to yajl.  It exists because reading records
 * is most of the work of the filters.  For 275,000 tasks and 100,000 nodes
 * critpath took 0.50 s of CPU time with yajl alone and 0.26 s with this reader;
 * for 39 MB buildgraph-parse took 0.14 s and 0.06 s.
 */

enum { DEPTH_MAX = 4 };		/* nested calls of check_value() */

/*
 * Each function that reads gets the rest of the text, from p to end, and
 * returns the address after what it has read, or NULL if that does not have the
 * plain form.
 */

/* The character c. */
static inline const char *
accept(const char *p, const char *end, char c)
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

/* A comma and the spaces after it; NULL after the last member or item. */
static inline const char *
accept_comma(const char *p, const char *end)
{
	p = accept(p, end, ',');
	return p == NULL ? NULL : skip_spaces(p, end);
}

/* A string without escapes, whose opening quote has been read. */
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
		/* 0: not UTF-8; 1: a backslash or a control character. */
		if (n < 2)
			return NULL;
		p += n;
	}
	*text = span_of(start, (size_t)(p - start));
	return p + 1;
}

/*
 * A number.  An integer's value is computed on the way, if it has so few digits
 * that it must fit.
 */
static ALWAYS_INLINE const char *
read_number(const char *p, const char *end, struct rec *r, struct field *f)
{
	const char *start = p, *digits;
	bool negative = *p == '-';
	uint64_t value = 0;

	digits = p += negative;
	p = text_digits(p, end, &value);
	if (p == digits || (*digits == '0' && p - digits > 1))
		return NULL;
	if (p < end && (*p == '.' || *p == 'e' || *p == 'E')) {
		if ((p = skip_fraction(p, end)) == NULL)
			return NULL;
		rec_check_number(r, span_of(start, (size_t)(p - start)));
	} else if (p - digits <= 18) {
		f->is_int = true;
		f->integer = negative ? -(int64_t)value : (int64_t)value;
	}
	f->text = span_of(start, (size_t)(p - start));
	return p;
}

/* The key of a member, the colon, and the spaces around the colon. */
static const char *
read_key(const char *p, const char *end, struct span *key)
{
	if ((p = accept(p, end, '"')) == NULL ||
	    (p = read_chars(p, end, key)) == NULL)
		return NULL;
	p = accept(skip_spaces(p, end), end, ':');
	return p == NULL ? NULL : skip_spaces(p, end);
}

/*
 * An object that is a field, or any value within an array or object: checks its
 * syntax, but keeps no text.
 */
static const char *
check_value(const char *p, const char *end, struct rec *r, unsigned depth)
{
	size_t first_name = r->n_names;
	const char *comma, *after;
	struct span text;
	char close;

	if (p == end || depth > DEPTH_MAX)
		return NULL;
	switch (*p) {
	case '"':
		return read_chars(p + 1, end, &text);
	case 't':
		return skip_literal(p, end, "true");
	case 'f':
		return skip_literal(p, end, "false");
	case '{':
	case '[':
		break;
	default:
		if ((after = skip_number(p, end)) != NULL)
			rec_check_number(r, span_of(p, (size_t)(after - p)));
		return after;
	}
	close = *p == '{' ? '}' : ']';
	p = skip_spaces(p + 1, end);
	if (p < end && *p == close)
		return p + 1;
	for (;; p = comma) {
		if (close == '}') {
			if ((p = read_key(p, end, &text)) == NULL)
				return NULL;
			rec_add_name(r, text);
		}
		if ((p = check_value(p, end, r, depth + 1)) == NULL)
			return NULL;
		p = skip_spaces(p, end);
		if ((comma = accept_comma(p, end)) == NULL)
			return rec_take_names(r, first_name) == NULL ?
			    accept(p, end, close) : NULL;
	}
}

/* An array, whose opening bracket has been read. */
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
			if ((p = check_value(p, end, r, 1)) == NULL)
				return NULL;
		}
		p = skip_spaces(p, end);
		if ((comma = accept_comma(p, end)) == NULL)
			return accept(p, end, ']');
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
		p = check_value(p, end, r, 1);
		break;
	case 't':
		f->kind = REC_TRUE;
		p = skip_literal(p, end, "true");
		break;
	case 'f':
		f->kind = REC_FALSE;
		p = skip_literal(p, end, "false");
		break;
	default:
		f->kind = REC_NUMBER;
		p = read_number(p, end, r, f);
	}
	if (p != NULL)
		f->token = span_of(start, (size_t)(p - start));
	return p;
}

/*
 * Key prediction.  Records of one type have the same keys in the same order, so
 * the bytes between two values seldom change: after the value of "start_us"
 * comes `,"end_us":`, again and again.  For each declared key, r->guesses has
 * the two texts, of at most 16 bytes, that followed its value and were learned
 * last, each with the number of the key in it; likewise for the start of the
 * record, and for all undeclared keys together.  If the next bytes are equal to
 * one of them, which comparing two words decides, the next key is known without
 * reading or hashing it.
 */
static ALWAYS_INLINE const struct key_guess *
find_guess(const char *p, const char *end, const struct key_guess *g)
{
	uint64_t word[2];

	if (end - p < (ptrdiff_t)sizeof word)
		return NULL;
	memcpy(word, p, sizeof word);
	for (int i = 0; i < 2; i++, g++)
		if ((((word[0] ^ g->raw[0]) & g->mask[0]) |
		    ((word[1] ^ g->raw[1]) & g->mask[1])) == 0 &&
		    g->key_number != 0)
			return g;
	return NULL;
}

/*
 * Learns that the n bytes at raw followed the value of the previous key, and
 * forgets the older of the two guesses for that key.  Does nothing if there are
 * more than 16 bytes, or if they do not end in a colon, which means that a
 * space precedes the colon.
 */
static void
learn_guess(struct rec *r, unsigned previous, const char *raw, size_t n,
    unsigned key_number)
{
	struct key_guess *g = r->guesses[previous];
	unsigned char mask[16] = { 0 };

	if (n > sizeof mask || raw[n - 1] != ':')
		return;
	g[1] = g[0];
	memset(mask, 0xff, n);
	memcpy(g->mask, mask, sizeof mask);
	memset(g->raw, 0, sizeof g->raw);
	memcpy(g->raw, raw, n);
	g->length = (uint8_t)n;
	g->key_number = (uint8_t)key_number;
}

/*
 * A field whose key was not predicted, up to its value, which the caller reads.
 * *previous is the number of the previous key (0 at the start of the record,
 * UNDECLARED if that key is not declared), and becomes that of this key.
 * *field is NULL for a duplicate of a declared key.
 */
enum { UNDECLARED = KEYS_MAX + 1 };

static const char *
add_field(const char *p, const char *end, struct rec *r, unsigned *previous,
    struct field **field)
{
	const char *raw = p;
	struct span key;
	unsigned key_number;

	p = skip_spaces(p, end);
	if (r->n > 0 && (p = accept_comma(p, end)) == NULL)
		return NULL;
	if ((p = read_key(p, end, &key)) == NULL)
		return NULL;
	key_number = rec_key_number(r, key);
	if (key_number != 0)
		learn_guess(r, *previous, raw,
		    (size_t)(key.p + key.n - raw) + 2 /* quote and colon */,
		    key_number);
	else
		rec_add_name(r, key);
	*previous = key_number != 0 ? key_number : UNDECLARED;
	*field = rec_add_at(r, key, key_number);
	return p;
}

/* An object.  An empty one is left to yajl. */
static const char *
read_object(const char *p, const char *end, struct rec *r)
{
	unsigned previous = 0;
	const struct key_guess *g;
	const char *close;
	struct field *f;

	rec_clear(r);
	if ((p = accept(p, end, '{')) == NULL)
		return NULL;
	for (;;) {
		if ((g = find_guess(p, end, r->guesses[previous])) != NULL) {
			p += g->length;
			/* Rarely true: the test saves the call. */
			if (p < end && *p == ' ')
				p = skip_spaces(p, end);
			previous = g->key_number;
			f = rec_add_at(r, r->keys[previous - 1], previous);
		} else {
			close = accept(skip_spaces(p, end), end, '}');
			if (close != NULL && r->n > 0)
				return rec_take_names(r, 0) == NULL ? close :
				    NULL;
			if ((p = add_field(p, end, r, &previous, &f)) == NULL)
				return NULL;
		}
		if (f == NULL || (p = read_value(p, end, r, f)) == NULL)
			return NULL;
	}
}

size_t
plain_read(struct rec *r, struct span text)
{
	const char *p = read_object(text.p, text.p + text.n, r);

	return p != NULL ? (size_t)(p - text.p) : 0;
}
