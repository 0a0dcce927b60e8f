#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"
#include "filters/malload/schema.h"

/* A value in a row.  The column's type determines which member holds it. */
struct value {
	bool is_null;
	int64_t integer;	/* BIGINT, INT, BOOLEAN */
	double real;		/* DOUBLE */
	struct span text;	/* TEXT, JSON; borrowed from the record */
};

struct filter;
struct rec;

/*
 * Reads the value of a column.  If it is missing, *value is the column's
 * default or null.  If it breaks a rule of the column, rejects the row and
 * returns false.
 */
bool value_read(struct value *, struct filter *, const struct rec *,
    enum table_id, size_t column);
