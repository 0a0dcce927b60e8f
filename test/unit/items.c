/*
 * items - what an array or object was made of comes out of a walk over it, and
 * recio_item() finds the same records as a walk and recio_parse()
 */

#include "common/json/items.h"
#include "common/json/recio.h"
#include "test/unit/unit.h"

enum { ROUNDS = 20000, MOST = 6 };

static const char *const values[] = { "1", "-2.5e3", "true", "null", "\"\"",
    "\"a,b]}\"", "\"\\\\\"", "\"\\\"[\"", "\"\xc3\xa9\"", "[]", "{}",
    "[1,[2,{\"a\":[3]}]]", "{\"k\":\"]\",\"l\":{\"m\":[]}}",
    "{\"k\": 1.5, \"l\": \"x\"}", "{ \"k\" : 1 }", "{\"k\":1,\"k\":2}" };
static const char *const blanks[] = { "", "", " ", "\n\t", "\r\n  " };

/* An array, or an object whose keys are as hard as its values. */
static size_t
make(struct buf *b, bool is_object, struct span *items)
{
	size_t n = unit_random(MOST), at[MOST];

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

static void
walk_array(struct recio *one, struct recio *other, struct buf *b)
{
	struct span items[MOST], item, rest, again;
	size_t n = make(b, false, items), i = 0;
	const struct rec *r, *s;
	const char *why, *reason;

	rest = again = buf_span(b);
	for (; items_next(&rest, &item); i++) {
		CHECK(i < n && span_same(item, items[i]), "%.*s: %.*s",
		    ALL(buf_span(b)), ALL(item));
		s = recio_parse(other, item, &reason);
		r = recio_item(one, &again, &item, &why);
		CHECK((r == NULL) == (s == NULL) && (r != NULL) == (why ==
		    NULL), "%.*s", ALL(items[i]));
		CHECK(span_same(item, items[i]), "%.*s", ALL(item));
	}
	CHECK(i == n, "%zu of %zu in %.*s", i, n, ALL(buf_span(b)));
	CHECK(recio_item(one, &again, &item, &why) == NULL && why == NULL,
	    "%.*s", ALL(again));
}

static void
walk_object(struct buf *b)
{
	struct span items[MOST], key, value, rest;
	size_t n = make(b, true, items), i = 0;
	char expected[16];

	rest = buf_span(b);
	for (; items_next_member(&rest, &key, &value); i++) {
		snprintf(expected, sizeof expected, "\"k\\\"%zu\"", i);
		CHECK(i < n && span_same(value, items[i]) &&
		    span_eq(key, expected), "%.*s: %.*s: %.*s",
		    ALL(buf_span(b)), ALL(key), ALL(value));
	}
	CHECK(i == n, "%zu of %zu in %.*s", i, n, ALL(buf_span(b)));
}

int
main(void)
{
	static const char *const keys[] = { "type", "k", NULL };
	struct recio *one = recio_new(keys), *other = recio_new(keys);
	struct buf b = { 0 };

	unit_seed();
	for (int i = 0; i < ROUNDS; i++) {
		walk_array(one, other, &b);
		walk_object(&b);
	}
	recio_free(one);
	recio_free(other);
	buf_release(&b);
	return unit_end();
}
