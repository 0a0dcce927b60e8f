/* scan - a stream is split into the same values, however its bytes arrive */

#include "common/io/input.h"
#include "common/json/scan.h"
#include "test/unit/unit.h"

enum { NO_LIMIT = 1 << 30, DEPTH_MAX = 6 };

/*
 * Sets *to to "LINE:VALUE|" for each value on standard input; then how the scan
 * ended (ends[]), and "LINE:VALUE" if a value was incomplete or too long; then
 * "+" and the rest of the input.  LINE counts from 1.
 */
static void
show_values(struct buf *to, size_t limit)
{
	static const char *const ends[] = { [SCAN_NONE] = "none",
	    [SCAN_TRUNCATED] = "truncated", [SCAN_TOO_LONG] = "long" };
	enum scan_result result;
	struct input in;
	struct span value;
	uint64_t line;

	to->len = 0;
	input_init(&in, NULL, 0);
	CHECK(input_next_file(&in), "cannot read standard input");
	while ((result = scan_value(&in, limit, &value, &line)) ==
	    SCAN_WHOLE) {
		buf_printf(to, "%llu:", (unsigned long long)line + 1);
		buf_add(to, value.p, value.n);
		buf_char(to, '|');
		while (scan_accept(&in, ','))
			;
	}
	buf_str(to, ends[result]);
	if (result != SCAN_NONE) {
		buf_printf(to, "%llu:", (unsigned long long)line + 1);
		buf_add(to, value.p, value.n);
	}
	buf_char(to, '+');
	while (scan_rest(&in, &value))
		buf_add(to, value.p, value.n);
	CHECK(scan_peek(&in) == -1, "input is left after scan_rest()");
	input_release(&in);
}

/* Checks the output of show_values() for a text, read in several ways. */
static void
check(struct span text, size_t limit, const char *want)
{
	struct buf got = { 0 };

	for (size_t size = 1; size <= UNIT_READ_MAX; size++) {
		unit_stdin(text, size);
		show_values(&got, limit);
		CHECK(span_eq(buf_span(&got), want),
		    "%zu bytes a read: '%.*s', not '%s'", size, (int)got.len,
		    got.data, want);
		wait(NULL);
	}
	unit_stdin(text, 60000);	/* more than any of the texts */
	show_values(&got, limit);
	CHECK(span_eq(buf_span(&got), want),
	    "in one read: '%.*s', not '%s'", (int)got.len, got.data, want);
	wait(NULL);
	buf_release(&got);
}

static void
test_values(void)
{
	check(SPAN(""), NO_LIMIT, "none+");
	check(SPAN(" \t\r\n "), NO_LIMIT, "none+");
	check(SPAN("1"), NO_LIMIT, "1:1|none+");
	check(SPAN("-1.5e+3 , true,null"), NO_LIMIT,
	    "1:-1.5e+3|1:true|1:null|none+");
	check(SPAN("\"\""), NO_LIMIT, "1:\"\"|none+");
	check(SPAN("\"a\\\"b\\\\\",\"\\\\\\\"]\" \n\"[\""), NO_LIMIT,
	    "1:\"a\\\"b\\\\\"|1:\"\\\\\\\"]\"|2:\"[\"|none+");
	check(SPAN("[] {}\n\n[1,{\"a\":[\"]\",\"}\\\"\"]}] "), NO_LIMIT,
	    "1:[]|1:{}|3:[1,{\"a\":[\"]\",\"}\\\"\"]}]|none+");
	check(SPAN("[\n{\n}\n]\n7\n"), NO_LIMIT, "1:[\n{\n}\n]|5:7|none+");
	check(SPAN("[1]x[2]\"y\"3{}"), NO_LIMIT,
	    "1:[1]|1:x|1:[2]|1:\"y\"|1:3|1:{}|none+");
}

static void
test_ends(void)
{
	check(SPAN("1]2"), NO_LIMIT, "1:1|none+]2");
	check(SPAN("}"), NO_LIMIT, "none+}");
	check(SPAN(":1"), NO_LIMIT, "none+:1");
	check(SPAN("[1,[2]"), NO_LIMIT, "truncated1:[1,[2]+");
	check(SPAN("\n\"abc"), NO_LIMIT, "truncated2:\"abc+");
	check(SPAN("\"abc\\\""), NO_LIMIT, "truncated1:\"abc\\\"+");
	check(SPAN("\"abc\\"), NO_LIMIT, "truncated1:\"abc\\+");
	check(SPAN("{\"a\":\"}"), NO_LIMIT, "truncated1:{\"a\":\"}+");
	check(SPAN("[1] [\n\n\"]"), NO_LIMIT, "1:[1]|truncated1:[\n\n\"]+");
}

