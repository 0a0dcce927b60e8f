/* value - the values of a row */

#include <math.h>
#include <stdlib.h>

#include "common/frame/filter.h"
#include "filters/malload/value.h"

static bool
refuse(struct filter *f, const char *table, const char *column,
    const char *rule)
{
	filter_reject(f, "%s: %s %s", table, column, rule);
	return false;
}

static bool
read_double(const struct field *f, double *value)
{
	char text[40];

	if (f->kind != REC_NUMBER || f->text.n >= sizeof text)
		return false;
	memcpy(text, f->text.p, f->text.n);
	text[f->text.n] = '\0';
	*value = strtod(text, NULL);
	return isfinite(*value);
}

bool
value_read(struct value *v, struct filter *f, const struct rec *r,
    enum table_id t, size_t column)
{
	const struct column *c = &tables[t].columns[column];
	const char *table = tables[t].name;
	const struct field *field = rec_get(r, schema_key(t, column));

	*v = (struct value){ .is_null = true };
	if (field == NULL || field->kind == REC_NULL) {
		if ((c->rules & (ELSE_0 | ELSE_1)) != 0)
			*v = (struct value){
			    .integer = (c->rules & ELSE_1) != 0 };
		else if ((c->rules & (NEEDED | ID)) != 0)
			return refuse(f, table, c->name, "is missing");
		return true;
	}
	v->is_null = false;
	switch (c->type) {
	case BIGINT:
	case INT:
		if (rec_int(r, schema_key(t, column), &v->integer) !=
		    REC_OK)
			return refuse(f, table, c->name, "is no integer");
		if (c->type == INT && (v->integer > INT32_MAX ||
		    v->integer < INT32_MIN))
			return refuse(f, table, c->name, "is beyond 2^31");
		break;
	case BOOLEAN:
		v->integer = field->kind == REC_TRUE;
		if (field->kind != REC_TRUE && field->kind != REC_FALSE)
			return refuse(f, table, c->name,
			    "is neither true nor false");
		break;
	case DOUBLE:
		if (!read_double(field, &v->real))
			return refuse(f, table, c->name, "is no number");
		break;
	case TEXT:
		v->text = field->text;
		if (field->kind != REC_STRING)
			return refuse(f, table, c->name, "is no string");
		break;
	case JSON:
		v->text = field->token;
		break;
	}
	return true;
}
