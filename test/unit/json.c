/*
 * json - recio reads back the strings, tokens and records that json.c writes;
 * bytes that are not UTF-8 are replaced
 */

#include <math.h>

#include "common/json/json.h"
#include "common/json/recio.h"
#include "test/unit/unit.h"

static const char *const keys[] = { "type", "a", "b", NULL };
enum { A = KEY_TYPE + 1, B };

static struct recio *io;

/* Checks that the buffer is one line, and returns its record, or NULL. */
static struct rec *
read_back(const struct buf *b)
{
	const char *why = "";
	struct rec *rec;

	CHECK(b->len > 0 && b->data[b->len - 1] == '\n' &&
	    memchr(b->data, '\n', b->len - 1) == NULL, "not one line: %.*s",
	    (int)b->len, b->data);
	rec = recio_parse(io, span_of(b->data, b->len - 1), &why);
	CHECK(rec != NULL, "%s: %.*s", why, (int)b->len, b->data);
	return rec;
}

/* Writes a string, reads it back and compares it with `want`. */
static void
check_string(struct span s, struct span want)
{
	struct buf b = { 0 };
	struct span got = SPAN("");
	struct rec *rec;
	char *copy = unit_copy(s);

	json_begin(&b, "x");
	json_str(&b, "a", span_of(copy, s.n));
	json_end(&b);
	free(copy);
	if ((rec = read_back(&b)) != NULL)
		rec_str(rec, A, &got);
	CHECK(span_same(got, want), "'%.*s', not '%.*s'", SPAN_ARG_ALL(got),
	    SPAN_ARG_ALL(want));
	CHECK(utf8_valid(b.data, b.len), "invalid UTF-8: %.*s", (int)b.len,
	    b.data);
	for (size_t i = 0; i + 1 < b.len; i++)
		CHECK((unsigned char)b.data[i] >= 0x20,
		    "a control character in %.*s", (int)b.len, b.data);
	buf_release(&b);
}

/* Each special character, with 0 to 39 other characters before and after it. */
static void
test_characters_at_every_offset(void)
{
	static const char *const special[] = { "\"", "\\", "\n", "\r", "\t",
	    "\b", "\f", "\x01", "\x1f", "\x7f", "/", "\xc2\x80", "\xc3\xa9",
	    "\xe2\x80\xa8", "\xf4\x8f\xbf\xbf", "!", "#", "[", "]", " " };
	char text[96];
	size_t n;

	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		for (size_t before = 0; before < 40; before++)
			for (size_t after = 0; after < 40; after++) {
				n = strlen(special[i]);
				memset(text, 'x', sizeof text);
				memcpy(text + before, special[i], n);
				n += before + after;
				check_string(span_of(text, n),
				    span_of(text, n));
			}
	check_string(SPAN(""), SPAN(""));
	check_string(SPAN("a\0b"), SPAN("a\0b"));
	check_string(SPAN("\0\0\0\0\0\0\0\0"), SPAN("\0\0\0\0\0\0\0\0"));
}

/* U+FFFD, the replacement character. */
#define FFFD "\xef\xbf\xbd"

/* Each byte that is not part of a character becomes a replacement character. */
static void
test_invalid_utf8(void)
{
	check_string(SPAN("a\xff" "b"), SPAN("a" FFFD "b"));
	check_string(SPAN("\x80\x81"), SPAN(FFFD FFFD));
	check_string(SPAN("\xc3"), SPAN(FFFD));
	check_string(SPAN("\xe2\x82"), SPAN(FFFD FFFD));
	check_string(SPAN("\xe2\x82x"), SPAN(FFFD FFFD "x"));
	check_string(SPAN("\xed\xa0\x80"), SPAN(FFFD FFFD FFFD));
	check_string(SPAN("12345678\xff" "12345678"),
	    SPAN("12345678" FFFD "12345678"));
}

