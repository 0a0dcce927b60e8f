/* text - tests of UTF-8, escapes and numbers, above all at their limits */

#include "common/base/text.h"
#include "test/unit/unit.h"

/* Encodes a number as UTF-8 would, even if it is not a valid code point. */
static size_t
encode_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static void
test_every_code_point(void)
{
	char text[4];
	uint32_t code;
	size_t n, got;
	bool is_invalid;

	/* 0x800 numbers more than the largest code point, U+10FFFF. */
	for (uint32_t c = 0; c < 0x110800; c++) {
		is_invalid = (c >= 0xd800 && c < 0xe000) || c > 0x10ffff;
		n = encode_utf8(text, c);
		code = 0;
		got = utf8_char(text, n, &code);
		CHECK(got == (is_invalid ? 0 : n), "U+%04X: %zu", c, got);
		CHECK(is_invalid || code == c, "U+%04X is U+%04X", c, code);
		CHECK(utf8_valid(text, n) == !is_invalid, "U+%04X", c);
		for (size_t length = 0; length < n; length++)
			CHECK(utf8_char(text, length, &code) == 0,
			    "U+%04X is read from its first %zu bytes", c,
			    length);
	}
}

static const struct span invalid[] = {
	SPAN("\x80"), SPAN("\xbf"), SPAN("\xc0\x80"), SPAN("\xc1\xbf"),
	SPAN("\xc2"), SPAN("\xc2\x41"), SPAN("\xc2\xc2\x80"),
	SPAN("\xe0\x80\x80"), SPAN("\xe0\x9f\xbf"), SPAN("\xe2\x82"),
	SPAN("\xe2\x82\x41"), SPAN("\xed\xa0\x80"), SPAN("\xed\xbf\xbf"),
	SPAN("\xf0\x80\x80\x80"), SPAN("\xf0\x8f\xbf\xbf"),
	SPAN("\xf0\x9f\x98"), SPAN("\xf0\x9f\x98\x41"),
	SPAN("\xf4\x90\x80\x80"), SPAN("\xf5\x80\x80\x80"),
	SPAN("\xf8\x88\x80\x80\x80"), SPAN("\xfe"), SPAN("\xff"),
	SPAN("\xc3\xa9\x80"), SPAN("\xed\xa0\xbd\xed\xb8\x80"),
};

static const struct span valid[] = {
	SPAN(""), SPAN("a"), SPAN("\0"), SPAN("\x7f"), SPAN("\xc2\x80"),
	SPAN("\xdf\xbf"), SPAN("\xe0\xa0\x80"), SPAN("\xed\x9f\xbf"),
	SPAN("\xee\x80\x80"), SPAN("\xef\xbb\xbf"), SPAN("\xef\xbf\xbf"),
	SPAN("\xf0\x90\x80\x80"), SPAN("\xf4\x8f\xbf\xbf"),
};

/*
 * Puts s into ASCII text at every offset from 0 to 19, since utf8_valid() reads
 * ASCII eight bytes at a time.
 */
static void
check_at_every_offset(struct span s, bool is_valid)
{
	char text[64];

	for (size_t before = 0; before < 20; before++)
		for (size_t after = 0; after < 20; after++) {
			memset(text, 'a', sizeof text);
			memcpy(text + before, s.p, s.n);
			CHECK(utf8_valid(text, before + s.n + after) ==
			    is_valid, "first byte %02x, %zu before, %zu after",
			    s.n > 0 ? (unsigned char)*s.p : 0, before, after);
		}
}

static void
test_validity(void)
{
	for (size_t i = 0; i < sizeof valid / sizeof *valid; i++)
		check_at_every_offset(valid[i], true);
	for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
		check_at_every_offset(invalid[i], false);
}

static void
check_escape(struct span from, const char *want)
{
	char got[128];
	size_t n = text_escape(got, sizeof got, from.p, from.n);

	CHECK(strcmp(got, want) == 0 && n == strlen(want), "'%s', not '%s'",
	    got, want);
}

