/* recio - records are read with their fields, other texts are rejected */

#include "common/json/recio.h"
#include "test/unit/unit.h"

static const char *const keys[] = { "type", "a", "b", "c", "a long key", NULL };
enum { A = KEY_TYPE + 1, B, C, LONG };

static struct recio *io;

/* The text of the last parse(), from which the record borrows. */
static char *copy;

static struct rec *
parse(struct span s, const char **why)
{
	free(copy);
	copy = unit_copy(s);
	*why = NULL;
	return recio_parse(io, span_of(copy, s.n), why);
}

/* Checks that a text is read as a record; returns it, or NULL. */
static struct rec *
check_record(struct span s)
{
	const char *why;
	struct rec *rec = parse(s, &why);

	CHECK(rec != NULL, "%s: %.*s", why != NULL ? why : "?",
	    (int)(s.n < 99 ? s.n : 99), s.p);
	return rec;
}

/* Checks that a text is rejected with a message that contains the reason. */
static void
check_not_record(struct span s, const char *reason)
{
	const char *why;
	struct rec *rec = parse(s, &why);

	CHECK(rec == NULL, "accepted: %.*s", (int)(s.n < 99 ? s.n : 99), s.p);
	if (rec != NULL)
		return;
	CHECK(why != NULL && *why != '\0' && strchr(why, '\n') == NULL,
	    "not a reason on one line: %s", why);
	CHECK(reason == NULL || strstr(why, reason) != NULL,
	    "'%s' does not contain '%s'", why, reason);
	/* The next record is not affected. */
	check_record(SPAN("{\"type\":\"next\"}"));
}

static void
test_getters(void)
{
	struct rec *r = check_record(SPAN(" { \"x\" : 1 , \"type\":\"t\","
	    "\"a\" : \"\\u00e9\\n\\ud83d\\ude00\\/\" ,\"b\":-12,"
	    "\"c\":[\"p\",\"\\t\"],\"a long key\":true}\t\r\n"));
	const struct span *items;
	struct span s;
	int64_t v = 0;
	size_t n = 0;

	if (r == NULL)
		return;
	CHECK(rec_is(r, "t") && !rec_is(r, "tt") && !rec_is(r, ""),
	    "the type is not t");
	CHECK(rec_str(r, A, &s) == REC_OK && span_eq(s,
	    "\xc3\xa9\n\xf0\x9f\x98\x80/"), "'%.*s'", SPAN_ARG_ALL(s));
	CHECK(rec_int(r, B, &v) == REC_OK && v == -12, "%lld", (long long)v);
	CHECK(rec_strings(r, C, &items, &n) == REC_OK && n == 2 &&
	    span_eq(items[0], "p") && span_eq(items[1], "\t"), "%zu", n);
	CHECK(rec_true(r, LONG) && !rec_true(r, A),
	    "rec_true() is wrong for LONG or A");
	CHECK(r->n == 6 && span_eq(r->fields[0].key, "x") &&
	    span_eq(r->fields[0].token, "1"), "an undeclared key is not kept");
	CHECK(span_eq(rec_get(r, C)->token, "[\"p\",\"\\t\"]"), "'%.*s'",
	    SPAN_ARG_ALL(rec_get(r, C)->token));
	CHECK(span_eq(rec_get(r, A)->token,
	    "\"\\u00e9\\n\\ud83d\\ude00\\/\""), "'%.*s'",
	    SPAN_ARG_ALL(rec_get(r, A)->token));
	CHECK(rec_str(r, B, &s) == REC_BAD && rec_int(r, A, &v) == REC_BAD &&
	    rec_strings(r, A, &items, &n) == REC_BAD &&
	    rec_str(r, LONG, &s) == REC_BAD,
	    "a value of another type is accepted");
}

static void
test_absent(void)
{
	struct rec *r = check_record(SPAN("{\"a\":null,\"c\":false}"));
	const struct span *items;
	struct span s;
	int64_t v;
	size_t n;

	if (r == NULL)
		return;
	for (unsigned key = A; key <= B; key++)
		CHECK(rec_str(r, key, &s) == REC_ABSENT &&
		    rec_int(r, key, &v) == REC_ABSENT &&
		    rec_strings(r, key, &items, &n) == REC_ABSENT &&
		    !rec_true(r, key), "key %u", key);
	CHECK(rec_get(r, A) != NULL && rec_get(r, A)->kind == REC_NULL &&
	    rec_get(r, B) == NULL, "null and a missing key are the same");
	CHECK(!rec_is(r, "x") && !rec_true(r, C),
	    "a missing type is x, or false is true");
	r = check_record(SPAN("{}"));
	CHECK(r != NULL && r->n == 0 && rec_get(r, A) == NULL, "{} has fields");
}

