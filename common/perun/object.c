/* object - packs and unpacks profiles as they are stored */

#include <nettle/sha1.h>
#include <stdio.h>
#include <zlib.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/perun/object.h"

/*
 * Compression level 1 takes a third of the time of zlib's default, 6, and packs
 * profiles, which are very repetitive, nearly as well; git uses it for loose
 * objects.  Perun reads any level.  Deflate compresses by a factor of 1032 at
 * most.  A header with its NUL must fit into HEADER_LEN_MAX bytes: the type in
 * it is one short word.
 */
enum { LEVEL = 1, HEADER_LEN_MAX = 256, DEFLATE_RATIO_MAX = 1032 };

void
object_pack(struct span type, struct span body, unsigned char *name,
    struct buf *packed)
{
	struct sha1_ctx sha;
	struct buf header = { 0 };
	z_stream z = { 0 };
	int status;

	buf_printf(&header, "profile %.*s %zu", (int)type.n, type.p, body.n);
	buf_char(&header, '\0');
	sha1_init(&sha);
	sha1_update(&sha, header.len, (const uint8_t *)header.data);
	sha1_update(&sha, body.n, (const uint8_t *)body.p);
	sha1_digest(&sha, OBJECT_NAME_SIZE, name);

	/*
	 * zlib counts input and output in 32 bits.  Half of their range leaves
	 * room for an output that is slightly longer than the input.
	 */
	if (body.n > UINT32_MAX / 2)
		die("a profile of %zu bytes is too long", body.n);
	if (deflateInit(&z, LEVEL) != Z_OK)
		die("out of memory (zlib)");
	buf_need(packed, deflateBound(&z, header.len + body.n));
	z.next_out = (unsigned char *)packed->data + packed->len;
	z.avail_out = (uInt)(packed->cap - packed->len);
	z.next_in = (unsigned char *)header.data;
	z.avail_in = (uInt)header.len;
	status = deflate(&z, Z_NO_FLUSH);
	z.next_in = (unsigned char *)(uintptr_t)body.p;
	z.avail_in = (uInt)body.n;
	if (status != Z_OK || deflate(&z, Z_FINISH) != Z_STREAM_END)
		bug("zlib did not finish (%d)", status);
	packed->len = (size_t)((char *)z.next_out - packed->data);
	deflateEnd(&z);
	buf_release(&header);
}

/*
 * Inflates until text has limit bytes or the stream ends; false if the stream
 * is damaged.  text grows by doubling, up to limit.
 */
static bool
inflate_to(z_stream *z, struct buf *text, size_t limit, bool *ended)
{
	int status = Z_OK;

	while (text->len < limit && status == Z_OK) {
		if (text->len == text->cap)
			buf_need(text, text->cap < limit / 2 ? text->cap + 1 :
			    limit - text->len);
		z->next_out = (unsigned char *)text->data + text->len;
		z->avail_out = (uInt)((limit < text->cap ? limit : text->cap) -
		    text->len);
		status = inflate(z, Z_NO_FLUSH);
		text->len = (size_t)((char *)z->next_out - text->data);
	}
	if (status == Z_MEM_ERROR)
		die("out of memory (zlib)");
	*ended = status == Z_STREAM_END;
	return status == Z_OK || status == Z_STREAM_END;
}

/* Parses "profile TYPE LENGTH"; the length is in characters. */
static bool
read_header(struct object *o, struct span header, uint64_t *length)
{
	const char *type, *space, *end = header.p + header.n;

	if (!span_begins_with(header, "profile "))
		return false;
	type = header.p + strlen("profile ");
	space = memchr(type, ' ', (size_t)(end - type));
	if (space == NULL)
		return false;
	o->type = span_of(type, (size_t)(space - type));
	return text_u64(span_of(space + 1, (size_t)(end - space) - 1), length);
}

/* Sets the type and the body; returns NULL, or why it is not an object. */
static const char *
unpack(struct object *o, z_stream *z)
{
	static const char damaged[] = "its zlib stream is truncated or damaged";
	size_t packed_size = z->avail_in, header_len, n = 0;
	const char *end;
	uint64_t length;
	bool ended;

	if (!inflate_to(z, &o->text, HEADER_LEN_MAX, &ended))
		return damaged;
	end = o->text.len == 0 ? NULL :
	    memchr(o->text.data, '\0', o->text.len);
	header_len = end == NULL ? 0 : (size_t)(end - o->text.data);
	if (end == NULL ||
	    !read_header(o, span_of(o->text.data, header_len), &length))
		return "it does not begin with 'profile TYPE LENGTH'";
	/*
	 * Protects against decompression bombs, and keeps 4 * length within the
	 * 32 bits in which zlib counts.
	 */
	if (length / DEFLATE_RATIO_MAX > packed_size || length > UINT32_MAX / 8)
		return "its length is impossible";
	/* A character has at most 4 bytes; one more byte reveals an excess. */
	if (!ended && !inflate_to(z, &o->text, header_len + 1 + 4 * length + 1,
	    &ended))
		return damaged;
	if (!ended)
		return z->avail_in == 0 ? damaged :
		    "it is longer than its header says";
	/* The text may have moved since read_header(). */
	o->type.p = o->text.data + strlen("profile ");
	o->body = span_of(o->text.data + header_len + 1,
	    o->text.len - header_len - 1);
	for (size_t i = 0; i < o->body.n; i++)
		n += ((unsigned char)o->body.p[i] & 0xc0) != 0x80;
	if (n != length || !utf8_valid(o->body.p, o->body.n))
		return "its length is not what its header says";
	return o->body.n > 0 && memchr(o->body.p, '\0', o->body.n) != NULL ?
	    "its body contains a NUL" : NULL;
}

const char *
object_unpack(struct object *o, struct span packed)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)packed.p,
	    .avail_in = (uInt)packed.n };
	struct sha1_ctx sha;
	const char *why;

	o->text.len = 0;
	/* The same limit as in object_pack(): zlib counts in 32 bits. */
	if (packed.n > UINT32_MAX / 2)
		return "it is too long";
	if (inflateInit(&z) != Z_OK)
		die("out of memory (zlib)");
	why = unpack(o, &z);
	inflateEnd(&z);
	if (why != NULL)
		return why;
	sha1_init(&sha);
	sha1_update(&sha, o->text.len, (const uint8_t *)o->text.data);
	sha1_digest(&sha, OBJECT_NAME_SIZE, o->name);
	return NULL;
}
