/* boundary - the begin and end records of a stream of records */

#define _GNU_SOURCE	/* memmem */

#include <stdio.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/filter/boundary.h"
#include "common/filter/lacks.h"
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
    int64_t n_faults, unsigned lacks)
{
	json_begin(b, "end");
	json_cstr(b, "by", err_program());
	json_int(b, "records", n_records);
	json_int(b, "rejected", n_rejected);
	if (n_faults > 0)
		json_int(b, "faults", n_faults);
	/* The number of rejected lines implies its word. */
	lacks_put(b, lacks & ~(unsigned)LACKS_REJECTED);
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

/* The name of the filter that wrote the record; "" if it has none. */
static struct span
get_by(const struct rec *r)
{
	const struct field *by = find_field(r, "by");

	return by != NULL && by->kind == REC_STRING ? by->text :
	    span_of("", 0);
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

static void
copy_name(char *to, size_t size, struct span name)
{
	snprintf(to, size, "%.*s", (int)(name.n < size ? name.n : size),
	    name.p);
}

/* Counts a begin record (1) or an end record (-1) of a filter. */
static void
count(struct boundaries *s, struct span by, int change)
{
	struct writer *w = s->writers;
	char name[sizeof w->name];
	size_t i = 0;

	copy_name(name, sizeof name, by);
	while (i < s->n_writers && strcmp(w[i].name, name) != 0)
		i++;
	if (i == WRITERS_MAX)
		i--;
	if (i == s->n_writers)
		memcpy(w[s->n_writers++].name, name, sizeof name);
	w[i].n_open += change;
	s->n_begun += change > 0;
}

void
boundary_note_line(struct boundaries *s, struct span line, bool is_last)
{
	static const char start[] = "{\"type\":\"begin\"", by[] = ",\"by\":\"";
	const size_t n_start = sizeof start - 1, n_by = sizeof by - 1;
	const char *p = line.p, *end = line.p + line.n, *quote;
	struct span name;

	while ((p = memmem(p, (size_t)(end - p), start, n_start)) != NULL) {
		p += n_start;
		name = span_of("", 0);
		if ((size_t)(end - p) > n_by && memcmp(p, by, n_by) == 0 &&
		    (quote = memchr(p + n_by, '"', (size_t)(end - p) -
		    n_by)) != NULL)
			name = span_of(p + n_by, (size_t)(quote - p) - n_by);
		count(s, name, 1);
	}
	if (is_last && line.n < n_start && memcmp(line.p, start, line.n) == 0)
		count(s, span_of("", 0), 1);
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
		count(s, get_by(r), 1);
	} else if (rec_is(r, "end")) {
		count(s, get_by(r), -1);
		n = get_count(r, "rejected");
		s->n_rejected = saturating_add(s->n_rejected, n);
		s->n_faults = saturating_add(s->n_faults,
		    get_count(r, "faults"));
		s->lacks |= lacks_read(r, find_field(r, "lacks"));
		if (n == 0)
			return true;
		s->lacks |= LACKS_REJECTED;
		copy_name(s->rejected_by, sizeof s->rejected_by, get_by(r));
	} else {
		return false;
	}
	return true;
}

int64_t
boundary_count_open(const struct boundaries *s, bool only_head,
    const char **writer)
{
	const struct writer *w = s->writers, *end = w + s->n_writers;
	int64_t n = 0, n_open;

	for (; w < end; w++) {
		n_open = only_head ? -w->n_open : w->n_open;
		if (n_open <= 0)
			continue;
		if (n == 0 && writer != NULL)
			*writer = *w->name != '\0' ? w->name : "a stream";
		n += n_open;
	}
	return n;
}
