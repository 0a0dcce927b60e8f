/*
 * object - tests of common/perun/object.  An object is a profile as Perun
 * stores it: a zlib stream of "profile TYPE LENGTH", NUL and a body.  Its name
 * is the SHA-1 of the uncompressed bytes.
 */

#include <zlib.h>

#include "common/base/hex.h"
#include "common/perun/object.h"
#include "test/unit/unit.h"

/*
 * Packs an object, whose name must be `want`, and unpacks it; checks that no
 * truncated form of it can be unpacked.
 */
static void
check_object(const char *type, const char *body, const char *want)
{
	unsigned char name[OBJECT_NAME_SIZE];
	char hex[2 * OBJECT_NAME_SIZE + 1];
	struct object o = { 0 };
	struct buf packed = { 0 };
	const char *why;

	object_pack(span_str(type), span_str(body), name, &packed);
	hex_encode(hex, name, OBJECT_NAME_SIZE);
	CHECK(strcmp(hex, want) == 0, "the name is %s", hex);
	CHECK(packed.len > 2 && packed.data[0] == 0x78, "not a zlib stream");
	why = object_unpack(&o, buf_span(&packed));
	CHECK(why == NULL, "%s", why);
	CHECK(span_eq(o.type, type), "the type is %.*s",
	    SPAN_ARG_ALL(o.type));
	CHECK(span_eq(o.body, body), "the body is %.*s",
	    SPAN_ARG_ALL(o.body));
	CHECK(memcmp(o.name, name, OBJECT_NAME_SIZE) == 0,
	    "unpacked with another name");
	for (size_t n = 0; n < packed.len; n++)
		CHECK(object_unpack(&o, span_of(packed.data, n)) != NULL,
		    "the first %zu bytes are an object", n);
	/* Bytes after the stream are ignored. */
	buf_str(&packed, "after");
	why = object_unpack(&o, buf_span(&packed));
	CHECK(why == NULL, "%s", why);
	buf_release(&packed);
	buf_release(&o.text);
}

/* Compresses a text, and checks whether it is unpacked as an object. */
static void
check_text(struct span text, bool is_valid)
{
	uLongf n = compressBound(text.n);
	unsigned char *packed = malloc(n);
	struct object o = { 0 };
	const char *why;

	compress(packed, &n, (const unsigned char *)text.p, text.n);
	why = object_unpack(&o, span_of((char *)packed, n));
	CHECK((why == NULL) == is_valid, "'%.*s': %s",
	    (int)(text.n < 60 ? text.n : 60), text.p,
	    why == NULL ? "valid" : why);
	free(packed);
	buf_release(&o.text);
}

/* The header has the length of the body in characters, not in bytes. */
static void
test_texts(void)
{
	check_text(SPAN("profile time 2\0{}"), true);
	check_text(SPAN("profile network 0\0"), true);
	check_text(SPAN("profile time 4\0\"\xc3\xa9\xe2\x82\xac\""), true);
	check_text(SPAN("profile time 7\0\"\xc3\xa9\xe2\x82\xac\""), false);
	check_text(SPAN(""), false);
	check_text(SPAN("profile time 2"), false);
	check_text(SPAN("profile time 2\0{"), false);
	check_text(SPAN("profile time 2\0{}}"), false);
	check_text(SPAN("profile time 3\0{\0}"), false);
	check_text(SPAN("profile time 3\0{}\0"), false);
	check_text(SPAN("profile time 2\0\xff\xff"), false);
	check_text(SPAN("profile time \0{}"), false);
	check_text(SPAN("profile time -2\0{}"), false);
	check_text(SPAN("profile time 2x\0{}"), false);
	check_text(SPAN("profile time 99999999999999999999\0{}"), false);
	check_text(SPAN("profile time 18446744073709551615\0{}"), false);
	check_text(SPAN("profile time\0{}"), false);
	check_text(SPAN("profiles time 2\0{}"), false);
	check_text(SPAN("PROFILE time 2\0{}"), false);
	check_text(SPAN("blob 2\0{}"), false);
	check_text(SPAN("profile "), false);
}

/* A body of 3 MiB, and a stream that inflates to more than its header says. */
static void
test_long(void)
{
	size_t n = 3 << 20;
	char *body = malloc(n), header[64];
	struct buf text = { 0 }, packed = { 0 };
	unsigned char name[OBJECT_NAME_SIZE];
	struct object o = { 0 };
	const char *why;

	for (size_t i = 0; i < n; i++)
		body[i] = (char)('a' + unit_random(26));
	object_pack(SPAN("time"), span_of(body, n), name, &packed);
	why = object_unpack(&o, buf_span(&packed));
	CHECK(why == NULL, "%s", why);
	CHECK(span_same(o.body, span_of(body, n)),
	    "unpacked with another body");
	/* 60 MiB in a stream of some 60 kB, whose header says 100 bytes. */
	snprintf(header, sizeof header, "profile time 100");
	buf_add(&text, header, strlen(header) + 1);
	memset(body, '0', n);
	for (int i = 0; i < 20; i++)
		buf_add(&text, body, n);
	check_text(span_of(text.data, text.len), false);
	free(body);
	buf_release(&text);
	buf_release(&packed);
	buf_release(&o.text);
}

/* If a damaged object can be unpacked, its name shows that its text differs. */
static void
test_damage(void)
{
	static const char body[] = "{\"header\": {\"type\": \"time\"}}";
	unsigned char name[OBJECT_NAME_SIZE];
	struct object o = { 0 };
	struct buf packed = { 0 };
	char *copy;

	object_pack(SPAN("time"), span_str(body), name, &packed);
	copy = malloc(packed.len);
	for (int i = 0; i < UNIT_ROUNDS(20000); i++) {
		memcpy(copy, packed.data, packed.len);
		for (uint64_t k = unit_random(3) + 1; k > 0; k--)
			copy[unit_random(packed.len)] =
			    (char)unit_random(256);
		if (object_unpack(&o, span_of(copy, packed.len)) == NULL)
			CHECK(memcmp(o.name, name, OBJECT_NAME_SIZE) != 0 ||
			    span_eq(o.body, body),
			    "another text has the same name");
	}
	free(copy);
	buf_release(&packed);
	buf_release(&o.text);
}

int
main(void)
{
	unit_seed();
	/* The names were computed by sha1sum from header, NUL and body. */
	check_object("time", "{}", "f97a6c9176e14388dbca1a80ee0761bc2d951376");
	check_object("memory", "{\"a\": [1, 2.5]}",
	    "850b132fe2622c14408653cd729f6a4f0ba23f92");
	check_object("mixed", "", "1694b1e7fdc721e1326588d13bf60dee1e461644");
	test_texts();
	test_long();
	test_damage();
	return unit_end();
}
