#ifndef MALLOAD_VALUE_H
#define MALLOAD_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"
#include "filters/malload/schema.h"

/* A value in a row.  The column's type says which member holds it. */
struct value {
	bool is_null;
	int64_t integer;	/* BIGINT, INT, BOOLEAN */
	double real;		/* DOUBLE */
	struct span text;	/* TEXT, JSON; borrowed from the record */
};

struct filter;
struct rec;

/*
 * Reads the value of a column; a missing one is the column's default or null.
 * False if the value breaks a rule of the column: the row is then rejected.
 */
bool value_read(struct value *, struct filter *, const struct rec *,
    enum table_id, size_t column);

#endif
