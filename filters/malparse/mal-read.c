/* mal-read - reads the MAL text of an instruction */

#define _GNU_SOURCE	/* memmem() */

#include <ctype.h>
#include <string.h>

#include "common/base/num.h"
#include "common/json/json.h"
#include "filters/malparse/malparse.h"

/*
 * The first place of `stop`, one or two characters, outside of strings and
 * brackets; `end` if there is none.
 */
static const char *
find_outside(const char *p, const char *end, const char *stop)
{
	size_t depth = 0, n = strlen(stop);

	while (p < end) {
		if (depth == 0 && (size_t)(end - p) >= n &&
		    memcmp(p, stop, n) == 0)
			return p;
		if (*p == '"') {
			p = skip_string(p + 1, end);
			continue;
		}
		if (*p == '(' || *p == '[' || *p == '{')
			depth++;
		else if ((*p == ')' || *p == ']' || *p == '}') && depth > 0)
			depth--;
		p++;
	}
	return end;
}

static struct span
span_between(const char *p, const char *end)
{
	return text_trim(span_of(p, (size_t)(end - p)));
}

static bool
is_name(struct span s)
{
	return s.n > 0 && (isalpha((unsigned char)*s.p) || *s.p == '_') &&
	    !span_eq(s, "nil") && !span_eq(s, "true") && !span_eq(s, "false");
}

/* Whether a part of an operand, outside of a string, has been cut out of it. */
static bool
is_truncated(struct span s)
{
	return s.n > 0 && memmem(s.p, s.n, "...", 3) != NULL;
}

/*
 * Writes what a value says of a BAT: "<tmp_17>[3]", whose number is octal,
 * "[3]" or "nil".  False if it is not the value of a BAT.
 */
static bool
put_bat(struct buf *b, struct span value, struct span type)
{
	const char *p = value.p, *end = p + value.n;
	bool has_id = span_begins_with(value, "<tmp");
	int64_t id = 0, count = 0;

	if (span_eq(value, "nil") && (span_begins_with(type, "bat") ||
	    span_eq(type, "BAT"))) {
		json_int(b, "bid", 0);
		return true;
	}
	if (!has_id && !span_begins_with(value, "["))
		return false;
	while (p < end && !text_is_digit(*p) && *p != '[')
		p++;
	for (; p < end && text_is_digit(*p) && id < INT64_C(1) << 48; p++)
		id = id * 8 + (*p - '0');
	if (has_id)
		json_int(b, "bid", id);
	while (p < end && !text_is_digit(*p))
		p++;
	if (text_i64(span_of(p, p < end ? (size_t)(end - p) - 1 : 0), &count))
		json_int(b, "count", count);
	return true;
}

/*
 * Writes "NAME=VALUE:TYPE", of which each part may be absent, as an object with
 * the index at `key`, "ret" or "arg".
 */
static void
put_operand(struct buf *b, struct span s, const char *key, uint64_t index)
{
	const char *end = s.p + s.n, *colon = find_outside(s.p, end, ":");
	const char *equals = find_outside(s.p, colon, "=");
	struct span name = span_between(s.p, equals), value, type;

	if (!is_name(name))
		name = span_of(s.p, 0);
	value = name.n == 0 ? span_between(s.p, colon) :
	    span_between(equals + (equals < colon), colon);
	colon += colon < end;
	/* Properties of the variable may follow: "bit{transparent}". */
	type = span_between(colon, find_outside(colon, end, "{"));
	if (s.n == 0 || is_truncated(type) || (value.n > 0 && *value.p == '"' ?
	    value.n == 1 || value.p[value.n - 1] != '"' : is_truncated(value)))
		return;

	buf_str(b, b->len > 1 ? ",{" : "{");
	json_uint(b, key, index);
	if (name.n > 0)
		json_str(b, "var", name);
	else
		json_int(b, "const", 1);
	json_text(b, "type", type);
	if (value.n > 0 && !put_bat(b, value, type)) {
		/* Only the quotes of a str belong to its value. */
		if (*value.p == '"' && type.n > 0 && !span_eq(type, "str"))
			value = span_of(value.p + 1, value.n - 2);
		json_str(b, "value", value);
	}
	buf_char(b, '}');
}

