/* input - lines are the same from files, gzip, zstd and small reads */

#include <zlib.h>
#include <zstd.h>

#include "common/io/input.h"
#include "test/unit/unit.h"

enum { NO_LIMIT = 1 << 30 };

/*
 * Appends "NUMBER:LENGTH:TEXT|" for a line, where NUMBER counts lines from 1.
 * If the line is longer than the limit, "+REST" precedes the '|'.
 */
static void
show_line(struct buf *to, struct input *in, const struct line *line)
{
	struct line piece;

	buf_printf(to, "%llu:%zu:", (unsigned long long)in->line, line->len);
	buf_add(to, line->p, line->len);
	if (line->too_long) {
		buf_char(to, '+');
		while (input_rest(in, &piece))
			buf_add(to, piece.p, piece.full_len);
	}
	buf_char(to, '|');
}

/*
 * Sets *to to the lines of n files, as by show_line(), and "damage: WHY" after
 * a damaged file.  If n is 0, reads standard input.
 */
static void
show_files(struct buf *to, char *const *files, size_t n, size_t limit)
{
	struct input in;
	struct line line;

	to->len = 0;
	input_init(&in, files, n);
	while (input_next_file(&in)) {
		while (input_line(&in, limit, &line))
			show_line(to, &in, &line);
		if (in.damage != NULL)
			buf_printf(to, "damage: %s", in.damage);
	}
	input_release(&in);
}

static void
add_gzip(struct buf *to, struct span text)
{
	z_stream z = { 0 };

	/* 15: the largest window; + 16: a gzip header and trailer. */
	if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, 0) != Z_OK)
		exit(UNIT_EXIT_SETUP);
	buf_need(to, deflateBound(&z, text.n));
	z.next_in = (unsigned char *)(uintptr_t)text.p;
	z.avail_in = (unsigned)text.n;
	z.next_out = (unsigned char *)to->data + to->len;
	z.avail_out = (unsigned)(to->cap - to->len);
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		exit(UNIT_EXIT_SETUP);
	to->len += z.total_out;
	deflateEnd(&z);
}

/* A frame with a checksum, as zstd makes. */
static void
add_zstd(struct buf *to, struct span text)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	size_t n;

	buf_need(to, ZSTD_compressBound(text.n));
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(z, to->data + to->len, to->cap - to->len, text.p,
	    text.n);
	if (ZSTD_isError(n))
		exit(UNIT_EXIT_SETUP);
	to->len += n;
	ZSTD_freeCCtx(z);
}

/* A frame whose contents are not data (RFC 8878, 3.1.2). */
static void
add_skippable(struct buf *to)
{
	buf_add(to, "\x5a\x2a\x4d\x18\x03\0\0\0abc", 11);
}

/*
 * Checks that the bytes give the lines `want` (as by show_files()) if they are
 * a file, and if they come from standard input a few at a time.
 */
static void
check_bytes(struct span bytes, size_t limit, struct span want)
{
	char name[] = "file", *files[] = { name };
	struct buf got = { 0 };

	unit_write(name, bytes);
	show_files(&got, files, 1, limit);
	CHECK(span_same(buf_span(&got), want), "a file: '%.*s', not '%.*s'",
	    (int)got.len, got.data, SPAN_ARG_ALL(want));
	for (size_t size = 1; size <= UNIT_READ_MAX; size++) {
		unit_stdin(bytes, size);
		show_files(&got, NULL, 0, limit);
		CHECK(span_same(buf_span(&got), want),
		    "%zu bytes a read: '%.*s', not '%.*s'", size,
		    (int)got.len, got.data, SPAN_ARG_ALL(want));
		wait(NULL);
	}
	buf_release(&got);
}

/* Checks one frame, and several with skippable frames around them. */
static void
check_zstd(struct span text, size_t limit, struct span want)
{
	struct buf z = { 0 };
	size_t half = text.n / 2;

	add_zstd(&z, text);
	check_bytes(buf_span(&z), limit, want);
	z.len = 0;
	add_skippable(&z);
	add_zstd(&z, span_of(text.p, half));
	add_skippable(&z);
	add_zstd(&z, SPAN(""));
	add_zstd(&z, span_of(text.p + half, text.n - half));
	add_skippable(&z);
	check_bytes(buf_span(&z), limit, want);
	buf_release(&z);
}

