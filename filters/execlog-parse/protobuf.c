/* protobuf - reads the fields of a message of protocol buffers */

#include "filters/execlog-parse/protobuf.h"

enum { VARINT_BYTES_MAX = 10, FIELD_NUMBER_MAX = (1 << 29) - 1 };

enum protobuf_result
protobuf_varint(struct span *rest, uint64_t *value)
{
	uint64_t sum = 0;
	unsigned char byte;

	for (size_t i = 0; i < VARINT_BYTES_MAX; i++) {
		if (i == rest->n)
			return i == 0 ? PROTOBUF_END : PROTOBUF_BEYOND;
		byte = (unsigned char)rest->p[i];
		/* The last byte has bit 63 and no other. */
		if (i == VARINT_BYTES_MAX - 1 && byte > 1)
			return PROTOBUF_INVALID;
		sum |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (byte < 0x80) {
			*value = sum;
			*rest = span_of(rest->p + i + 1, rest->n - i - 1);
			return PROTOBUF_OK;
		}
	}
	return PROTOBUF_INVALID;
}

/* Reads what follows the tag of a field. */
static enum protobuf_result
read_value(struct span *rest, struct protobuf_field *field)
{
	enum protobuf_result result;
	uint64_t n = 0;

	switch (field->wire) {
	case PROTOBUF_VARINT:
		result = protobuf_varint(rest, &field->value);
		return result == PROTOBUF_END ? PROTOBUF_BEYOND : result;
	case PROTOBUF_I64:
		n = 8;
		break;
	case PROTOBUF_LEN:
		result = protobuf_varint(rest, &n);
		if (result != PROTOBUF_OK)
			return result == PROTOBUF_END ? PROTOBUF_BEYOND :
			    result;
		break;
	case PROTOBUF_I32:
		n = 4;
		break;
	default:
		return PROTOBUF_INVALID;
	}
	if (n > rest->n)
		return PROTOBUF_BEYOND;
	field->bytes = span_of(rest->p, (size_t)n);
	*rest = span_of(rest->p + n, rest->n - (size_t)n);
	return PROTOBUF_OK;
}

enum protobuf_result
protobuf_field(struct span *rest, struct protobuf_field *field)
{
	struct span left = *rest;
	enum protobuf_result result;
	uint64_t tag;

	result = protobuf_varint(&left, &tag);
	if (result != PROTOBUF_OK)
		return result;
	if (tag >> 3 == 0 || tag >> 3 > FIELD_NUMBER_MAX)
		return PROTOBUF_INVALID;
	field->number = (uint32_t)(tag >> 3);
	field->wire = (enum protobuf_wire)(tag & 7);
	result = read_value(&left, field);
	if (result == PROTOBUF_OK)
		*rest = left;
	return result;
}