/*
 * Writes a list of operands, perhaps in parentheses; the last one only if the
 * list is whole.  *index counts the operands.
 */
static void
put_operands(struct buf *b, struct span s, const char *key, uint64_t *index,
    bool is_whole)
{
	const char *p, *end, *comma;

	if (b == NULL)
		return;
	if (s.n > 1 && s.p[0] == '(')
		s = span_of(s.p + 1, s.n - 1 - (s.p[s.n - 1] == ')'));
	for (p = s.p, end = p + s.n; p < end; p = comma + (comma < end)) {
		comma = find_outside(p, end, ",");
		if (comma < end || is_whole)
			put_operand(b, span_between(p, comma), key, *index);
		++*index;
	}
}

/*
 * Sets module and operation if MODULE.OPERATION(...) begins at p.  Returns the
 * address of the parenthesis, or NULL.
 */
static const char *
read_call(struct mal_text *m, const char *p, const char *end)
{
	const char *name = p, *dot;

	while (p < end && (*p == '_' || isalnum((unsigned char)*p)))
		p++;
	dot = p;
	if (p == name || p == end || *p != '.')
		return NULL;
	while (p < end && *p != '(' && *p != ' ' && *p != ';')
		p++;
	if (p == end || *p != '(')
		return NULL;
	m->module = span_of(name, (size_t)(dot - name));
	m->operation = span_of(dot + 1, (size_t)(p - dot) - 1);
	return p;
}

/* The pc in a comment like "#[7] (1) ALGselect"; or INT_UNKNOWN. */
static int64_t
read_pc(const char *p, const char *end)
{
	const char *start = memmem(p, (size_t)(end - p), "#[", 2), *close;
	int64_t pc;

	if (start == NULL)
		return INT_UNKNOWN;
	start += 2;
	close = memchr(start, ']', (size_t)(end - start));
	return close != NULL && text_i64(span_of(start,
	    (size_t)(close - start)), &pc) ? pc : INT_UNKNOWN;
}

void
mal_read(struct mal_text *m, struct span text, struct buf *variables)
{
	const char *p = text.p, *end = p + text.n, *stop, *assign, *call, *q;
	struct span word = span_of("", 0);	/* before the rest */
	uint64_t index = 0;

	*m = (struct mal_text){ .pc = INT_UNKNOWN };
	stop = find_outside(p, end, ";");
	m->is_whole = stop < end;
	m->pc = read_pc(stop, end);
	if (variables != NULL) {
		variables->len = 0;
		buf_char(variables, '[');
	}

	/* A word, such as barrier or function, is followed by a blank. */
	assign = find_outside(p, stop, ":=");
	for (;;) {
		while (p < assign && (*p == ' ' || *p == '!'))
			p++;
		for (q = p; q < assign && (*q == '_' ||
		    isalnum((unsigned char)*q)); q++)
			;
		if (q == p || q >= assign || *q != ' ' || q + 1 >= assign)
			break;
		word = span_of(p, (size_t)(q - p));
		p = q;
	}
	if (assign < stop) {
		put_operands(variables, span_between(p, assign), "ret", &index,
		    true);
		for (p = assign + 2; p < stop && *p == ' '; p++)
			;
	}

	call = read_call(m, p, stop);
	if (call != NULL) {
		q = find_outside(call + 1, stop, ")");
		put_operands(variables, span_between(call, q + (q < stop)),
		    "arg", &index, q < stop);
	} else if (!span_eq(word, "end")) {
		/* "exit X_9;" only names the variable of its barrier. */
		put_operands(variables, span_between(p, stop), assign < stop ?
		    "arg" : "ret", &index, m->is_whole);
	}
	if (variables != NULL)
		buf_char(variables, ']');
}
