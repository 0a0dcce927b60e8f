#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"

/*
 * The MAL types and their type_ids, which count from 1: first those of
 * common/mal/type.h, then others in the order of their first use.
 */
struct types {
	struct intern names;
	bool *has_row;		/* by type_id - 1: types_assign() has been
				   called for it */
	size_t cap;		/* of has_row */
};

void types_init(struct types *);
void types_release(struct types *);

/*
 * The type_id of a type.  Sets *is_new if this is the first call for the type:
 * the caller must then write the row of the type.
 */
uint64_t types_assign(struct types *, struct span name, bool *is_new);

/* The T of "bat[:T]"; empty for other types. */
struct span types_subtype(struct span name);
