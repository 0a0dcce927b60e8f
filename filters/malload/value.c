/* value - reads and checks the values of a row */

#include <math.h>
#include <stdlib.h>

#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/malload/value.h"

static bool
reject(struct filter *f, const char *table, const char *column,
    const char *rule)
{
	filter_reject(f, "%s: %s %s", table, column, rule);
	return false;
}

static bool
read_double(const struct field *f, double *value)
{
	struct buf text = { 0 };	/* a copy with a NUL, for strtod() */

	if (f->kind != REC_NUMBER)
		return false;
	buf_add(&text, f->text.p, f->text.n);
	*value = strtod(buf_cstr(&text), NULL);
	buf_release(&text);
	return isfinite(*value);
}

/* Sets *v to the default of the column, or to null. */
static bool
read_missing(struct value *v, struct filter *f, const char *table,
    const struct column *c)
{
	if ((c->rules & (DEFAULT_0 | DEFAULT_1)) != 0)
		v->integer = (c->rules & DEFAULT_1) != 0;
	else if ((c->rules & (NOT_NULL | ID)) != 0)
		return reject(f, table, c->name, "is missing");
	else
		v->is_null = true;
	return true;
}

bool
value_read(struct value *v, struct filter *f, const struct rec *r,
    enum table_id t, size_t column)
{
	const struct column *c = &tables[t].columns[column];
	const char *table = tables[t].name;
	const struct field *field = rec_get(r, schema_key_index(t, column));

	*v = (struct value){ .is_null = false };
	if (field == NULL || field->kind == REC_NULL)
		return read_missing(v, f, table, c);
	switch (c->type) {
	case BIGINT:
	case INT:
		if (rec_int(r, schema_key_index(t, column), &v->integer) !=
		    REC_OK)
			return reject(f, table, c->name, "is not an integer");
		if (c->type == INT && (v->integer > INT32_MAX ||
		    v->integer < INT32_MIN))
			return reject(f, table, c->name,
			    "does not fit in 32 bits");
		break;
	case BOOLEAN:
		v->integer = field->kind == REC_TRUE;
		if (field->kind != REC_TRUE && field->kind != REC_FALSE)
			return reject(f, table, c->name,
			    "is neither true nor false");
		break;
	case DOUBLE:
		if (!read_double(field, &v->real))
			return reject(f, table, c->name, "is not a number");
		break;
	case TEXT:
		v->text = field->text;
		if (field->kind != REC_STRING)
			return reject(f, table, c->name, "is not a string");
		break;
	case JSON:
		v->text = field->token;
		break;
	}
	return true;
}
