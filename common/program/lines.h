#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

/*
 * The line table of a unit, from .debug_line, in the order of the table: one
 * sequence of ascending addresses after the other.  libdw has only a list of
 * all rows, sorted by address.  In that list the rows of code that the linker
 * discarded, whose addresses often begin at 0, cannot be distinguished from
 * those of the code at the same addresses.
 */
struct line {
	uint64_t address;
	uint32_t file;		/* number in the unit's file table */
	uint32_t line;
	uint32_t number;	/* its position in the list when it was read */
	bool is_end;		/* one past the end of its sequence; no line */
};

struct lines {
	struct line *list;
	size_t n, cap;
};

/*
 * Appends the lines of the table at an offset of the section.  False if the
 * table is damaged; what precedes the damage has been appended.
 */
bool lines_read(struct lines *, struct span section, uint64_t offset,
    bool is_big_endian);