/*
 * Checks that a text gives the lines `want` as it is; compressed as one gzip
 * member, and as three; with zeros after the last member; and compressed as
 * frames of zstd.
 */
static void
check_text(struct span text, size_t limit, struct span want)
{
	struct buf gz = { 0 };
	size_t half = text.n / 2;

	check_bytes(text, limit, want);
	add_gzip(&gz, text);
	check_bytes(buf_span(&gz), limit, want);
	gz.len = 0;
	add_gzip(&gz, span_of(text.p, half));
	add_gzip(&gz, SPAN(""));
	add_gzip(&gz, span_of(text.p + half, text.n - half));
	check_bytes(buf_span(&gz), limit, want);
	for (int i = 0; i < 70; i++)
		buf_char(&gz, 0);
	check_bytes(buf_span(&gz), limit, want);
	buf_release(&gz);
	check_zstd(text, limit, want);
}

static void
test_lines(void)
{
	check_text(SPAN("ab\nc\n"), NO_LIMIT, SPAN("1:2:ab|2:1:c|"));
	check_text(SPAN(""), NO_LIMIT, SPAN(""));
	check_text(SPAN("\n\n"), NO_LIMIT, SPAN(""));
	check_text(SPAN("\n \t\r\n\r\n\v\f\nx"), NO_LIMIT, SPAN("5:1:x|"));
	check_text(SPAN("a\r\nb\r\n"), NO_LIMIT, SPAN("1:1:a|2:1:b|"));
	check_text(SPAN("a\r\r\n\rb\n"), NO_LIMIT,
	    SPAN("1:2:a\r|2:2:\rb|"));
	check_text(SPAN("a\nb"), NO_LIMIT, SPAN("1:1:a|2:1:b|"));
	check_text(SPAN("a\nb\r"), NO_LIMIT, SPAN("1:1:a|2:2:b\r|"));
	check_text(SPAN("a\0b\n\0\n"), NO_LIMIT,
	    SPAN("1:3:a\0b|2:1:\0|"));
	check_text(SPAN(" a \n"), NO_LIMIT, SPAN("1:3: a |"));
}

static void
test_byte_order_mark(void)
{
	check_text(SPAN("\xef\xbb\xbf"), NO_LIMIT, SPAN(""));
	check_text(SPAN("\xef\xbb\xbfx\ny\n"), NO_LIMIT,
	    SPAN("1:1:x|2:1:y|"));
	check_text(SPAN("\xef\xbb\xbf\xef\xbb\xbfx\n"), NO_LIMIT,
	    SPAN("1:4:\xef\xbb\xbfx|"));
	check_text(SPAN("\xef\xbbx\n"), NO_LIMIT, SPAN("1:3:\xef\xbbx|"));
	check_text(SPAN("\xef\xbb"), NO_LIMIT, SPAN("1:2:\xef\xbb|"));
}

static void
test_long_lines(void)
{
	check_text(SPAN("0123456789\n"), 10, SPAN("1:10:0123456789|"));
	check_text(SPAN("0123456789"), 10, SPAN("1:10:0123456789|"));
	check_text(SPAN("0123456789x\nabc\n"), 10,
	    SPAN("1:10:0123456789+x\n|2:3:abc|"));
	check_text(SPAN("abc\n0123456789 and more, much more\r\n\nabc"), 10,
	    SPAN("1:3:abc|2:10:0123456789+ and more, much more\r\n|"
	    "4:3:abc|"));
	check_text(SPAN("0123456789x"), 10, SPAN("1:10:0123456789+x|"));
	check_text(SPAN("ab\ncd\ne\n"), 1,
	    SPAN("1:1:a+b\n|2:1:c+d\n|3:1:e|"));
}

