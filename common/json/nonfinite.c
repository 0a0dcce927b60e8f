/* nonfinite - NaN and Infinity in JSON, as Python's json module writes them */

#include "common/json/items.h"
#include "common/json/nonfinite.h"
#include "common/json/skip.h"

enum form { NUMBER, NAME, HIDDEN, N_FORMS };
enum { N_WORDS = 3 };

static const char *const words[N_FORMS][N_WORDS] = {
	[NUMBER] = { "NaN", "Infinity", "-Infinity" },
	[NAME] = { "\"NaN\"", "\"Infinity\"", "\"-Infinity\"" },
	[HIDDEN] = { "\"N\\u0061N\"", "\"I\\u006efinity\"",
	    "\"-I\\u006efinity\"" },
};

/*
 * Whether the text may have a number, or a string in the hidden form.  Hardly
 * any text has one, and memchr() is fast.
 */
static bool
may_have_words(struct span text)
{
	const char *p, *end = text.p + text.n;

	for (const char *first = text.n > 0 ? "NI" : ""; *first != '\0';
	    first++)
		for (p = text.p; (p = memchr(p, *first,
		    (size_t)(end - p))) != NULL; p++)
			for (int w = 0; w < N_WORDS; w++)
				if (span_begins_with(span_of(p, (size_t)(end -
				    p)), words[NUMBER][w]) ||
				    span_begins_with(span_of(p, (size_t)(end -
				    p)), words[HIDDEN][w] + 1))
					return true;
	return false;
}

static bool
is_key(struct span rest)
{
	const char *end = rest.p + rest.n, *p = skip_space(rest.p, end);

	return p < end && *p == ':';
}

/* Whether the text begins with a word; a number is never a key. */
static bool
accept_word(struct span *text, enum form *form, int *word)
{
	struct span rest;
	size_t n;

	for (int i = 0; i < N_FORMS * N_WORDS; i++) {
		*form = (enum form)(i / N_WORDS);
		*word = i % N_WORDS;
		if (!span_begins_with(*text, words[*form][*word]))
			continue;
		n = strlen(words[*form][*word]);
		rest = span_of(text->p + n, text->n - n);
		if (*form == NUMBER && is_key(rest))
			return false;
		*text = rest;
		return true;
	}
	return false;
}

/*
 * Consumes the text up to the next word, and the word, but copies only what is
 * before the word; false at the end.
 */
static bool
next_word(struct buf *b, struct span *text, enum form *form, int *word)
{
	const char *start = text->p, *end = start + text->n, *p = start;

	while (p < end) {
		if (*p == '"' || *p == 'N' || *p == 'I' || *p == '-') {
			*text = span_of(p, (size_t)(end - p));
			if (accept_word(text, form, word)) {
				buf_add(b, start, (size_t)(p - start));
				return true;
			}
		}
		p = *p == '"' ? skip_string(p + 1, end) : p + 1;
	}
	buf_add(b, start, (size_t)(end - start));
	return false;
}

struct span
nonfinite_hide(struct buf *b, struct span text)
{
	enum form form;
	int word;

	if (!may_have_words(text))
		return text;
	b->len = 0;
	while (next_word(b, &text, &form, &word))
		buf_str(b, words[form == NUMBER ? HIDDEN : NAME][word]);
	return buf_span(b);
}

size_t
nonfinite_find(struct span text, const char **number)
{
	/* Nearly all strings begin otherwise. */
	if (text.n < 2 || (text.p[1] != 'N' && text.p[1] != 'I' &&
	    text.p[1] != '-'))
		return 0;
	for (int w = 0; w < N_WORDS; w++)
		if (span_begins_with(text, words[HIDDEN][w])) {
			*number = words[NUMBER][w];
			return strlen(words[HIDDEN][w]);
		}
	return 0;
}

bool
nonfinite_is_string(struct span value)
{
	enum form form;
	int word;

	return accept_word(&value, &form, &word) && value.n == 0 &&
	    form != NUMBER;
}

struct span
nonfinite_name(struct buf *b, struct span text, struct buf *places)
{
	enum form form;
	int word;
	uint64_t place = 0;

	if (!may_have_words(text))
		return text;
	b->len = 0;
	while (next_word(b, &text, &form, &word)) {
		buf_str(b, words[NAME][word]);
		if (form == NUMBER) {
			buf_char(places, places->len > 0 ? ',' : '[');
			buf_u64(places, place);
		}
		place += !is_key(text);
	}
	if (places->len > 0)
		buf_char(places, ']');
	return buf_span(b);
}

bool
nonfinite_restore(struct buf *b, struct span *text, struct span places)
{
	struct span rest = *text, item;
	enum form form;
	int word;
	uint64_t place = 0, wanted;
	bool is_array = *places.p == '[';
	bool more = is_array && items_next(&places, &item);

	b->len = 0;
	while (next_word(b, &rest, &form, &word)) {
		if (form == NAME && !is_key(rest)) {
			if (more && text_u64(item, &wanted) &&
			    wanted == place) {
				form = HIDDEN;
				more = items_next(&places, &item);
			}
			place++;
		}
		buf_str(b, words[form][word]);
	}
	*text = buf_span(b);
	return is_array && !more;
}
