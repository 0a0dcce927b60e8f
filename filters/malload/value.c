/* value - reads and checks the values of a row */

#include <math.h>
#include <stdlib.h>

#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/malload/malload.h"

/* Returns the rule of the column that the value breaks, or NULL. */
static const char *
read_field(struct value *v, const struct column *c, const struct rec *r,
    unsigned key)
{
	const struct field *f = rec_get(r, key);

	*v = (struct value){ .is_null = false };
	if (f == NULL || f->kind == REC_NULL) {
		v->integer = (c->rules & DEFAULT_1) != 0;
		v->is_null = (c->rules & (DEFAULT_0 | DEFAULT_1)) == 0;
		return v->is_null && (c->rules & (NOT_NULL | ID)) != 0 ?
		    "is missing" : NULL;
	}

	switch (c->type) {
	case BIGINT:
	case INT:
		if (rec_int(r, key, &v->integer) != REC_OK)
			return "is not an integer";
		if (v->integer < 1 && ((c->rules & ID) != 0 ||
		    (c->parent != NO_TABLE && c->parent != MAL_TYPE)))
			return "is not positive";
		if (c->type == INT && (v->integer > INT32_MAX ||
		    v->integer < INT32_MIN))
			return "does not fit in 32 bits";
		break;
	case BOOLEAN:
		v->integer = f->kind == REC_TRUE;
		if (f->kind != REC_TRUE && f->kind != REC_FALSE)
			return "is neither true nor false";
		break;
	case DOUBLE:
		/* What ends the number in the record also stops strtod(). */
		v->real = f->kind == REC_NUMBER ? strtod(f->text.p, NULL) : NAN;
		if (!isfinite(v->real))
			return "is not a number";
		break;
	case TEXT:
		v->text = f->text;
		if (f->kind != REC_STRING)
			return "is not a string";
		break;
	case JSON:
		v->text = f->token;
		break;
	}
	return NULL;
}

bool
value_read(struct value *v, struct filter *f, const struct rec *r,
    enum table_id t, size_t column)
{
	const struct column *c = &tables[t].columns[column];
	const char *rule = read_field(v, c, r, schema_key_index(t, column));

	if (rule != NULL)
		filter_reject(f, "%s: %s %s", tables[t].name, c->name, rule);
	return rule == NULL;
}
