#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"

/*
 * Reads the wire format of protocol buffers: a message is a sequence of fields,
 * each with a number and a wire type.
 */
enum protobuf_wire {
	PROTOBUF_VARINT = 0,	/* a number */
	PROTOBUF_I64 = 1,	/* 8 bytes */
	PROTOBUF_LEN = 2,	/* text, a message, or several numbers */
	PROTOBUF_I32 = 5	/* 4 bytes */
};

struct protobuf_field {
	uint32_t number;
	enum protobuf_wire wire;
	uint64_t value;		/* PROTOBUF_VARINT */
	struct span bytes;	/* PROTOBUF_LEN, borrowed from the message */
};

enum protobuf_result {
	PROTOBUF_OK,
	PROTOBUF_END,		/* nothing is left */
	PROTOBUF_BEYOND,	/* more bytes are needed than are left */
	PROTOBUF_INVALID	/* no bytes that follow could make it valid */
};

/*
 * Read a varint of at most 64 bits, or a field, and advance *rest past it.
 * *rest does not change unless the result is PROTOBUF_OK.
 */
enum protobuf_result protobuf_varint(struct span *rest, uint64_t *value);
enum protobuf_result protobuf_field(struct span *rest,
    struct protobuf_field *);

/*
 * Reads a varint as an int32.  A negative one has the sign in all 64 bits, or
 * from writers that do not follow the specification only in 32.
 */
static inline bool
protobuf_int32(uint64_t value, int32_t *number)
{
	if (value > UINT32_MAX && value < UINT64_MAX - INT32_MAX)
		return false;
	*number = (int32_t)(uint32_t)value;
	return true;
}
