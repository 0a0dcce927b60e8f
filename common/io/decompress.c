/* decompress - gzip and zstd, member by member and frame by frame */

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/decompress.h"

struct decompressor {
	enum compression compression;	/* of this file */
	bool between;		/* a member or frame has ended, and the next
				   has not begun */
	z_stream z;
	bool z_is_set;		/* z has been initialized */
	ZSTD_DStream *zstd;	/* NULL before the first file that needs it */
};

/* The window bits of inflateInit2(): the largest, with a gzip header. */
enum { GZIP_WINDOW_BITS = 15 + 16 };

/*
 * The largest window that zstd makes without its option --long; it bounds the
 * memory that a damaged or hostile file can make a filter allocate.
 */
enum { ZSTD_WINDOW_BITS = 27 };

enum compression
decompress_detect(const char *start, size_t n)
{
	if (span_begins_with(span_of(start, n), "\x1f\x8b"))
		return COMPRESSION_GZIP;
	if (span_begins_with(span_of(start, n), "\x28\xb5\x2f\xfd"))
		return COMPRESSION_ZSTD;
	/* A skippable frame has 0x50 to 0x5f as its first byte. */
	if (n >= 4 && (start[0] & 0xf0) == 0x50 &&
	    memcmp(start + 1, "\x2a\x4d\x18", 3) == 0)
		return COMPRESSION_ZSTD;
	return COMPRESSION_NONE;
}

struct decompressor *
decompress_start(struct decompressor *d, enum compression compression)
{
	if (d == NULL)
		d = mem_zero(1, sizeof *d);
	d->compression = compression;
	d->between = false;
	if (compression == COMPRESSION_ZSTD) {
		if (d->zstd == NULL)
			d->zstd = ZSTD_createDStream();
		if (d->zstd == NULL)
			die("out of memory (zstd)");
		ZSTD_initDStream(d->zstd);
		ZSTD_DCtx_setParameter(d->zstd, ZSTD_d_windowLogMax,
		    ZSTD_WINDOW_BITS);
	} else if (d->z_is_set) {
		inflateReset(&d->z);
	} else {
		if (inflateInit2(&d->z, GZIP_WINDOW_BITS) != Z_OK)
			die("out of memory (zlib)");
		d->z_is_set = true;
	}
	return d;
}

void
decompress_free(struct decompressor *d)
{
	if (d == NULL)
		return;
	if (d->z_is_set)
		inflateEnd(&d->z);
	ZSTD_freeDStream(d->zstd);
	free(d);
}

static size_t
inflate_some(struct decompressor *d, const char **p, size_t *n, char *to,
    size_t size, const char **damage)
{
	int status;

	d->z.next_in = (unsigned char *)(uintptr_t)*p;
	d->z.avail_in = (unsigned)*n;
	d->z.next_out = (unsigned char *)to;
	d->z.avail_out = (unsigned)size;

	while (d->z.avail_in > 0 && d->z.avail_out > 0) {
		/* Zeros after the last member are padding, as on a tape. */
		if (d->between && *d->z.next_in == 0) {
			d->z.next_in++;
			d->z.avail_in--;
			continue;
		}
		d->between = false;
		status = inflate(&d->z, Z_NO_FLUSH);
		if (status == Z_STREAM_END) {
			d->between = true;
			inflateReset(&d->z);
		} else if (status == Z_MEM_ERROR) {
			die("out of memory (zlib)");
		} else if (status != Z_OK && status != Z_BUF_ERROR) {
			*damage = "the gzip stream is damaged";
			break;
		}
	}

	*p += *n - d->z.avail_in;
	*n = d->z.avail_in;
	return size - d->z.avail_out;
}

static const char *
describe_zstd_error(size_t status)
{
	switch (ZSTD_getErrorCode(status)) {
	case ZSTD_error_frameParameter_windowTooLarge:
		return "the zstd stream was made with a window of more than "
		    "128 MiB: use zstd -dc --long=31";
	case ZSTD_error_dictionary_wrong:
		return "the zstd stream needs a dictionary";
	case ZSTD_error_memory_allocation:
		die("out of memory (zstd)");
	default:
		return "the zstd stream is damaged";
	}
}

/*
 * libzstd may hold decompressed bytes back when `to` is full, so it is called
 * once even if there is no input.
 */
static size_t
unzstd_some(struct decompressor *d, const char **p, size_t *n, char *to,
    size_t size, const char **damage)
{
	ZSTD_inBuffer in = { .src = *p, .size = *n };
	ZSTD_outBuffer out = { .dst = to, .size = size };
	size_t status;

	while (out.pos < size && !(d->between && in.pos == in.size)) {
		status = ZSTD_decompressStream(d->zstd, &out, &in);
		if (ZSTD_isError(status)) {
			*damage = describe_zstd_error(status);
			break;
		}
		d->between = status == 0;
		if (in.pos == in.size)
			break;
	}
	*p += in.pos;
	*n -= in.pos;
	return out.pos;
}

size_t
decompress_some(struct decompressor *d, const char **p, size_t *n, char *to,
    size_t size, const char **damage)
{
	return d->compression == COMPRESSION_GZIP ?
	    inflate_some(d, p, n, to, size, damage) :
	    unzstd_some(d, p, n, to, size, damage);
}

const char *
decompress_end(const struct decompressor *d)
{
	if (d->between)
		return NULL;
	return d->compression == COMPRESSION_GZIP ?
	    "the gzip stream is truncated" : "the zstd stream is truncated";
}
