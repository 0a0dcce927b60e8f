/*
 * items - a walk over a random array or object returns exactly its items, and
 * recio_item() returns a record for each item that recio_parse() accepts
 */

#include "common/json/items.h"
#include "common/json/recio.h"
#include "test/unit/unit.h"

enum { ROUNDS = 20000, ITEMS_MAX = 6 };

static const char *const values[] = { "1", "-2.5e3", "true", "null", "\"\"",
    "\"a,b]}\"", "\"\\\\\"", "\"\\\"[\"", "\"\xc3\xa9\"", "[]", "{}",
    "[1,[2,{\"a\":[3]}]]", "{\"k\":\"]\",\"l\":{\"m\":[]}}",
    "{\"k\": 1.5, \"l\": \"x\"}", "{ \"k\" : 1 }", "{\"k\":1,\"k\":2}" };
/* White space between tokens, often none. */
static const char *const blanks[] = { "", "", " ", "\n\t", "\r\n  " };

/*
 * Writes a random array, or an object whose keys are k"0, k"1 and so on, and
 * stores its items or the object's values, parts of b.  Returns their number.
 */
static size_t
make_random(struct buf *b, bool is_object, struct span *items)
{
	size_t n = unit_random(ITEMS_MAX), at[ITEMS_MAX];

	b->len = 0;
	buf_char(b, is_object ? '{' : '[');
	for (size_t i = 0; i < n; i++) {
		buf_str(b, i > 0 ? "," : "");
		buf_str(b, UNIT_ONE_OF(blanks));
		if (is_object) {
			buf_printf(b, "\"k\\\"%zu\"", i);
			buf_str(b, UNIT_ONE_OF(blanks));
			buf_char(b, ':');
			buf_str(b, UNIT_ONE_OF(blanks));
		}
		items[i] = span_str(UNIT_ONE_OF(values));
		at[i] = b->len;
		buf_add(b, items[i].p, items[i].n);
		buf_str(b, UNIT_ONE_OF(blanks));
	}
	buf_char(b, is_object ? '}' : ']');
	for (size_t i = 0; i < n; i++)
		items[i].p = b->data + at[i];
	return n;
}

/*
 * Walks over a random array with items_next() and recio_item() together, and
 * parses each item with the reference.
 */
static void
test_array(struct recio *io, struct recio *reference, struct buf *b)
{
	struct span items[ITEMS_MAX], item, rest, recio_rest;
	size_t n = make_random(b, false, items), i = 0;
	const struct rec *rec, *want;
	const char *why, *reason;

	rest = recio_rest = buf_span(b);
	for (; items_next(&rest, &item); i++) {
		CHECK(i < n && span_same(item, items[i]), "%.*s: %.*s",
		    SPAN_ARG_ALL(buf_span(b)), SPAN_ARG_ALL(item));
		want = recio_parse(reference, item, &reason);
		rec = recio_item(io, &recio_rest, &item, &why);
		CHECK((rec == NULL) == (want == NULL) &&
		    (rec != NULL) == (why == NULL), "item %.*s",
		    SPAN_ARG_ALL(items[i]));
		CHECK(span_same(item, items[i]), "%.*s", SPAN_ARG_ALL(item));
	}
	CHECK(i == n, "%zu of %zu items in %.*s", i, n,
	    SPAN_ARG_ALL(buf_span(b)));
	CHECK(recio_item(io, &recio_rest, &item, &why) == NULL && why == NULL,
	    "an item after the last: %.*s", SPAN_ARG_ALL(recio_rest));
}

static void
test_object(struct buf *b)
{
	struct span items[ITEMS_MAX], key, value, rest;
	size_t n = make_random(b, true, items), i = 0;
	char expected[16];

	rest = buf_span(b);
	for (; items_next_member(&rest, &key, &value); i++) {
		snprintf(expected, sizeof expected, "\"k\\\"%zu\"", i);
		CHECK(i < n && span_same(value, items[i]) &&
		    span_eq(key, expected), "%.*s: %.*s: %.*s",
		    SPAN_ARG_ALL(buf_span(b)), SPAN_ARG_ALL(key),
		    SPAN_ARG_ALL(value));
	}
	CHECK(i == n, "%zu of %zu items in %.*s", i, n,
	    SPAN_ARG_ALL(buf_span(b)));
}

int
main(void)
{
	static const char *const keys[] = { "type", "k", NULL };
	struct recio *io = recio_new(keys), *reference = recio_new(keys);
	struct buf b = { 0 };

	unit_seed();
	for (int i = 0; i < ROUNDS; i++) {
		test_array(io, reference, &b);
		test_object(&b);
	}
	recio_free(io);
	recio_free(reference);
	buf_release(&b);
	return unit_end();
}