static void
test_several_files(void)
{
	char a[] = "a", b[] = "b", dash[] = "-";
	char c[] = "c", *files[] = { a, dash, b, c, a, c };
	struct buf got = { 0 }, gz = { 0 }, zstd = { 0 };

	unit_write(a, SPAN("one\n\ntwo"));
	add_gzip(&gz, SPAN("\xef\xbb\xbfthree\n"));
	unit_write(b, buf_span(&gz));
	add_zstd(&zstd, SPAN("\xef\xbb\xbf\nfour\n"));
	unit_write(c, buf_span(&zstd));
	unit_stdin(SPAN("standard\n"), 3);
	show_files(&got, files, 6, NO_LIMIT);
	CHECK(span_eq(buf_span(&got), "1:3:one|3:3:two|1:8:standard|1:5:three|"
	    "2:4:four|1:3:one|3:3:two|2:4:four|"), "'%.*s'", (int)got.len, got.data);
	wait(NULL);
	buf_release(&got);
	buf_release(&gz);
	buf_release(&zstd);
}

static bool
contains(struct buf *b, const char *word)
{
	return strstr(buf_cstr(b), word) != NULL;
}

/*
 * The beginning of a truncated file is read, and the damage is reported.  A
 * file that is not longer than the magic is not recognized as compressed.
 */
static void
test_truncated(void (*add)(struct buf *, struct span), size_t n_magic)
{
	struct span text = SPAN("first line\nsecond line\nthird line\n");
	static const char want[] = "1:10:first line|2:11:second line|"
	    "3:10:third line|";
	char name[] = "truncated", *files[] = { name };
	struct buf packed = { 0 }, got = { 0 };
	struct input in;
	struct line line;
	size_t first_len;

	add(&packed, text);
	for (size_t n = n_magic; n < packed.len; n++) {
		unit_write(name, span_of(packed.data, n));
		input_init(&in, files, 1);
		CHECK(input_next_file(&in), "cannot open %s", name);
		got.len = 0;
		while (input_line(&in, NO_LIMIT, &line))
			buf_add(&got, line.p, line.full_len);
		CHECK(in.damage != NULL,
		    "no damage reported in the first %zu of %zu bytes", n,
		    packed.len);
		CHECK(got.len <= text.n && span_same(buf_span(&got),
		    span_of(text.p, got.len)),
		    "the first %zu bytes are read as another text", n);
		input_release(&in);
	}
	/* Damage of a second member is reported as well. */
	first_len = packed.len;
	add(&packed, text);
	for (size_t n = first_len + 1; n < packed.len; n++) {
		unit_write(name, span_of(packed.data, n));
		show_files(&got, files, 1, NO_LIMIT);
		CHECK(memcmp(got.data, want, sizeof want - 1) == 0,
		    "the first member is not read from %zu bytes", n);
		CHECK(contains(&got, "damage"), "no damage reported in the "
		    "first %zu bytes of the second member", n - first_len);
	}
	buf_release(&packed);
	buf_release(&got);
}

static void
test_damaged_gzip(void)
{
	char name[] = "damaged", *files[] = { name };
	struct buf gz = { 0 }, got = { 0 };

	add_gzip(&gz, SPAN("a line that is not so short\n"));
	/* A gzip member ends with a checksum and a length, 4 bytes each. */
	gz.data[gz.len - 5] ^= 1;
	unit_write(name, buf_span(&gz));
	show_files(&got, files, 1, NO_LIMIT);
	CHECK(contains(&got, "damaged"), "'%s'", got.data);
	gz.data[gz.len - 5] ^= 1;	/* as it was */
	buf_str(&gz, "junk");
	unit_write(name, buf_span(&gz));
	show_files(&got, files, 1, NO_LIMIT);
	CHECK(contains(&got, "damaged"), "junk at the end: '%s'", got.data);
	buf_release(&gz);
	buf_release(&got);
}