static void
test_arrays(void)
{
	static const struct { const char *text; enum rec_found found;
	    size_t n; } cases[] = {
		{ "[]", REC_OK, 0 }, { "[\"\"]", REC_OK, 1 },
		{ "[\"a\",\"b\",\"c\"]", REC_OK, 3 }, { "[1]", REC_BAD, 0 },
		{ "[\"a\",null]", REC_BAD, 1 }, { "[[\"a\"]]", REC_BAD, 0 },
		{ "[{\"a\":\"b\"}]", REC_BAD, 0 }, { "{}", REC_BAD, 9 },
		{ "[{\"a\":[\"b\"]},\"c\"]", REC_BAD, 1 },
	};
	const struct span *items;
	char text[128];
	struct rec *r;
	size_t n;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(text, sizeof text, "{\"b\":[\"x\"],\"a\":%s,"
		    "\"c\":[\"y\"]}", cases[i].text);
		if ((r = check_record(span_str(text))) == NULL)
			continue;
		n = 9;	/* must stay so if the value is not an array */
		CHECK(rec_strings(r, A, &items, &n) == cases[i].found &&
		    n == cases[i].n, "%s: %zu", text, n);
		CHECK(span_eq(rec_get(r, A)->token, cases[i].text), "'%.*s'",
		    SPAN_ARG_ALL(rec_get(r, A)->token));
		CHECK(rec_strings(r, B, &items, &n) == REC_OK && n == 1 &&
		    span_eq(*items, "x"), "%s: b", text);
		CHECK(rec_strings(r, C, &items, &n) == REC_OK && n == 1 &&
		    span_eq(*items, "y"), "%s: c", text);
	}
}

static void
test_numbers(void)
{
	static const struct { const char *text; enum rec_found found;
	    int64_t value; } cases[] = {
		{ "0", REC_OK, 0 }, { "-0", REC_OK, 0 },
		{ "-1", REC_OK, -1 }, { "1.10", REC_BAD, 0 },
		{ "9007199254740991", REC_OK, 9007199254740991 },
		{ "-9007199254740991", REC_OK, -9007199254740991 },
		{ "9007199254740992", REC_BAD, 0 },
		{ "9007199254740993", REC_BAD, 0 },
		{ "-9007199254740992", REC_BAD, 0 },
		{ "9223372036854775808", REC_BAD, 0 },
		{ "100000000000000000000000000000000000", REC_BAD, 0 },
		{ "1e999", REC_BAD, 0 }, { "-1e-999", REC_BAD, 0 },
		{ "1e3", REC_BAD, 0 }, { "1.0", REC_BAD, 0 },
		{ "1E+2", REC_BAD, 0 },
	};
	char text[128];
	struct rec *r;
	int64_t v;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(text, sizeof text, "{\"a\": %s ,\"b\":%s}",
		    cases[i].text, cases[i].text);
		if ((r = check_record(span_str(text))) == NULL)
			continue;
		for (unsigned key = A; key <= B; key++) {
			CHECK(span_eq(rec_get(r, key)->token, cases[i].text) &&
			    span_eq(rec_get(r, key)->text, cases[i].text),
			    "%s is '%.*s'", text,
			    SPAN_ARG_ALL(rec_get(r, key)->token));
			v = 0;
			CHECK(rec_int(r, key, &v) == cases[i].found &&
			    v == cases[i].value, "%s is %lld", text,
			    (long long)v);
		}
	}
}

