/* boundary - the begin and end records of a stream of records */

#include <stdio.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/filter/boundary.h"
#include "common/json/json.h"

void
boundary_put_begin(struct buf *b)
{
	json_begin(b, "begin");
	json_cstr(b, "by", err_program());
	json_cstr(b, "version", WEIR_VERSION);
	json_end(b);
}

void
boundary_put_end(struct buf *b, int64_t n_records, int64_t n_rejected,
    int64_t n_faults)
{
	json_begin(b, "end");
	json_cstr(b, "by", err_program());
	json_int(b, "records", n_records);
	json_int(b, "rejected", n_rejected);
	if (n_faults > 0)
		json_int(b, "faults", n_faults);
	json_end(b);
}

/* The field with a key, which need not be declared; NULL if there is none. */
static const struct field *
find_field(const struct rec *r, const char *key)
{
	for (size_t i = 0; i < r->n; i++)
		if (span_eq(r->fields[i].key, key))
			return &r->fields[i];
	return NULL;
}

/* Copies the name of the filter that wrote the record. */
static void
copy_by(const struct rec *r, char *to, size_t size)
{
	const struct field *by = find_field(r, "by");

	snprintf(to, size, "%.*s", by != NULL && by->kind == REC_STRING ?
	    (int)(by->text.n < size ? by->text.n : size) : 0,
	    by != NULL ? by->text.p : "");
}

/*
 * The number with a key of an end record; 0 without the key.  An invalid number
 * counts as 1: something was rejected.
 */
static int64_t
get_count(const struct rec *r, const char *key)
{
	const struct field *count = find_field(r, key);
	int64_t n;

	if (count == NULL)
		return 0;
	if (count->kind != REC_NUMBER || !text_i64(count->text, &n) || n < 0)
		return 1;
	return n;
}

bool
boundary_is_partial_begin(struct span text)
{
	static const char start[] = "{\"type\":\"begin\"";
	size_t n = text.n < sizeof start - 1 ? text.n : sizeof start - 1;

	return memcmp(text.p, start, n) == 0;
}

bool
boundary_note(struct boundaries *s, const struct rec *r)
{
	const struct field *type = rec_get(r, KEY_TYPE);
	int64_t n;

	/* "end" has 3 bytes, "begin" 5: few other types have as many. */
	if (type == NULL || (type->text.n != 3 && type->text.n != 5))
		return false;
	if (rec_is(r, "begin")) {
		s->n_begun++;
		s->n_open++;
		copy_by(r, s->begun_by, sizeof s->begun_by);
	} else if (rec_is(r, "end")) {
		s->n_open--;
		n = get_count(r, "rejected");
		s->n_rejected = saturating_add(s->n_rejected, n);
		s->n_faults = saturating_add(s->n_faults,
		    get_count(r, "faults"));
		if (n > 0)
			copy_by(r, s->rejected_by, sizeof s->rejected_by);
	} else {
		return false;
	}
	return true;
}
