#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/base/num.h"

/*
 * A 32-bit value for each record of an array, apart from the records, for
 * values that many builds lack: it takes no memory until one is set.  Start
 * with { 0 }.
 */
struct column {
	uint32_t *values;	/* INDEX_NONE: not set */
	size_t n, cap;
};

/* The value of record i, or INDEX_NONE. */
static inline uint32_t
column_get(const struct column *c, size_t i)
{
	return i < c->n ? c->values[i] : INDEX_NONE;
}

static inline void
column_set(struct column *c, size_t i, uint32_t value)
{
	if (i >= c->n && value == INDEX_NONE)
		return;
	c->values = mem_grow(c->values, &c->cap, i + 1, sizeof *c->values);
	while (c->n <= i)
		c->values[c->n++] = INDEX_NONE;
	c->values[i] = value;
}