static void
check_damaged(const struct buf *z, const char *want)
{
	char name[] = "damaged", *files[] = { name };
	struct buf got = { 0 };

	unit_write(name, buf_span(z));
	show_files(&got, files, 1, NO_LIMIT);
	CHECK(contains(&got, want), "'%s', not '%s'", buf_cstr(&got), want);
	buf_release(&got);
}

static void
test_damaged_zstd(void)
{
	struct buf z = { 0 };

	add_zstd(&z, SPAN("a line that is not so short\n"));
	/* A frame ends with a checksum of 4 bytes. */
	z.data[z.len - 1] ^= 1;
	check_damaged(&z, "damaged");
	z.data[z.len - 1] ^= 1;		/* as it was */
	buf_str(&z, "junk");
	check_damaged(&z, "1:27:a line that is not so short|damage: the zstd "
	    "stream is damaged");
	z.len = 0;
	add_skippable(&z);
	z.len--;
	check_damaged(&z, "truncated");
	/* Frame headers (RFC 8878, 3.1.1.1): a window of 2^31, a dictionary. */
	z.len = 0;
	buf_add(&z, "\x28\xb5\x2f\xfd\0\xa8", 6);
	buf_add(&z, "\1\0\0", 3);
	check_damaged(&z, "window of more than 128 MiB");
	z.len = 0;
	buf_add(&z, "\x28\xb5\x2f\xfd\x21\7\1\1\0\0x", 11);
	check_damaged(&z, "dictionary");
	buf_release(&z);
}

/*
 * Random lines of up to 900,000 bytes are read; some are longer than the limit,
 * and need several reads.  The expected result is made along with the text.
 */
static void
test_large(void)
{
	enum { LIMIT = 300000 };
	static const size_t lengths_max[] = { 3, 100, 70000, 900000 };
	char name[] = "large", *files[] = { name };
	struct buf text = { 0 }, want = { 0 }, got = { 0 }, gz = { 0 };
	unsigned long long line = 0;
	size_t n, from;

	while (text.len < 6000000) {
		n = unit_random(UNIT_ONE_OF(lengths_max));
		from = text.len;
		for (size_t i = 0; i < n; i++)
			buf_char(&text, (char)('a' + unit_random(26)));
		line++;
		if (n > LIMIT)
			n = LIMIT;
		if (n > 0) {
			buf_printf(&want, "%llu:%zu:", line, n);
			buf_add(&want, text.data + from, n);
		}
		if (text.len - from > n) {
			buf_char(&want, '+');
			buf_add(&want, text.data + from + n,
			    text.len - from - n);
			buf_char(&want, '\n');
		}
		if (n > 0)
			buf_char(&want, '|');
		buf_char(&text, '\n');
	}
	unit_write(name, buf_span(&text));
	show_files(&got, files, 1, LIMIT);
	CHECK(span_same(buf_span(&got), buf_span(&want)),
	    "a file is read as another text");
	add_gzip(&gz, buf_span(&text));
	unit_write(name, buf_span(&gz));
	show_files(&got, files, 1, LIMIT);
	CHECK(span_same(buf_span(&got), buf_span(&want)),
	    "gzip is read as another text");
	gz.len = 0;
	add_zstd(&gz, buf_span(&text));
	unit_write(name, buf_span(&gz));
	show_files(&got, files, 1, LIMIT);
	CHECK(span_same(buf_span(&got), buf_span(&want)),
	    "zstd is read as another text");
	/* A prime, so that the reads end at different offsets in the lines. */
	unit_stdin(buf_span(&text), 4093);
	show_files(&got, NULL, 0, LIMIT);
	CHECK(span_same(buf_span(&got), buf_span(&want)),
	    "small reads return another text");
	wait(NULL);
	buf_release(&text);
	buf_release(&want);
	buf_release(&got);
	buf_release(&gz);
}

int
main(void)
{
	unit_seed();
	test_lines();
	test_byte_order_mark();
	test_long_lines();
	test_several_files();
	test_truncated(add_gzip, 2);
	test_truncated(add_zstd, 4);
	test_damaged_gzip();
	test_damaged_zstd();
	test_large();
	return unit_end();
}
