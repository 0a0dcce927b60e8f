/* statement - rebuilds MAL text from the variables of an event */

#include <string.h>

#include "common/base/num.h"
#include "filters/malparse/malparse.h"

/* A result or argument of an instruction. */
struct operand {
	struct span name, type, value;
	bool has_value;		/* it is a scalar */
	bool is_constant;
	bool lacks_quotes;	/* MAL's quotes must be added to the value */
	bool is_quoted_if_long;	/* likewise, but only in long statements */
	int64_t bid, count;	/* of a BAT; or INT_UNKNOWN */
};

/*
 * Whether long statements add no quotes to values of the type.  Numbers need no
 * quotes, and the value of a str has them already.
 */
static bool
is_unquoted_type(struct span type)
{
	static const char *const names[] = { "bit", "bte", "sht", "int", "lng",
	    "hge", "oid", "flt", "dbl", "str", "void", "BAT" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (span_eq(type, names[i]))
			return true;
	return false;
}

/*
 * Sets *v from a variable of the event.  Up to format S constants are not
 * marked: they are the operands that no instruction has assigned.
 */
static void
read_operand(struct operand *v, const struct rec *r,
    const struct execution *x, const struct event *e)
{
	const struct field *value = rec_get(r, V_VALUE);
	int64_t constant;

	*v = (struct operand){ .bid = INT_UNKNOWN, .count = INT_UNKNOWN };
	v->name = event_variable_name(r);
	v->type = event_text(r, KEY_TYPE);
	event_int(r, V_BID, &v->bid);
	event_int(r, V_COUNT, &v->count);
	v->is_constant = event_int(r, V_CONST, &constant) ? constant == 1 :
	    e->format < FORMAT_M && !plan_is_assigned(x, v->name);
	v->has_value = value != NULL && value->kind <= REC_NULL;
	if (!v->has_value)
		return;
	v->value = value->kind == REC_NULL ? span_str("nil") :
	    value->kind == REC_STRING ? value->text : value->token;
	v->lacks_quotes = e->format == FORMAT_P && value->kind == REC_STRING &&
	    span_eq(v->type, "str") && !span_eq(v->value, "nil");
	v->is_quoted_if_long = !is_unquoted_type(v->type) &&
	    !span_eq(v->value, "nil");
}

static void
put_span(struct buf *b, struct span s)
{
	buf_add(b, s.p, s.n);
}

/* A string with quotes and escapes, as MAL writes it. */
static void
put_quoted(struct buf *b, struct span s)
{
	buf_char(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"' || s.p[i] == '\\')
			buf_char(b, '\\');
		if (s.p[i] == '\n')
			buf_str(b, "\\n");
		else if (s.p[i] == '\t')
			buf_str(b, "\\t");
		else
			buf_char(b, s.p[i]);
	}
	buf_char(b, '"');
}

static void
put_value(struct buf *b, const struct statement *s, const struct operand *v)
{
	if (s->is_masked)
		buf_str(b, "***");
	else if (v->lacks_quotes)
		put_quoted(b, v->value);
	else
		put_span(b, v->value);
}

/*
 * Writes a BAT as "X_7=<tmp_302>[14]:bat[:int]", a scalar as "X_9=0:int", and a
 * constant as "0:int".
 */
static void
put_long(struct buf *b, const struct statement *s, const struct operand *v)
{
	bool is_bat = v->bid != INT_UNKNOWN;

	if (is_bat || !v->has_value || !v->is_constant) {
		put_span(b, v->name);
		if (is_bat || v->has_value)
			buf_char(b, '=');
	}
	if (is_bat && v->bid > 0)	/* names of BATs are octal */
		buf_printf(b, "<tmp_%llo>[%lld]", (unsigned long long)v->bid,
		    (long long)(v->count == INT_UNKNOWN ? 0 : v->count));
	else if (is_bat)
		buf_str(b, "nil");
	else if (v->has_value && v->is_quoted_if_long && !s->is_masked)
		put_quoted(b, v->value);
	else if (v->has_value)
		put_value(b, s, v);
	buf_char(b, ':');
	put_span(b, v->type);
}

/* Writes a BAT as "X_7[14]", a scalar as "X_9=0 ", and a constant as "0". */
static void
put_short(struct buf *b, const struct statement *s, const struct operand *v)
{
	if (v->bid != INT_UNKNOWN) {
		put_span(b, v->name);
		buf_printf(b, "[%lld]", (long long)
		    (v->count == INT_UNKNOWN ? 0 : v->count));
		return;
	}
	if (!v->has_value || !v->is_constant) {
		put_span(b, v->name);
		if (v->has_value)
			buf_char(b, '=');
	}
	if (v->has_value)
		put_value(b, s, v);
	if (!v->is_constant)
		buf_char(b, ' ');
}

/* Writes all results, or all arguments; returns how many were written. */
static size_t
put_operands(struct statement *s, const struct execution *x,
    const struct event *e, bool want_results)
{
	struct event_variables walk;
	struct span object;
	struct operand v;
	const struct rec *r;
	size_t n = 0;

	event_variables_init(&walk, e);
	while ((r = event_next_variable(&walk, s->variables, &object)) !=
	    NULL) {
		if (event_is_result(&walk, r) != want_results)
			continue;
		read_operand(&v, r, x, e);
		v.is_constant &= !want_results;
		/*
		 * A result of type void exists only because every call must
		 * have a result; servers omit it.
		 */
		if (want_results && span_eq(v.type, "void"))
			continue;
		if (n++ > 0) {
			buf_str(&s->long_text, ", ");
			buf_str(&s->short_text, ", ");
		}
		put_long(&s->long_text, s, &v);
		put_short(&s->short_text, s, &v);
	}
	return n;
}

static void
put_both(struct statement *s, struct span text)
{
	put_span(&s->long_text, text);
	put_span(&s->short_text, text);
}

static void
put_arguments(struct statement *s, const struct execution *x,
    const struct event *e)
{
	buf_char(&s->long_text, '(');
	buf_str(&s->short_text, "( ");
	if (put_operands(s, x, e, false) > 0)
		buf_char(&s->short_text, ' ');
	put_both(s, span_str(")"));
}

/* Builds "function user.f(A_1=7:int):void;" or "end user.f;". */
static void
build_function_or_end(struct statement *s, const struct execution *x,
    const struct event *e, struct span operator)
{
	struct span name = e->program.n > 0 ? e->program : e->operation;
	bool is_end = span_eq(operator, "end");
	struct event_variables walk;
	struct span object;
	const struct rec *r;

	put_both(s, span_str(is_end ? "end " : "function "));
	put_both(s, name);
	if (is_end)
		return;
	put_arguments(s, x, e);
	event_variables_init(&walk, e);
	r = event_next_variable(&walk, s->variables, &object);
	if (r != NULL && event_is_result(&walk, r)) {
		buf_char(&s->long_text, ':');
		put_span(&s->long_text, event_text(r, KEY_TYPE));
	}
}

static void
prepend(struct buf *b, struct span word)
{
	put_span(b, word);	/* makes room at the end */
	memmove(b->data + word.n, b->data, b->len - word.n);
	memcpy(b->data, word.p, word.n);
}

/*
 * Builds "X_2=7:int := X_1=7:int;" or "return X_2=7:int := X_2=7:int;".  A
 * return has the key "operator" or, in format S, which has no such key, assigns
 * variables to themselves.
 */
static void
build_assignment(struct statement *s, const struct execution *x,
    const struct event *e, bool is_return)
{
	/* In long_text: length of the results, offset of the arguments. */
	size_t left_len, right_at;

	left_len = put_operands(s, x, e, true) == 0 ? 0 : s->long_text.len;
	if (left_len > 0) {
		buf_str(&s->long_text, " := ");
		buf_str(&s->short_text, ":= ");
	}
	right_at = s->long_text.len;
	buf_str(&s->short_text, "( ");
	put_operands(s, x, e, false);
	buf_str(&s->short_text, " )");
	is_return |= left_len > 0 && s->long_text.len - right_at == left_len &&
	    memcmp(s->long_text.data, s->long_text.data + right_at,
	    left_len) == 0;
	if (is_return) {
		prepend(&s->long_text, span_str("return "));
		prepend(&s->short_text, span_str("return "));
	}
}

/* Builds "X_1=7:int := calc.+(3:int, 4:int);" or "(X_1, X_2) := ...". */
static void
build_call(struct statement *s, const struct execution *x,
    const struct event *e)
{
	size_t n = put_operands(s, x, e, true);

	if (n > 1) {
		prepend(&s->long_text, span_str("("));
		prepend(&s->short_text, span_str("("));
		put_both(s, span_str(")"));
	}
	if (n > 0) {
		buf_str(&s->long_text, " := ");
		buf_str(&s->short_text, ":= ");
	}
	put_span(&s->long_text, e->module);
	buf_char(&s->long_text, '.');
	put_both(s, e->operation);
	put_arguments(s, x, e);
}

void
statement_build(struct statement *s, const struct execution *x,
    const struct event *e)
{
	struct span operator = event_text(e->rec, E_OPERATOR);
	struct span barrier = event_text(e->rec, E_BARRIER), object;
	struct event_variables walk;

	s->long_text.len = s->short_text.len = 0;
	event_variables_init(&walk, e);
	/* In format S an end has neither "operator", a module nor variables. */
	if (operator.n == 0 && e->module.n == 0 &&
	    event_next_variable(&walk, s->variables, &object) == NULL)
		operator = span_str("end");
	if (span_eq(operator, "end") || span_eq(operator, "function") ||
	    (e->pc == 0 && e->module.n > 0))
		build_function_or_end(s, x, e, operator);
	else if (e->module.n == 0)
		build_assignment(s, x, e, span_eq(operator, "return"));
	else
		build_call(s, x, e);
	if (barrier.n > 0) {
		prepend(&s->long_text, span_str(" "));
		prepend(&s->long_text, barrier);
	}
	buf_char(&s->long_text, ';');
}
