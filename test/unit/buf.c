/*
 * buf - numbers are written as snprintf() writes them, hex_address() reads
 * addresses back, buffers grow
 */

#include <inttypes.h>

#include "common/base/buf.h"
#include "common/base/hex.h"
#include "test/unit/unit.h"

/* Checks a value written as unsigned, as signed and as an address. */
static void
check_number(uint64_t value)
{
	char want[96];
	struct buf b = { 0 };
	uint64_t back = 0;

	snprintf(want, sizeof want, "%" PRIu64 " %" PRId64 " 0x%" PRIx64,
	    value, (int64_t)value, value);
	buf_u64(&b, value);
	buf_char(&b, ' ');
	buf_i64(&b, (int64_t)value);
	buf_char(&b, ' ');
	buf_address(&b, value);
	CHECK(span_eq(buf_span(&b), want), "'%s', not '%s'", buf_cstr(&b),
	    want);
	CHECK(hex_address(span_str(strchr(want, 'x') - 1), &back) &&
	    back == value, "'%s' is read as 0x%" PRIx64, want, back);
	buf_release(&b);
}

static void
test_numbers(void)
{
	uint64_t v = 1;

	/*
	 * The numbers from two below to two above each power of ten, each
	 * negated power of ten and each power of two.
	 */
	for (int i = 0; i < 20; i++, v *= 10)
		for (uint64_t d = 0; d < 5; d++) {
			check_number(v + d - 2);
			check_number(0 - v + d - 2);
		}
	for (int i = 0; i < 64; i++)
		for (uint64_t d = 0; d < 5; d++)
			check_number((UINT64_C(1) << i) + d - 2);
	for (v = 0; v < 20000; v++)
		check_number(v);
	check_number(UINT64_MAX);
	check_number(INT64_MAX);
	check_number((uint64_t)INT64_MIN);
	for (int i = 0; i < 100000; i++)
		check_number(unit_random(UINT64_MAX) >> unit_random(64));
}

static void
test_growth(void)
{
	struct buf b = { 0 };
	char *long_word = calloc(1, 100001);
	bool is_unchanged = true;

	buf_add(&b, "", 0);
	CHECK(b.len == 0, "adding no bytes makes %zu", b.len);
	for (int i = 0; i < 1000000; i++)
		buf_char(&b, (char)i);
	for (int i = 0; i < 1000000; i++)
		is_unchanged &= b.data[i] == (char)i;
	CHECK(b.len == 1000000 && is_unchanged, "%zu bytes", b.len);
	b.len = 0;
	memset(long_word, 'w', 100000);
	buf_printf(&b, "<%s> %d", long_word, 7);
	/* '<', the word of 100000 bytes, and "> 7" */
	CHECK(b.len == 100004 && memcmp(b.data + 100000, "w> 7", 4) == 0,
	    "%zu bytes", b.len);
	buf_release(&b);
	CHECK(b.data == NULL && b.len == 0 && b.cap == 0,
	    "the buffer is not empty after its release");
	for (size_t n = 0; n < 200; n++) {
		buf_printf(&b, "%.*s|", (int)n, long_word);
		CHECK(b.len == n + 1 && b.data[n] == '|',
		    "a word of %zu bytes", n);
		buf_release(&b);
	}
	free(long_word);
}

static void
need_more_than_memory(void)
{
	struct buf b = { 0 };

	buf_str(&b, "some");
	buf_need(&b, SIZE_MAX - 2);
}

int
main(void)
{
	unit_seed();
	test_numbers();
	test_growth();
	CHECK(unit_child(need_more_than_memory) == EXIT_FATAL,
	    "too large a buffer is not fatal");
	return unit_end();
}
