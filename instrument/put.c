/* put - write JSON into an output buffer */

#include "instrument/bytes.h"
#include "instrument/instrument.h"
#include "instrument/put.h"

void
put_bytes(struct out *o, const char *p, size_t n)
{
	for (size_t i = 0; i < n && o->len < sizeof o->data; i++)
		o->data[o->len++] = p[i];
}

void
put_str(struct out *o, const char *s)
{
	put_bytes(o, s, bytes_length(s));
}

static void
put_digits(struct out *o, uint64_t value, unsigned radix)
{
	char digits[24], *p = digits + sizeof digits;

	do
		*--p = "0123456789abcdef"[value % radix];
	while ((value /= radix) != 0);
	put_bytes(o, p, (size_t)(digits + sizeof digits - p));
}

void
put_u64(struct out *o, uint64_t value)
{
	put_digits(o, value, 10);
}

void
put_hex(struct out *o, uintptr_t value)
{
	put_digits(o, value, 16);
}

void
put_hex_byte(struct out *o, unsigned char c)
{
	put_hex(o, c >> 4);
	put_hex(o, c & 15);
}

void
put_call(struct out *o, const struct node *n)
{
	put_hex(o, n->function);
	put_str(o, " ");
	put_hex(o, n->call_site);
}

static void
put_key(struct out *o, const char *key)
{
	put_str(o, ",\"");
	put_str(o, key);
	put_str(o, "\":");
}

void
put_true(struct out *o, const char *key)
{
	put_key(o, key);
	put_str(o, "true");
}

void
put_number(struct out *o, const char *key, uint64_t value)
{
	put_key(o, key);
	put_u64(o, value);
}

void
put_address(struct out *o, const char *key, uintptr_t value)
{
	put_key(o, key);
	put_str(o, "\"0x");
	put_hex(o, value);
	put_str(o, "\"");
}

/*
 * The text may be in any encoding: a byte that is not ASCII is written as the
 * character with that number, U+0080 to U+00FF.
 */
void
put_text(struct out *o, const char *key, const char *value)
{
	unsigned char c;

	put_key(o, key);
	put_str(o, "\"");
	for (; (c = (unsigned char)*value) != '\0'; value++) {
		if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
			put_bytes(o, value, 1);
			continue;
		}
		put_str(o, "\\u00");
		put_hex_byte(o, c);
	}
	put_str(o, "\"");
}

void
put_begin_record(struct out *o, const char *type)
{
	put_str(o, "{\"type\":\"");
	put_str(o, type);
	put_str(o, "\"");
}

void
put_end_record(struct out *o)
{
	put_str(o, "}\n");
}
