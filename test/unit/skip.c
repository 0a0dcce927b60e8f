/*
 * skip - common/json/skip finds the ends of values where yajl finds them,
 * however the bytes arrive and whatever follows them
 */

#include <yajl/yajl_parse.h>

#include "common/json/items.h"
#include "common/json/skip.h"
#include "test/unit/unit.h"

enum { TEXTS = UNIT_ROUNDS(40000), TEXT_MAX = 2048, VALUES_MAX = 4096, DEPTH_MAX = 600 };

/* The values and keys of a text, as yajl finds them: offsets [start, end). */
static struct {
	yajl_handle yajl;
	const char *text;
	size_t last_end;	/* of the previous token */
	struct { size_t start, end; bool is_number; } values[VALUES_MAX];
	size_t n;
	size_t open[DEPTH_MAX];	/* indexes of the values not yet closed */
	size_t depth;
} seen;

/* The next token begins after white space, a comma or a colon. */
static size_t
find_token_start(void)
{
	size_t at = seen.last_end;

	while (strchr(" \t\r\n,:", seen.text[at]) != NULL)
		at++;
	return at;
}

static int
add_value(bool is_number)
{
	if (seen.n == VALUES_MAX)
		return 0;
	seen.values[seen.n].start = find_token_start();
	seen.values[seen.n].is_number = is_number;
	seen.last_end = yajl_get_bytes_consumed(seen.yajl);
	seen.values[seen.n++].end = seen.last_end;
	return 1;
}

static int
on_scalar(void *context)
{
	(void)context;
	return add_value(false);
}

static int
on_boolean(void *context, int value)
{
	(void)value;
	return on_scalar(context);
}

static int
on_number(void *context, const char *p, size_t n)
{
	(void)context, (void)p, (void)n;
	return add_value(true);
}

static int
on_string(void *context, const unsigned char *p, size_t n)
{
	(void)p, (void)n;
	return on_scalar(context);
}

static int
on_open(void *context)
{
	if (seen.depth == DEPTH_MAX)
		return 0;
	seen.open[seen.depth++] = seen.n;
	return on_scalar(context);
}

static int
on_close(void *context)
{
	(void)context;
	seen.last_end = yajl_get_bytes_consumed(seen.yajl);
	seen.values[seen.open[--seen.depth]].end = seen.last_end;
	return 1;
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_scalar,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_map_key = on_string,
	.yajl_start_map = on_open,
	.yajl_end_map = on_close,
	.yajl_start_array = on_open,
	.yajl_end_array = on_close,
};

/*
 * Returns whether yajl accepts the text, and stores its values in seen.  A text
 * that is only a number is not accepted: yajl does not say where it ends.
 */
static bool
yajl_accepts(struct span text)
{
	bool accepted;

	seen.yajl = yajl_alloc(&callbacks, NULL, NULL);
	seen.text = text.p;
	seen.last_end = seen.n = seen.depth = 0;
	accepted = yajl_parse(seen.yajl, (const unsigned char *)text.p,
	    text.n) == yajl_status_ok &&
	    yajl_complete_parse(seen.yajl) == yajl_status_ok && seen.n > 0 &&
	    !seen.values[0].is_number;
	yajl_free(seen.yajl);
	return accepted;
}

/* Checks the end of a value whose bytes arrive at once, and in two parts. */
static void
check_value(struct span text, size_t start, size_t end)
{
	struct span rest = span_of(text.p + start, text.n - start), item;
	size_t n = end - start, split = unit_random(rest.n + 1);
	struct skip whole = { 0 }, parts = { 0 };

	skip_value(&whole, rest);
	CHECK(whole.at == n, "ends at %zu, not %zu, of '%.*s'", whole.at, n,
	    SPAN_ARG_ALL(rest));
	if (!skip_value(&parts, span_of(rest.p, split)))
		skip_value(&parts, rest);
	CHECK(parts.at == n, "ends at %zu, not %zu, split at %zu, of '%.*s'",
	    parts.at, n, split, SPAN_ARG_ALL(rest));
	if (*rest.p == '"')
		CHECK(skip_string(rest.p + 1, rest.p + rest.n) == rest.p + n,
		    "the string '%.*s'", SPAN_ARG_ALL(rest));
	items_take(&rest, &item);
	CHECK(item.n == n, "an item of %zu bytes, not %zu", item.n, n);
}

