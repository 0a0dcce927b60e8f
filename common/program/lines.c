/* lines - runs the line number programs of DWARF 2 to 5 */

#include <dwarf.h>

#include "common/base/mem.h"
#include "common/program/lines.h"

/* What is left to read.  After a read past the end, has_failed is set. */
struct reader {
	const unsigned char *p, *end;
	bool is_big_endian, has_failed;
};

struct header {
	uint8_t min_length;	/* of an instruction, in bytes */
	int8_t line_base;
	uint8_t line_range, opcode_base;
	const unsigned char *n_operands;	/* [i]: of opcode i + 1 */
};

static uint64_t
read_uint(struct reader *r, size_t n)
{
	uint64_t value = 0;

	if (n > 8 || (size_t)(r->end - r->p) < n) {
		r->has_failed = true;
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		value = value << 8 | r->p[r->is_big_endian ? i : n - 1 - i];
	r->p += n;
	return value;
}

/* Reads a number in LEB128; bits above the 64th are dropped. */
static uint64_t
read_leb(struct reader *r, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = read_uint(r, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) != 0 && !r->has_failed);
	if (is_signed && (byte & 0x40) != 0 && shift < 64)
		value |= UINT64_MAX << shift;
	return value;
}

/* Limits the reader to its next n bytes. */
static void
limit(struct reader *r, uint64_t n)
{
	if (n > (uint64_t)(r->end - r->p))
		r->has_failed = true;
	else
		r->end = r->p + n;
}

static void
skip(struct reader *r, uint64_t n)
{
	if (n > (uint64_t)(r->end - r->p))
		r->has_failed = true;
	else
		r->p += n;
}

/* Reads a header, and moves the reader to the program after it. */
static bool
read_header(struct reader *r, struct header *h)
{
	uint64_t length = read_uint(r, 4), version, header_length;
	size_t offset_size = length == UINT32_MAX ? 8 : 4;
	struct reader program;

	limit(r, offset_size == 8 ? read_uint(r, 8) : length);
	version = read_uint(r, 2);
	if (version == 5)
		skip(r, 2);	/* sizes of an address and of a segment */
	header_length = read_uint(r, offset_size);
	program = *r;
	skip(&program, header_length);
	h->min_length = (uint8_t)read_uint(r, 1);
	/* Skips operations per instruction (version 4 on), default_is_stmt. */
	skip(r, version >= 4 ? 2 : 1);
	h->line_base = (int8_t)read_uint(r, 1);
	h->line_range = (uint8_t)read_uint(r, 1);
	h->opcode_base = (uint8_t)read_uint(r, 1);
	h->n_operands = r->p;
	if (h->opcode_base > 0)
		skip(r, h->opcode_base - 1u);
	if (r->has_failed || program.has_failed || version < 2 ||
	    version > 5 || h->line_range == 0 || h->opcode_base == 0)
		return false;
	*r = program;
	return true;
}

static void
add_line(struct lines *l, const struct line *line)
{
	l->list = mem_grow(l->list, &l->cap, l->n + 1, sizeof *l->list);
	l->list[l->n] = *line;
	l->list[l->n].number = (uint32_t)l->n;
	l->n++;
}

/* An extended opcode follows the length of itself and its operands. */
static void
run_extended(struct lines *l, struct reader *r, struct line *line)
{
	struct reader operands = *r;
	uint64_t n = read_leb(r, false);

	operands.p = r->p;
	limit(&operands, n);
	skip(r, n);
	if (r->has_failed)
		return;
	switch (read_uint(&operands, 1)) {
	case DW_LNE_end_sequence:
		line->is_end = true;
		add_line(l, line);
		*line = (struct line){ .file = 1, .line = 1 };
		break;
	case DW_LNE_set_address:
		line->address = read_uint(&operands,
		    (size_t)(operands.end - operands.p));
		break;
	}
	r->has_failed |= operands.has_failed;
}

static void
run_standard(struct lines *l, struct reader *r, const struct header *h,
    uint8_t opcode, struct line *line)
{
	switch (opcode) {
	case DW_LNS_copy:
		add_line(l, line);
		break;
	case DW_LNS_advance_pc:
		line->address += read_leb(r, false) * h->min_length;
		break;
	case DW_LNS_advance_line:
		line->line += (uint32_t)read_leb(r, true);
		break;
	case DW_LNS_set_file:
		line->file = (uint32_t)read_leb(r, false);
		break;
	case DW_LNS_const_add_pc:
		line->address += (uint64_t)((255 - h->opcode_base) /
		    h->line_range) * h->min_length;
		break;
	case DW_LNS_fixed_advance_pc:
		line->address += read_uint(r, 2);
		break;
	default:
		for (unsigned i = h->n_operands[opcode - 1]; i > 0; i--)
			read_leb(r, false);
	}
}

bool
lines_read(struct lines *l, struct span section, uint64_t offset,
    bool is_big_endian)
{
	const unsigned char *p = (const unsigned char *)section.p;
	struct reader r = { p, p + section.n, is_big_endian, false };
	struct line line = { .file = 1, .line = 1 };
	struct header h;
	uint8_t opcode;
	unsigned n;

	skip(&r, offset);
	if (r.has_failed || !read_header(&r, &h))
		return false;
	while (r.p < r.end && !r.has_failed) {
		opcode = *r.p++;
		if (opcode >= h.opcode_base) {
			n = (unsigned)opcode - h.opcode_base;
			line.address += (uint64_t)(n / h.line_range) *
			    h.min_length;
			line.line += (uint32_t)(h.line_base +
			    (int)(n % h.line_range));
			add_line(l, &line);
		} else if (opcode == 0) {
			run_extended(l, &r, &line);
		} else {
			run_standard(l, &r, &h, opcode, &line);
		}
	}
	return !r.has_failed;
}