/* Random characters, mostly those with escapes or of several bytes. */
static void
test_random_strings(void)
{
	static const char *const characters[] = { "a", "\"", "\\", "\n", "\x01",
	    "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "bcdefghi", "/" };
	struct buf s = { 0 };

	buf_need(&s, 1);	/* so that the empty string is not NULL */
	for (int i = 0; i < 20000; i++) {
		s.len = 0;
		for (uint64_t n = unit_random(20); n > 0; n--)
			buf_str(&s, UNIT_ONE_OF(characters));
		check_string(buf_span(&s), buf_span(&s));
	}
	buf_release(&s);
}

/*
 * Writes a token by json_raw(), which replaces only line breaks, by spaces;
 * reads it back and compares it with `want`.
 */
static void
check_raw(struct span token, struct span want)
{
	struct buf b = { 0 };
	const struct field *f;
	struct rec *rec;

	json_begin(&b, "x");
	json_raw(&b, "a", token);
	json_int(&b, "b", 7);
	json_end(&b);
	if ((rec = read_back(&b)) != NULL && (f = rec_get(rec, A)) != NULL)
		CHECK(span_same(f->token, want), "'%.*s', not '%.*s'",
		    SPAN_ARG_ALL(f->token), SPAN_ARG_ALL(want));
	CHECK(memchr(b.data, '\r', b.len) == NULL, "a CR in %.*s",
	    (int)b.len, b.data);
	buf_release(&b);
}

static void
test_raw(void)
{
	static const struct span tokens[] = { SPAN("1.10"), SPAN("-0"),
	    SPAN("9007199254740993"), SPAN("1e999"), SPAN("1E+2"),
	    SPAN("\"\\u00e9\\/\""), SPAN("[ 1,2 ]"), SPAN("{\"q\" :{}}"),
	    SPAN("null"), SPAN("\"\xe2\x82\xac\""), SPAN("[\t]") };

	for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
		check_raw(tokens[i], tokens[i]);
	check_raw(SPAN("[\n1,\n\n2]"), SPAN("[ 1,  2]"));
	check_raw(SPAN("[\r\n1]"), SPAN("[  1]"));
}

static void
test_record(void)
{
	static const char want[] = "{\"type\":\"x\",\"a\":-9223372036854775807,"
	    "\"b\":18446744073709551615,\"c\":true,\"d\":0.500000,"
	    "\"e\":[\"p\",\"q\"],\"f\":[],\"g\":{\"h\":1,\"k\\\"\":2},"
	    "\"i\":[{\"j\":\"[\"}]}\n{\"type\":\"y\"}\n";
	struct buf b = { 0 };

	json_begin(&b, "x");
	json_int(&b, "a", INT64_MIN + 1);
	json_int(&b, "unknown", INT_UNKNOWN);
	json_uint(&b, "b", UINT64_MAX);
	json_true(&b, "c");
	/* A ratio that is not finite is left out. */
	json_ratio(&b, "nan", (double)NAN);
	json_ratio(&b, "inf", (double)INFINITY);
	json_ratio(&b, "d", 0.5);
	json_open(&b, "e", '[');
	json_item(&b, SPAN("p"));
	json_item(&b, SPAN("q"));
	json_close(&b, ']');
	json_open(&b, "f", '[');
	json_close(&b, ']');
	json_open(&b, "g", '{');
	json_int_member(&b, SPAN("h"), 1);
	json_int_member(&b, SPAN("k\""), 2);
	json_close(&b, '}');
	json_open(&b, "i", '[');
	buf_char(&b, '{');
	json_cstr(&b, "j", "[");
	json_close(&b, '}');
	json_close(&b, ']');
	json_end(&b);
	json_begin(&b, "y");
	json_end(&b);
	CHECK(span_eq(buf_span(&b), want), "%.*s", (int)b.len, b.data);
	buf_release(&b);
}

int
main(void)
{
	unit_seed();
	io = recio_new(keys);
	test_characters_at_every_offset();
	test_invalid_utf8();
	test_random_strings();
	test_raw();
	test_record();
	recio_free(io);
	return unit_end();
}
