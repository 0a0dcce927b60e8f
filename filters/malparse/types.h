#ifndef MALPARSE_TYPES_H
#define MALPARSE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"

/*
 * The types of MAL, numbered from 1: those of maltype.h, and then others in the
 * order of their first use.
 */
struct types {
	struct intern names;
	bool *written;		/* by type_id - 1: has it a row? */
	size_t cap;
};

/* Has the type with this id been asked for? */
static inline bool
types_is_written(const struct types *t, uint64_t id)
{
	return id <= t->cap && t->written[id - 1];
}

void types_init(struct types *);
void types_release(struct types *);

/* The id of a type; *is_new if it has been asked for the first time. */
uint64_t types_find(struct types *, struct span name, bool *is_new);

/* The T of bat[:T], or an empty span. */
struct span types_subtype(struct span name);

/* Bytes of a value, or of a BAT's values; -1 if they vary; false if unknown. */
bool types_size(struct span name, int *size);

#endif