static void
test_limit(void)
{
	static const char first[] = "1:[1,2]|long1:";
	struct span rest = SPAN("[1,2,3,4,5,6,7,8,9] [3]");
	struct span text = SPAN("[1,2] [1,2,3,4,5,6,7,8,9] [3]");
	struct buf got = { 0 };
	size_t n_first = strlen(first);

	check(SPAN("12345 \"345\" [3,5]"), 5, "1:12345|1:\"345\"|1:[3,5]|"
	    "none+");
	/*
	 * How much of a long value is shown before the "+" depends on the
	 * reads, but with the rest, which follows, the value is complete.
	 */
	for (size_t size = 1; size <= UNIT_READ_MAX; size++) {
		unit_stdin(text, size);
		show_values(&got, 5);
		CHECK(got.len > n_first && memcmp(got.data, first, n_first) ==
		    0, "%.*s", (int)got.len, got.data);
		CHECK(got.len == n_first + rest.n + strlen("+"), "%.*s",
		    (int)got.len, got.data);
		wait(NULL);
	}
	buf_release(&got);
}

/* A value that is too deep for recursion, and larger than any single read. */
static void
test_large(void)
{
	struct buf text = { 0 }, want = { 0 }, got = { 0 };

	for (int i = 0; i < 1000000; i++)
		buf_char(&text, '[');
	for (int i = 0; i < 1000000; i++)
		buf_char(&text, ']');
	buf_str(&want, "1:");
	buf_add(&want, text.data, text.len);
	buf_str(&text, " 7");
	buf_str(&want, "|1:7|none+");
	unit_stdin(buf_span(&text), 60000);
	show_values(&got, NO_LIMIT);
	CHECK(span_same(buf_span(&got),
	    buf_span(&want)), "a million levels are not one value");
	wait(NULL);
	buf_release(&text);
	buf_release(&want);
	buf_release(&got);
}

/* Appends a random value, with much punctuation in and outside of strings. */
static void
put_random(struct buf *b, unsigned depth)
{
	static const char *const scalars[] = { "1", "-2.5e7", "true", "null",
	    "\"\"", "\"a\\\\\"", "\"\\\"[{\"", "\"},]:\"", "\"\\u005c\"" };
	uint64_t kind = unit_random(depth < DEPTH_MAX ? 4 : 2);

	if (kind < 2) {
		buf_str(b, UNIT_ONE_OF(scalars));
		return;
	}
	buf_char(b, kind == 2 ? '[' : '{');
	for (uint64_t n = unit_random(4), i = 0; i < n; i++) {
		buf_str(b, i > 0 ? ", " : "");
		buf_str(b, kind == 2 ? "" : "\"k\": ");
		put_random(b, depth + 1);
	}
	buf_char(b, kind == 2 ? ']' : '}');
}

static void
test_random(void)
{
	struct buf text = { 0 }, want = { 0 }, got = { 0 };
	size_t from;

	for (int i = 0; i < 60; i++) {
		text.len = want.len = 0;
		for (int n = 0; n < 30; n++) {
			from = text.len;
			put_random(&text, 0);
			buf_str(&want, "1:");
			buf_add(&want, text.data + from, text.len - from);
			buf_char(&want, '|');
			buf_char(&text, ' ');
		}
		buf_str(&want, "none+");
		unit_stdin(buf_span(&text), 1 + unit_random(UNIT_READ_MAX));
		show_values(&got, NO_LIMIT);
		CHECK(span_same(buf_span(&got),
		    buf_span(&want)), "%.*s", (int)text.len,
		    text.data);
		wait(NULL);
	}
	buf_release(&text);
	buf_release(&want);
	buf_release(&got);
}

int
main(void)
{
	unit_seed();
	test_values();
	test_ends();
	test_limit();
	test_large();
	test_random();
	return unit_end();
}
