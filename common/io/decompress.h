#pragma once

#include <stddef.h>

/*
 * Decompression of a file whose bytes arrive in pieces.  The file is a sequence
 * of members (RFC 1952, 2.2) or of frames (RFC 8878, 3), whose contents are
 * joined.
 */
enum compression { COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_ZSTD };

/* The compression of a file that starts with these bytes; 4 are enough. */
enum compression decompress_detect(const char *start, size_t n);

struct decompressor;

/*
 * decompress_start() begins a file.  The first call gets NULL and allocates the
 * decompressor, later calls reuse it.
 */
struct decompressor *decompress_start(struct decompressor *,
    enum compression);
void decompress_free(struct decompressor *);

/*
 * Decompresses bytes from [*p, *p + *n) into [to, to + size), and advances *p
 * and *n past those that are used up.  Returns the number of bytes written: if
 * it is less than size, call again with more input, or call decompress_end().
 * Sets *damage to a message if the input is not valid.
 */
size_t decompress_some(struct decompressor *, const char **p, size_t *n,
    char *to, size_t size, const char **damage);

/*
 * For the end of the input: NULL if the file may end here, otherwise a message
 * that it is truncated.
 */
const char *decompress_end(const struct decompressor *);
