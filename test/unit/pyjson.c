/*
 * pyjson - JSON is written as json.dumps() of Python writes it, as in Perun's
 * profiles.  More is tested by pidx-write.bats, with test/oracles/perun.py.
 */

#include <math.h>

#include "common/perun/pyjson.h"
#include "test/unit/unit.h"

enum { RANDOM_DOUBLES = UNIT_ROUNDS(50000) };

/* Checks that a JSON text is written as `want`. */
static void
check(const char *json, const char *want)
{
	struct span text = span_str(json);
	char *copy = unit_copy(text);
	struct buf b = { 0 };

	pyjson_put(&b, span_of(copy, text.n));
	CHECK(span_eq(buf_span(&b), want), "%s is written as %.*s, not %s",
	    json, (int)b.len, b.data, want);
	buf_release(&b);
	free(copy);
}

/* JSON numbers, and how Python 3 writes them after reading them. */
static void
test_numbers(void)
{
	static const char *const pairs[][2] = {
		{ "0", "0" }, { "-0", "0" }, { "-7", "-7" },
		{ "123456789012345678901234567890",
		    "123456789012345678901234567890" },
		{ "0.0", "0.0" }, { "-0.0", "-0.0" }, { "-0e5", "-0.0" },
		{ "1.50", "1.5" }, { "1.0", "1.0" }, { "1.00", "1.0" },
		{ "1e5", "100000.0" }, { "1E+5", "100000.0" },
		{ "1e15", "1000000000000000.0" }, { "1e16", "1e+16" },
		{ "1e22", "1e+22" }, { "123456789012345678.0",
		    "1.2345678901234568e+17" },
		{ "9999999999999998.0", "9999999999999998.0" },
		{ "0.0001", "0.0001" }, { "0.00001", "1e-05" },
		{ "0.00012345", "0.00012345" }, { "1.5e-7", "1.5e-07" },
		{ "1e-100", "1e-100" }, { "0.1", "0.1" },
		{ "0.30000000000000004", "0.30000000000000004" },
		{ "0.1000000000000000055511151231257827", "0.1" },
		{ "2.675", "2.675" }, { "5e-324", "5e-324" },
		{ "4.9406564584124654e-324", "5e-324" },
		{ "2.2250738585072014e-308", "2.2250738585072014e-308" },
		{ "2.225073858507201e-308", "2.225073858507201e-308" },
		{ "1.7976931348623157e308", "1.7976931348623157e+308" },
		{ "1e309", "Infinity" }, { "-1e999", "-Infinity" },
		{ "1e-400", "0.0" }, { "-1e-400", "-0.0" },
		{ "9007199254740993.0", "9007199254740992.0" },
		{ "9007199254740991.5", "9007199254740992.0" },
		{ "1.1000000000000001", "1.1" },
		{ "5.0e0", "5.0" }, { "100.0", "100.0" }, { "10.10", "10.1" },
		{ "9.5367431640625e-07", "9.5367431640625e-07" },
		{ "6.103515625e-05", "6.103515625e-05" },
		{ "9007199254740993", "9007199254740993" },
		{ "1.0000000000000002", "1.0000000000000002" },
		{ "1.00000000000000022", "1.0000000000000002" },
		{ "8.41e21", "8.41e+21" }, { "2e-3", "0.002" },
	};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		check(pairs[i][0], pairs[i][1]);
}

