/*
 * plain - the fast reader of JSON agrees with yajl.  recio_parse() leaves to
 * yajl what the fast reader does not accept.  So each text is read twice: as it
 * is, and after a space, which the fast reader does not accept.
 */

#include "common/json/plain.h"
#include "common/json/recio.h"
#include "test/unit/unit.h"

enum { TEXTS = UNIT_ROUNDS(200000), TEXT_MAX = 4096, N_PLAIN_SAMPLES = 4 };

static const char *const keys[] = { "type", "id", "deps", "start_us", "x",
    "a_rather_long_key", NULL };

/* Pieces of records, valid and invalid. */
static const char *const pieces[] = { "{", "}", "[", "]", ",", ":", "\"",
    "\"id\":", "\"deps\":", "\"type\":\"task\"", "\"x\":", " ", "  ", "\\",
    "\\u0041", "\\n", "0", "-0", "-1", "01", "12345678", "1234567890123456",
    "123456789012345678901234567890", "1.5", "1e3", "1.", ".5", "1e",
    "-0.0E-12", "2e+5", "-", "true", "false",
    "null", "tru", "\xc3\xa9", "\xed\xa0\x80", "\xff", "\t", "\f", "\x01",
    "[\"a\",\"b\"]", "{\"p\":\"CC\"}", "[[1]]", "[]", "{}", "\"\"",
    "\"start_us\":1700000000123000", "\"a_rather_long_key\":1" };

/* Texts to be changed at random.  The first N_PLAIN_SAMPLES are plain. */
static const char *const samples[] = {
	"{\"type\":\"task\",\"id\":\"a\",\"start_us\":1700000000123000,"
	    "\"x\":true,\"deps\":[\"b\",\"c\"]}",
	"{\"type\":\"node\",\"deps\":[],\"other\":\"\xe2\x82\xac\","
	    "\"more\":-12,\"a_rather_long_key\":0,\"id\":\"n\"}",
	"{\"id\": \"a\", \"deps\": [\"b\", \"c\"], \"kv\": {\"p\": \"CC\", "
	    "\"q\": [1, {\"r\": false}]}, \"x\": 7}",
	"{\"x\":[1,\"a\",[\"b\"],{}],\"id\":\"\"}",
	"{\"x\":{\"p\":1,\"p\":2}}",
	"{\"k1\":1,\"k2\":1,\"k3\":1,\"k4\":1,\"k5\":1,\"k6\":1,\"k7\":1,"
	    "\"k8\":1,\"k9\":1,\"k10\":1,\"k11\":1,\"k12\":1,\"k13\":1,"
	    "\"k14\":1,\"k15\":1,\"k16\":1,\"k17\":1,\"k18\":1,\"k1\":1}",
	"{\"x\":[[[[[[1]]]]]]}",
};

static struct recio *plain_io, *yajl_io;

/* Compares f, a field of the record a, with g, a field of b. */
static bool
same_field(const struct rec *a, const struct field *f, const struct rec *b,
    const struct field *g)
{
	if (f->kind != g->kind || !span_same(f->key, g->key) ||
	    !span_same(f->token, g->token))
		return false;
	if (f->kind == REC_STRING || f->kind == REC_NUMBER)
		return span_same(f->text, g->text);
	if (f->kind != REC_ARRAY)
		return true;
	if (f->mixed != g->mixed || f->n_items != g->n_items)
		return false;
	for (uint32_t i = 0; i < f->n_items; i++)
		if (!span_same(a->items[f->first_item + i],
		    b->items[g->first_item + i]))
			return false;
	return true;
}

static bool
same_record(const struct rec *a, const struct rec *b)
{
	int64_t x = 0, y = 0;

	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same_field(a, &a->fields[i], b, &b->fields[i]))
			return false;
	for (unsigned k = 0; keys[k] != NULL; k++)
		if (a->field_numbers[k] != b->field_numbers[k] ||
		    rec_int(a, k, &x) != rec_int(b, k, &y) || x != y)
			return false;
	return true;
}

/* Reads a text by the fast reader, if it can, and by yajl. */
static void
compare(const char *text, size_t n)
{
	char *for_plain = unit_copy(span_of(text, n));
	char *for_yajl = mem_alloc(n + 1);
	const char *why;
	struct rec *a, *b;

	for_yajl[0] = ' ';
	memcpy(for_yajl + 1, text, n);
	a = recio_parse(plain_io, span_of(for_plain, n), &why);
	b = recio_parse(yajl_io, span_of(for_yajl, n + 1), &why);
	CHECK((a == NULL) == (b == NULL) && (a == NULL || same_record(a, b)),
	    "%.*s", (int)n, text);
	free(for_plain);
	free(for_yajl);
}

/*
 * A truncated text is not a record.  The reader predicts the keys of a record
 * from those of earlier texts; what it learns from the truncated texts does not
 * prevent it from reading the complete one.
 */
static void
test_truncated(const char *text)
{
	size_t n = strlen(text);
	struct rec r;

	rec_init(&r, keys);
	for (size_t length = 0; length < n; length++)
		CHECK(plain_read(&r, span_of(text, length)) == 0,
		    "accepted: %.*s", (int)length, text);
	CHECK(plain_read(&r, span_of(text, n)) == n, "not accepted: %s", text);
	rec_release(&r);
}

int
main(void)
{
	char text[TEXT_MAX];
	size_t n;

	unit_seed();
	for (int i = 0; i < N_PLAIN_SAMPLES; i++)
		test_truncated(samples[i]);
	plain_io = recio_new(keys);
	yajl_io = recio_new(keys);
	for (int i = 0; i < TEXTS; i++) {
		strcpy(text, UNIT_ONE_OF(samples));
		n = unit_mutate(text, strlen(text), sizeof text, pieces,
		    sizeof pieces / sizeof *pieces);
		compare(text, n);
	}
	recio_free(plain_io);
	recio_free(yajl_io);
	return unit_end();
}
