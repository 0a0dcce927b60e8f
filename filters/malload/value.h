#ifndef MALLOAD_VALUE_H
#define MALLOAD_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"
#include "filters/malload/schema.h"

/* The value of a column in a row; which member counts, the column's type says. */
struct value {
	bool is_null;
	int64_t integer;	/* BIGINT, INT, BOOLEAN */
	double real;		/* DOUBLE */
	struct span text;	/* TEXT, JSON; borrowed from the record */
};

struct filter;
struct rec;

/*
 * Reads a column, or what stands for it if the row has it not.  What the
 * column cannot be is rejected.
 */
bool value_read(struct value *, struct filter *, const struct rec *,
    enum table_id, size_t column);

#endif