static void
test_rejected(void)
{
	static const struct span texts[] = { SPAN(""), SPAN(" "), SPAN("1"),
	    SPAN("\"a\""), SPAN("null"), SPAN("[]"), SPAN("[{}]"), SPAN("{"),
	    SPAN("}"), SPAN("{]"), SPAN("{\"a\"}"), SPAN("{\"a\":}"),
	    SPAN("{\"a\":1,}"), SPAN("{,}"), SPAN("{a:1}"), SPAN("{'a':1}"),
	    SPAN("{1:1}"), SPAN("{\"a\" 1}"), SPAN("{\"a\":1 \"b\":2}"),
	    SPAN("{\"a\":01}"), SPAN("{\"a\":+1}"), SPAN("{\"a\":.5}"),
	    SPAN("{\"a\":1.}"), SPAN("{\"a\":1e}"), SPAN("{\"a\":-}"),
	    SPAN("{\"a\":0x1}"), SPAN("{\"a\":NaN}"), SPAN("{\"a\":Infinity}"),
	    SPAN("{\"a\":True}"), SPAN("{\"a\":nul}"), SPAN("{\"a\":nulll}"),
	    SPAN("{\"a\":\"\\x\"}"), SPAN("{\"a\":\"\\u12\"}"),
	    SPAN("{\"a\":\"\\u12g4\"}"), SPAN("{\"a\":\"\n\"}"),
	    SPAN("{\"a\":\"\t\"}"), SPAN("{\"a\":\"\0\"}"), SPAN("{}\0"),
	    SPAN("{\"a\":\"\x80\"}"), SPAN("{\"a\":\"\xc0\x80\"}"),
	    SPAN("{\"a\":\"\xed\xa0\x80\"}"), SPAN("{\"a\":\"\xf5\"}"),
	    SPAN("{\"a\":\"\xe2\x82\"}"), SPAN("{\"\xff\":1}"),
	    SPAN("{\"a\":1}x"), SPAN("{\"a\":1}1"), SPAN("{\"a\":1} \""),
	    SPAN("{\"a\":1},"), SPAN("{\"a\":1}]"), SPAN("{\"a\":1}}"),
	    SPAN("{}{}"), SPAN("{} {}"), SPAN("{}\n{}"), SPAN("{}[]"),
	    SPAN("{\"a\":/**/1}"), SPAN("//\n{}"), SPAN("{} // c"),
	    SPAN("\xef\xbb\xbf{}"), SPAN("{\"a\":[1,]}"), SPAN("{\"a\":[,1]}"),
	    SPAN("{\"a\":[1 2]}"), SPAN("{\"a\":[1}"), SPAN("{\"a\":{1]}"),
	    SPAN("{\"a\":\f1}"), SPAN("{\"a\":1}\v"), SPAN("\f{\"a\":1}"),
	    SPAN("{\"a\":\"\f\"}") };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		check_not_record(texts[i], NULL);
	check_not_record(SPAN("{\"a\":\f1}"), "form feed");
	check_not_record(SPAN("{} {}"), "more than one object");
	check_not_record(SPAN("{\"a\":"), "ends within");
	check_not_record(SPAN("[]"), "not an object");
}

static void
test_duplicates(void)
{
	struct buf b = { 0 };

	check_not_record(SPAN("{\"a\":1,\"a\":1}"), "duplicate key 'a'");
	check_not_record(SPAN("{\"z\":1,\"y\":2,\"z\":1}"),
	    "duplicate key 'z'");
	check_not_record(SPAN("{\"type\":1,\"b\":1,\"type\":2}"),
	    "duplicate key 'type'");
	check_not_record(SPAN("{\"\":1,\"\":1}"), "duplicate key");
	check_not_record(SPAN("{\"a\":1,\"\\u0061\":1}"), "duplicate key 'a'");
	check_not_record(SPAN("{\"z\":1,\"\\u007a\":1}"), "duplicate key 'z'");
	check_not_record(SPAN("{\"x\":{\"z\":1,\"z\":1}}"),
	    "duplicate key 'z'");
	check_not_record(SPAN("{\"a\":[[{\"q\":{\"z\":1,\"y\":{},\"z\":1}}]]}"),
	    "duplicate key 'z'");
	check_record(SPAN("{\"a\":{\"a\":{\"a\":[{\"a\":1},{\"a\":1}]}},"
	    "\"b\":{\"a\":1},\"c\":{\"a\":{},\"b\":{\"a\":1}}}"));
	check_record(SPAN("{\"z\":1,\"Z\":1,\"z \":1,\"\":1,\"zz\":1}"));
	/* At every depth, even if other objects have the same key once */
	for (int depth = 1; depth <= RECIO_DEPTH; depth++) {
		b.len = 0;
		for (int i = 1; i < depth; i++)
			buf_str(&b, "{\"s\":{\"z\":1},\"k\":");
		buf_str(&b, "{\"z\":1,\"k\":2,\"z\":3}");
		for (int i = 1; i < depth; i++)
			buf_char(&b, '}');
		check_not_record(buf_span(&b), "duplicate key");
	}
	/* recio compares the keys of large objects in another way. */
	for (int n = 2; n < 200; n += 7)
		for (int twice = 0; twice < 2; twice++) {
			b.len = 0;
			buf_char(&b, '{');
			for (int i = 0; i < n; i++)
				buf_printf(&b, "\"%d\":0,", i);
			buf_printf(&b, "\"%d\":0}", twice ? n / 2 : n);
			if (twice)
				check_not_record(buf_span(&b), "duplicate key");
			else
				check_record(buf_span(&b));
		}
	/* Two equal keys of 5000 characters */
	b.len = 0;
	buf_str(&b, "{\"");
	for (int i = 0; i < 5000; i++)
		buf_char(&b, 'k');
	buf_str(&b, "\":1,\"");
	for (int i = 0; i < 5000; i++)
		buf_char(&b, 'k');
	buf_str(&b, "\":1}");
	check_not_record(buf_span(&b), "duplicate key");
	buf_release(&b);
}

/*
 * A record whose value is nested n times: n times `open`, `inner`, n times
 * `close`.
 */