static void
test_escapes(void)
{
	check_escape(SPAN(""), "");
	check_escape(SPAN("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
	    "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	check_escape(SPAN("\033[31m"), "\\x1b[31m");
	check_escape(SPAN("a\0b\nc\td\re"), "a\\x00b\\x0ac\\x09d\\x0de");
	check_escape(SPAN("\x1f \x7f"), "\\x1f \\x7f");
	check_escape(SPAN("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0"),
	    "\\u{80}\\u{9b}\\u{9f}\xc2\xa0");
	check_escape(SPAN("\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f"),
	    "\\u{61c}\\u{200e}\\u{200f}");
	check_escape(SPAN("\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf"),
	    "\\u{2029}\\u{202a}\\u{202e}\xe2\x80\xaf");
	check_escape(SPAN("\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa"),
	    "\xe2\x81\xa5\\u{2066}\\u{2069}\xe2\x81\xaa");
	check_escape(SPAN("\xef\xbb\xbf\xef\xbb\xbe"), "\\u{feff}\xef\xbb\xbe");
	check_escape(SPAN("\xff\x80z\xe2\x82"), "\\xff\\x80z\\xe2\\x82");
}

/* text_escape() writes all characters and escapes that fit whole, and a NUL. */
static void
test_truncated_escapes(void)
{
	struct span from = SPAN("a\033\xe2\x82\xac\xff\xe2\x80\xae" "b");
	const char escaped[] = "a\\x1b\xe2\x82\xac\\xff\\u{202e}b";
	/* [n]: a character or an escape ends after n bytes of `escaped`. */
	static const bool is_boundary[] = { [0] = 1, [1] = 1, [5] = 1, [8] = 1,
	    [12] = 1, [20] = 1, [21] = 1 };
	char got[64];
	size_t n, want;

	CHECK(text_escape(got, 0, from.p, from.n) == 0,
	    "bytes are written without room for a NUL");
	/* sizeof escaped, which counts the NUL, is enough for all of it. */
	for (size_t size = 1; size <= sizeof escaped; size++) {
		memset(got, '#', sizeof got);
		n = text_escape(got, size, from.p, from.n);
		want = size - 1;
		while (!is_boundary[want])
			want--;
		CHECK(n == want && memcmp(got, escaped, n) == 0,
		    "size %zu: %zu bytes, not %zu", size, n, want);
		CHECK(n < size && got[n] == '\0' && got[size] == '#',
		    "size %zu: the NUL is missing or bytes follow it", size);
	}
}

static void
check_u64(struct span s, bool is_valid, uint64_t want)
{
	uint64_t got = 77;

	CHECK(text_u64(s, &got) == is_valid, "'%.*s'", SPAN_ARG_ALL(s));
	CHECK(got == (is_valid ? want : 77), "'%.*s' is %llu", SPAN_ARG_ALL(s),
	    (unsigned long long)got);
}

static void
check_i64(struct span s, bool is_valid, int64_t want)
{
	int64_t got = 77;

	CHECK(text_i64(s, &got) == is_valid, "'%.*s'", SPAN_ARG_ALL(s));
	CHECK(got == (is_valid ? want : 77), "'%.*s' is %lld", SPAN_ARG_ALL(s),
	    (long long)got);
}

static void
test_numbers(void)
{
	static const struct span not_numbers[] = { SPAN(""), SPAN("-"),
	    SPAN("+1"), SPAN(" 1"), SPAN("1 "), SPAN("0x1"), SPAN("1e3"),
	    SPAN("1.0"), SPAN("--1"), SPAN("1\0"), SPAN("\0"), SPAN("1-"),
	    SPAN("/"), SPAN(":"), SPAN("\xb1"), SPAN("1_000") };

	check_u64(SPAN("0"), true, 0);
	check_u64(SPAN("007"), true, 7);
	check_u64(SPAN("9999999999999999999"), true, 9999999999999999999U);
	check_u64(SPAN("10000000000000000000"), true, 10000000000000000000U);
	check_u64(SPAN("18446744073709551615"), true, UINT64_MAX);
	check_u64(SPAN("00000000018446744073709551615"), true, UINT64_MAX);
	check_u64(SPAN("18446744073709551616"), false, 0);
	check_u64(SPAN("18446744073709551620"), false, 0);
	check_u64(SPAN("28446744073709551615"), false, 0);
	check_u64(SPAN("99999999999999999999"), false, 0);
	check_u64(SPAN("184467440737095516150"), false, 0);
	check_u64(SPAN("-0"), false, 0);
	check_i64(SPAN("-0"), true, 0);
	check_i64(SPAN("9223372036854775807"), true, INT64_MAX);
	check_i64(SPAN("9223372036854775808"), false, 0);
	check_i64(SPAN("-9223372036854775808"), true, INT64_MIN);
	check_i64(SPAN("-9223372036854775809"), false, 0);
	check_i64(SPAN("18446744073709551615"), false, 0);
	check_i64(SPAN("-18446744073709551616"), false, 0);
	for (size_t i = 0; i < sizeof not_numbers / sizeof *not_numbers; i++) {
		check_u64(not_numbers[i], false, 0);
		check_i64(not_numbers[i], false, 0);
	}
	/* Digits after the span are not read. */
	check_u64(span_of("123", 2), true, 12);
	check_i64(span_of("-123", 3), true, -12);
}

/* Random digits, most of them followed by a non-digit and more digits. */
static void
test_digits(void)
{
	/* The literal's NUL, which sizeof counts, is a non-digit as well. */
	static const char non_digits[] = "/:;,. eE+-\x80\xff";
	uint64_t want, got;
	size_t n, n_after;
	char bytes[40], *text;
	const char *end;

	for (int round = 0; round < 200000; round++) {
		n = unit_random(20);
		n_after = unit_random(20);
		want = got = 0;
		for (size_t i = 0; i < n + n_after; i++)
			bytes[i] = i == n ? UNIT_ONE_OF(non_digits) :
			    (char)('0' + unit_random(10));
		for (size_t i = 0; i < n; i++)
			want = want * 10 + (uint64_t)(bytes[i] - '0');
		text = unit_copy(span_of(bytes, n + n_after));
		end = text_digits(text, text + n + n_after, &got);
		CHECK(end == text + n && got == want, "'%.*s': %llu",
		    (int)(n + n_after), text, (unsigned long long)got);
		check_u64(span_of(text, n), n > 0, want);
		if (n_after > 0)
			check_u64(span_of(text, n + n_after), false, 0);
		free(text);
	}
}

/* text_match_mask() returns a bit for each byte of a block that is a space. */
static void
test_find(void)
{
	static const char characters[] = " x\0\x7f\x80\xa0\xff";
	unsigned want, has_special;	/* special: NUL or not ASCII */
	bool want_special;
	char block[TEXT_BLOCK];

	for (int round = 0; round < 100000; round++) {
		want = has_special = 0;
		want_special = false;
		for (unsigned i = 0; i < TEXT_BLOCK; i++) {
			block[i] = unit_random(3) > 0 ? 'a' :
			    characters[unit_random(sizeof characters - 1)];
			want |= (unsigned)(block[i] == ' ') << i;
			want_special |= block[i] == 0 || (block[i] & 0x80) != 0;
		}
		CHECK(text_match_mask(block, ' ', &has_special) == want,
		    "round %d", round);
		CHECK((has_special != 0) == want_special, "round %d", round);
	}
}

int
main(void)
{
	unit_seed();
	test_every_code_point();
	test_validity();
	test_escapes();
	test_truncated_escapes();
	test_numbers();
	test_digits();
	test_find();
	return unit_end();
}
