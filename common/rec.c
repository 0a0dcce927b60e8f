/* rec - typed access to the fields of a record */

#include "common/rec.h"

const struct field *
rec_get(const struct rec *r, unsigned key)
{
	return r->at[key] == 0 ? NULL : &r->fields[r->at[key] - 1];
}

static enum rec_found
find(const struct rec *r, unsigned key, enum rec_kind kind,
    const struct field **field)
{
	const struct field *f = rec_get(r, key);

	if (f == NULL || f->kind == REC_NULL)
		return REC_ABSENT;
	*field = f;
	return f->kind == kind ? REC_GOOD : REC_BAD;
}

enum rec_found
rec_str(const struct rec *r, unsigned key, struct span *text)
{
	const struct field *f;
	enum rec_found found = find(r, key, REC_STRING, &f);

	if (found == REC_GOOD)
		*text = f->text;
	return found;
}

enum rec_found
rec_int(const struct rec *r, unsigned key, int64_t *value)
{
	const int64_t most = (INT64_C(1) << REC_INT_BITS) - 1;
	const struct field *f;
	enum rec_found found = find(r, key, REC_NUMBER, &f);
	int64_t v;

	if (found != REC_GOOD)
		return found;
	if (!text_i64(f->text, &v) || v < -most || v > most)
		return REC_BAD;
	*value = v;
	return REC_GOOD;
}

bool
rec_true(const struct rec *r, unsigned key)
{
	const struct field *f = rec_get(r, key);

	return f != NULL && f->kind == REC_TRUE;
}

bool
rec_is(const struct rec *r, const char *type)
{
	struct span text;

	return rec_str(r, KEY_TYPE, &text) == REC_GOOD && span_eq(text, type);
}

enum rec_found
rec_strings(const struct rec *r, unsigned key, const struct span **items,
    size_t *n)
{
	const struct field *f;
	enum rec_found found = find(r, key, REC_ARRAY, &f);

	if (found != REC_GOOD)
		return found;
	*items = r->items + f->first_item;
	*n = f->n_items;
	return f->mixed ? REC_BAD : REC_GOOD;
}
