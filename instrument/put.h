#ifndef WEIR_INSTRUMENT_PUT_H
#define WEIR_INSTRUMENT_PUT_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

/*
 * JSON lines that wait to be sent.  Text that does not fit is truncated.
 * LINE_SIZE_MAX is enough for a path of 4096 bytes that are all escaped as
 * \u00XX, six bytes each.  Only two types of lines may be longer: a "nodes"
 * line is closed as soon as less than LINE_SIZE_MAX is free, and a "crash" line
 * starts in an empty buffer.
 */
enum { OUT_SIZE = 64 * 1024, LINE_SIZE_MAX = 28 * 1024 };
struct out {
	int fd;			/* a socket, or -1 */
	size_t len, sent;	/* bytes in data; how many of them were sent */
	char data[OUT_SIZE];
};

/* Is there room for a line of LINE_SIZE_MAX bytes? */
static inline bool
out_has_room(const struct out *o)
{
	return sizeof o->data - o->len >= LINE_SIZE_MAX;
}

void put_str(struct out *, const char *);
void put_bytes(struct out *, const char *, size_t);
void put_u64(struct out *, uint64_t);
void put_hex(struct out *, uintptr_t);
void put_hex_byte(struct out *, unsigned char);		/* two digits */

/* Writes "FUNCTION CALL_SITE", the addresses of the node in hexadecimal. */
void put_call(struct out *, const struct node *);

/*
 * A record is a line.  put_begin_record() writes {"type":"TYPE" and
 * put_end_record() writes }\n.  Between them, each of the others writes one
 * member, ,"key":value.
 */
void put_begin_record(struct out *, const char *type);
void put_text(struct out *, const char *key, const char *value);
void put_true(struct out *, const char *key);
void put_number(struct out *, const char *key, uint64_t value);
void put_address(struct out *, const char *key, uintptr_t value);
void put_end_record(struct out *);

#pragma GCC visibility pop

#endif