static void
test_strings(void)
{
	check("\"\"", "\"\"");
	check("\"a/b\\/c\"", "\"a/b/c\"");
	check("\"\\u0041\\u00e9\\u20AC\"", "\"A\\u00e9\\u20ac\"");
	check("\"\xc3\xa9\xe2\x82\xac\"", "\"\\u00e9\\u20ac\"");
	check("\"\xf0\x9f\x98\x80\"", "\"\\ud83d\\ude00\"");
	check("\"\\ud83d\\ude00\"", "\"\\ud83d\\ude00\"");
	check("\"\\ud83d\"", "\"\\ud83d\"");
	check("\"\\b\\f\\n\\r\\t\\\"\\\\\"", "\"\\b\\f\\n\\r\\t\\\"\\\\\"");
	check("\"\\u0008\\u000a\\u0000\\u001f\\u0022\\u005c\"",
	    "\"\\b\\n\\u0000\\u001f\\\"\\\\\"");
	check("\"\x7f~ \"", "\"\\u007f~ \"");
	check("\"\xc2\x80\xe2\x80\xa8\xef\xbf\xbf\"",
	    "\"\\u0080\\u2028\\uffff\"");
	check("\"1e5 , : [ {\"", "\"1e5 , : [ {\"");
}

static void
test_structure(void)
{
	check("{}", "{}");
	check("[ ]", "[]");
	check("{ \"a\" : 1 ,\r\n\t\"b\":[1,2.0 , true,false,null]}",
	    "{\"a\": 1, \"b\": [1, 2.0, true, false, null]}");
	check("{\"z\":{\"y\":[[],{}]},\"a\":\"\"}",
	    "{\"z\": {\"y\": [[], {}]}, \"a\": \"\"}");
	check("", "");
}

static void
test_string_from_bytes(void)
{
	struct buf b = { 0 };

	pyjson_string(&b, SPAN("a\0\"\\\n\x01\x7f\xc3\xa9\xff"));
	CHECK(span_same(buf_span(&b),
	    SPAN("\"a\\u0000\\\"\\\\\\n\\u0001\\u007f\\u00e9\\ufffd\"")),
	    "%.*s", (int)b.len, b.data);
	buf_release(&b);
}

/*
 * A number with this value, rounded to `precision` decimals of the form 1.5e3,
 * is written with the value that was read and as few digits as possible.
 * Reading and writing the result again does not change it.
 */
static void
check_double(double value, int precision)
{
	char text[64], shorter[64], *end;
	struct buf b = { 0 }, again = { 0 };
	int precision_needed = 0, n_digits = 0;

	snprintf(text, sizeof text, "%.*e", precision, value);
	value = strtod(text, NULL);
	pyjson_put(&b, span_str(text));
	CHECK(strtod(buf_cstr(&b), &end) == value && *end == '\0',
	    "%s is written as %s", text, b.data);
	pyjson_put(&again, buf_span(&b));
	CHECK(span_same(buf_span(&again), buf_span(&b)),
	    "%s is written as %.*s", b.data, (int)again.len, again.data);
	while (precision_needed < 17) {
		snprintf(shorter, sizeof shorter, "%.*e", precision_needed,
		    value);
		if (strtod(shorter, NULL) == value)
			break;
		precision_needed++;
	}
	for (const char *p = b.data; *p != '\0' && *p != 'e'; p++)
		n_digits += text_is_digit(*p) && (n_digits > 0 || *p != '0');
	/* Without an exponent, zeros may be added: 100.0 needs one digit. */
	CHECK(n_digits <= precision_needed + 1 || strchr(b.data, 'e') == NULL,
	    "%s has %d digits, not %d", b.data, n_digits,
	    precision_needed + 1);
	buf_release(&b);
	buf_release(&again);
}

static void
test_random_doubles(void)
{
	uint64_t bits;
	double value;

	for (int i = 0; i < RANDOM_DOUBLES; i++) {
		/* Below the bits of infinity are all finite numbers >= 0. */
		bits = unit_random(UINT64_C(0x7ff0000000000000));
		/* Half are from 2^-26 to 2^38, as measurements usually are. */
		if (i % 2 == 0)
			bits = UINT64_C(0x3e50000000000000) +
			    bits % UINT64_C(0x0400000000000000);
		memcpy(&value, &bits, sizeof value);
		check_double(value, (int)unit_random(20));
	}
}

int
main(void)
{
	unit_seed();
	test_numbers();
	test_strings();
	test_structure();
	test_string_from_bytes();
	test_random_doubles();
	return unit_end();
}