static struct span
nest(struct buf *b, int n, const char *open, const char *inner,
    const char *close)
{
	b->len = 0;
	buf_str(b, "{\"a\":");
	for (int i = 0; i < n; i++)
		buf_str(b, open);
	buf_str(b, inner);
	for (int i = 0; i < n; i++)
		buf_str(b, close);
	buf_char(b, '}');
	return buf_span(b);
}

/* A record may have 512 levels; the record itself is the first. */
static void
test_depth(void)
{
	static const int deep[] = { 513, 514, 1000, 1000000 };
	struct buf b = { 0 };
	struct rec *r;

	for (int n = 2; n <= 512; n++) {
		r = check_record(nest(&b, n - 1, "[", "", "]"));
		CHECK(r != NULL && rec_get(r, A)->token.n ==
		    (size_t)(n - 1) * 2, "%d levels", n);
		check_record(nest(&b, n - 1, "{\"a\":", "1", "}"));
		check_record(nest(&b, (n - 1) / 2, "[{\"a\":", "1", "}]"));
	}
	for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
		check_not_record(nest(&b, deep[i] / 2, "[{\"a\":", "1", "}]"),
		    "512 levels");
		check_not_record(nest(&b, deep[i] - 1, "[", "", "]"),
		    "512 levels");
		check_not_record(nest(&b, deep[i] - 1, "{\"a\":", "1", "}"),
		    "512 levels");
		if (deep[i] < 2000)
			continue;
		/* Of each level {"a":...}, 5 bytes open it, and 1 closes it. */
		b.len = b.len / 6 * 5;	/* all levels opened, none closed */
		check_not_record(buf_span(&b), "512 levels");
	}
	buf_release(&b);
}

static const struct span sample = SPAN("{\"type\":\"t\\u00e9\",\"a\":[\"x\","
    "1.5e-3,{\"k\":null}],\"b\":{\"q\":[true,false]},\"\xc3\xa9\\\\\":-0,"
    "\"a long key\":\"\\ud83d\\ude00\"}");

static void
test_truncated(void)
{
	check_record(sample);
	for (size_t n = 0; n < sample.n; n++)
		check_not_record(span_of(sample.p, n), NULL);
	for (size_t n = 1; n < sample.n; n++)
		check_not_record(span_of(sample.p + n, sample.n - n), NULL);
}

/*
 * A record with up to three bytes changed is read or rejected; after many such
 * records, an unchanged one is read.
 */
static void
test_mutations(void)
{
	char *text = malloc(sample.n);
	const char *why;
	struct rec *r;

	for (int i = 0; i < UNIT_ROUNDS(100000); i++) {
		memcpy(text, sample.p, sample.n);
		for (uint64_t n = unit_random(3) + 1; n > 0; n--)
			text[unit_random(sample.n)] = unit_random(2) ?
			    (char)unit_random(256) :
			    UNIT_ONE_OF("{}[]\",:\\ue01-tn"); /* or its NUL */
		r = parse(span_of(text, sample.n), &why);
		CHECK((r == NULL) == (why != NULL), "%.*s", (int)sample.n,
		    text);
		for (size_t f = 0; r != NULL && f < r->n; f++)
			CHECK(r->fields[f].token.n > 0 &&
			    utf8_valid(r->fields[f].key.p,
			    r->fields[f].key.n), "field %zu of %.*s", f,
			    (int)sample.n, text);
	}
	free(text);
	check_record(sample);
}

/* A long string and many fields, for which quadratic time would be noticed. */
static void
test_large(void)
{
	struct buf b = { 0 };
	struct span s;
	struct rec *r;

	buf_str(&b, "{\"a\":\"");
	for (int i = 0; i < 8000000; i++)
		buf_char(&b, (char)('a' + i % 26));
	buf_str(&b, "\\n\"}");
	r = check_record(buf_span(&b));
	CHECK(r != NULL && rec_str(r, A, &s) == REC_OK && s.n == 8000001,
	    "the long string is not read");
	b.len = 0;
	buf_char(&b, '{');
	for (int i = 0; i < 200000; i++)
		buf_printf(&b, "\"k%d\":%d,", i, i);
	buf_str(&b, "\"b\":1}");
	r = check_record(buf_span(&b));
	CHECK(r != NULL && r->n == 200001 && span_eq(r->fields[77777].key,
	    "k77777") && span_eq(r->fields[77777].text, "77777"),
	    "the many fields are not read in order");
	buf_release(&b);
}

int
main(void)
{
	unit_seed();
	io = recio_new(keys);
	test_getters();
	test_absent();
	test_arrays();
	test_numbers();
	test_rejected();
	test_duplicates();
	test_depth();
	test_truncated();
	test_mutations();
	test_large();
	free(copy);
	recio_free(io);
	return unit_end();
}
