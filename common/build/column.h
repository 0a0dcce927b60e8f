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

/* A column for each of n keys; none, and n is 0, until one is needed. */
struct columns {
	struct column *list;
	unsigned n;
};

/* The column of key k < n.  It does not move when others are needed. */
static inline struct column *
columns_need(struct columns *c, unsigned n, unsigned k)
{
	if (c->n == 0) {
		c->list = mem_zero(n, sizeof *c->list);
		c->n = n;
	}
	return &c->list[k];
}

/* The value of record i, or INDEX_NONE. */
static inline uint32_t
columns_get(const struct columns *c, unsigned k, size_t i)
{
	return k < c->n ? column_get(&c->list[k], i) : INDEX_NONE;
}