/* Checks the values that yajl has found in a text. */
static void
check_text(struct span text)
{
	const char *p, *end;

	for (size_t i = 0; i < seen.n; i++) {
		check_value(text, seen.values[i].start, seen.values[i].end);
		if (!seen.values[i].is_number)
			continue;
		p = text.p + seen.values[i].start;
		end = text.p + seen.values[i].end;
		CHECK(skip_number(p, text.p + text.n) == end, "'%.*s'",
		    (int)(end - p), p);
	}
}

static const char *const pieces[] = { "{", "}", "[", "]", ",", ":", "\"",
    "\"a\":", "{\"k\":1,\"l\":[true]}", " ", "\n", "\t", "\r", "\\", "\\\"",
    "\\\\", "\\u00e9", "\\n", "0", "-0", "-1", "01", "1.5", "1e3", "1E-2", "1.",
    ".5", "1e", "-", "+1", "true", "false", "null", "tru", "\xc3\xa9",
    "\xf0\x9f\x98\x80", "\"]\"", "\"}\"", "\"\\\\\"", "[]", "{}", "\"\"",
    "[1,2,[3]]" };

/* Texts that test_texts() changes at random. */
static const char *const samples[] = {
	"{\"a\":[1,-2.5e3,\"x\\\"]\",{\"b\":null}],\"c\":{\"d\":\"\\\\\"}}",
	"[ true , false, null , \"\" , [ ] , { } , 1.0E+5, \"\xc3\xa9\" ]",
	"\"a\\\\\\\"b\\u0041\"", "-12.5e-3", "[[[[[[1]]]]]]",
	"{ \"k\" : \"v\" , \"l\" : [ 1 , 2 ] }",
};

static void
test_texts(void)
{
	char text[TEXT_MAX];
	unsigned long accepted = 0;
	size_t n;

	for (int i = 0; i < TEXTS; i++) {
		n = (size_t)sprintf(text, "[%s]", UNIT_ONE_OF(samples));
		n = unit_mutate(text, n, sizeof text, pieces,
		    sizeof pieces / sizeof *pieces);
		if (!yajl_accepts(span_of(text, n)))
			continue;
		accepted++;
		check_text(span_of(text, n));
	}
	/* Many texts are invalid after their mutation, but not nearly all. */
	CHECK(accepted > TEXTS / 20, "only %lu texts were accepted", accepted);
}

/* skip_number() accepts the whole of a text if yajl does, and only then. */
static void
test_numbers(void)
{
	static const char characters[] = "0123456789+-.eE";
	char text[12] = "[";
	const char *end;
	size_t n;

	for (int i = 0; i < TEXTS * 5; i++) {
		n = 1 + unit_random(sizeof text - 3);
		for (size_t k = 1; k <= n; k++)
			text[k] = characters[unit_random(
			    sizeof characters - 1)];
		strcpy(text + n + 1, "]");
		end = skip_number(text + 1, text + n + 1);
		CHECK((end == text + n + 1) ==
		    yajl_accepts(span_of(text, n + 2)), "'%s'", text);
	}
}

/* In random bytes, values end within them, and no byte after them is read. */
static void
test_noise(void)
{
	char noise[40], *text;
	struct skip s;
	size_t n;

	for (int i = 0; i < TEXTS; i++) {
		n = 1 + unit_random(sizeof noise);
		for (size_t k = 0; k < n; k++)
			noise[k] = unit_random(3) == 0 ?
			    (char)unit_random(256) :
			    UNIT_ONE_OF("\"\\[]{},:\n1t");	/* or NUL */
		text = unit_copy(span_of(noise, n));
		s = (struct skip){ 0 };
		skip_value(&s, span_of(text, n));
		CHECK(s.at > 0 && s.at <= n, "%zu of %zu", s.at, n);
		skip_string(text, text + n);
		skip_number(text, text + n);
		free(text);
	}
}

int
main(void)
{
	unit_seed();
	test_texts();
	test_numbers();
	test_noise();
	return unit_end();
}
