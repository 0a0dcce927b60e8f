/* event - reads an object of any version of MonetDB's profiler */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/json/recio.h"
#include "filters/malparse/malparse.h"

const char *const event_keys[] = KEY_TEXTS(EVENT_KEYS);

const char *const variable_keys[] = KEY_TEXTS(VARIABLE_KEYS);

/*
 * In microseconds.  Times since 1970 are at least this (September 2001), and
 * times since the server's start are less (31 years).
 */
#define ABSOLUTE_US_MIN INT64_C(1000000000000000)

bool
event_int(const struct rec *r, unsigned key, int64_t *value)
{
	const int64_t limit = INT64_C(1) << REC_INT_BITS;
	const struct field *f = rec_get(r, key);
	int64_t read;

	if (f == NULL)
		return false;
	if (f->is_int)
		read = f->integer;
	else if ((f->kind != REC_NUMBER && f->kind != REC_STRING) ||
	    !text_i64(f->text, &read))
		return false;
	if (read >= limit || read <= -limit)
		return false;
	*value = read;
	return true;
}

static int64_t
int_or_unknown(const struct rec *r, unsigned key)
{
	int64_t value;

	return event_int(r, key, &value) ? value : INT_UNKNOWN;
}

struct span
event_text(const struct rec *r, unsigned key)
{
	struct span s;

	return rec_str(r, key, &s) == REC_OK ? s : span_of(NULL, 0);
}

bool
event_runs(const struct event *e, const char *module, const char *name)
{
	return span_eq(e->module, module) && span_eq(e->operation, name);
}

static bool
has_key(const struct rec *r, unsigned key)
{
	return rec_get(r, key) != NULL;
}

/*
 * Returns the kind of the object and sets *format.  Considers only this object,
 * because a stream may mix formats.
 */
static enum event_kind
detect_format(const struct rec *r, enum format *format)
{
	struct span source = event_text(r, E_SOURCE);

	if (has_key(r, E_ROW) && has_key(r, E_STMT)) {
		*format = FORMAT_R;
		return EVENT_INSTRUCTION;
	}
	/* Format S also serves heartbeats: their clocks have the same keys. */
	*format = FORMAT_S;
	if (has_key(r, E_PHASE)) {
		*format = FORMAT_P;
		return span_eq(event_text(r, E_PHASE), "mal_engine") ?
		    EVENT_INSTRUCTION : EVENT_PHASE;
	}
	if (span_eq(source, "trace"))
		return EVENT_INSTRUCTION;
	if (span_eq(source, "heartbeat") || has_key(r, E_CPULOAD) ||
	    span_eq(event_text(r, E_STATE), "ping"))
		return EVENT_HEARTBEAT;
	if (has_key(r, E_RELEASE) && has_key(r, E_PACKAGES))
		return EVENT_HEADER;
	if (has_key(r, E_MCLK))
		*format = FORMAT_M;
	else if (has_key(r, E_CLK) && has_key(r, E_CTIME) &&
	    has_key(r, E_STATE))
		*format = FORMAT_U;
	else if (has_key(r, E_EVENT) && has_key(r, E_TIME))
		*format = FORMAT_E;
	else
		return EVENT_UNKNOWN;
	return EVENT_INSTRUCTION;
}

/*
 * Reads seconds with six decimals, as Jul2017 writes ctime.  Returns
 * microseconds, or INT_UNKNOWN.  Up to 2^31 s a double distinguishes them.
 */
static int64_t
read_seconds(const struct field *f)
{
	const double limit = (double)(INT64_C(1) << REC_INT_BITS);
	double us;
	char *end;

	if (f == NULL || (f->kind != REC_NUMBER && f->kind != REC_STRING) ||
	    f->text.n == 0)
		return INT_UNKNOWN;
	us = strtod(f->text.p, &end) * 1e6;
	return end == f->text.p + f->text.n && us >= 0 && us < limit ?
	    llround(us) : INT_UNKNOWN;
}

/*
 * Sets the relative and the absolute time.  Some servers exchange the keys of
 * the two clocks, so each value is classified by its size.  If both are
 * absolute, the smaller one is the time: the greater one is the sum of two
 * times (in heartbeats since 2020).  False if a clock is not a time.
 */
static bool
read_clocks(struct event *e)
{
	const unsigned keys[2] = { E_CLK,
	    e->format == FORMAT_M ? E_MCLK : E_CTIME };
	const struct field *f;
	bool ok = true;
	int64_t us;

	e->relative_us = e->absolute_us = INT_UNKNOWN;
	for (int i = 0; i < 2; i++) {
		f = rec_get(e->rec, keys[i]);
		us = i == 1 && e->format == FORMAT_U ? read_seconds(f) :
		    int_or_unknown(e->rec, keys[i]);
		if (us == INT_UNKNOWN)
			ok = ok && (f == NULL || f->kind == REC_NULL);
		else if (us < ABSOLUTE_US_MIN)
			e->relative_us = us;
		else if (e->absolute_us == INT_UNKNOWN || us < e->absolute_us)
			e->absolute_us = us;
	}
	return ok;
}

/*
 * Sets what only the statement says: the operation, and in the formats E and R
 * the variables.  A row of TRACE may have a pc only in a comment; otherwise its
 * number in the table is its pc.
 */
static void
read_statement(struct event *e, struct buf *variables)
{
	bool lacks_variables = e->format == FORMAT_E || e->format == FORMAT_R;
	struct mal_text m;

	mal_read(&m, event_text(e->rec, E_STMT), lacks_variables ? variables :
	    NULL);
	if (lacks_variables)
		e->variables = buf_span(variables);
	if (!has_key(e->rec, E_MODULE)) {
		e->module = m.module;
		e->operation = m.operation;
	}
	if (e->format == FORMAT_R && !has_key(e->rec, E_PC))
		e->pc = m.pc != INT_UNKNOWN ? m.pc :
		    int_or_unknown(e->rec, E_ROW);
}

static bool
read_state(struct event *e)
{
	/* Format T, which is read as E, pads some states with a blank. */
	static const struct { const char *name; enum event_state state; }
	    names[] = { { "start", STATE_START }, { "done", STATE_DONE },
	    { "done ", STATE_DONE }, { "pause", STATE_PAUSE },
	    { "wait", STATE_PAUSE }, { "wait ", STATE_PAUSE } };
	struct span state = event_text(e->rec, E_STATE);

	if (e->format >= FORMAT_P) {
		e->state = STATE_DONE;
		return true;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (span_eq(state, names[i].name)) {
			e->state = names[i].state;
			return true;
		}
	return false;
}

void
event_read(struct event *e, const struct rec *r, struct buf *variables,
    const char **why)
{
	/* Up to format S, "function" is the plan; since M, the operation. */
	unsigned program = E_FUNCTION, operation = E_INSTRUCTION;

	*e = (struct event){ .rec = r,
	    .thread = int_or_unknown(r, E_THREAD),
	    .usec = int_or_unknown(r, E_USEC),
	    .tag = int_or_unknown(r, E_TAG),
	    .pc = int_or_unknown(r, E_PC),
	    .session = event_text(r, E_SESSION),
	    .client = event_text(r, E_SESSIONID),
	    .module = event_text(r, E_MODULE) };
	e->kind = detect_format(r, &e->format);
	if (!read_clocks(e))
		*why = "its time is not a number of microseconds below 2^53";

	if (e->format >= FORMAT_M) {
		program = E_PROGRAM;
		operation = E_FUNCTION;
	}
	e->program = event_text(r, program);
	e->operation = event_text(r, operation);
	if (e->format == FORMAT_R && !has_key(r, E_TAG))
		e->tag = 0;
	if (has_key(r, E_STMT) && (!has_key(r, E_MODULE) ||
	    e->format == FORMAT_R))
		read_statement(e, variables);
	if (e->tag == 0)
		e->begins_plan = e->format == FORMAT_R ? int_or_unknown(r,
		    E_ROW) == 1 : e->pc == 0 &&
		    span_eq(event_text(r, E_STATE), "start");

	if (e->kind == EVENT_INSTRUCTION) {
		e->has_state = read_state(e);
		*why = !e->has_state ? "its state is not start, done or pause" :
		    e->pc < 0 ? "its pc is not a non-negative integer" :
		    e->tag < 0 ? "its tag is not a non-negative integer" : *why;
	}
	if (*why != NULL)
		e->kind = EVENT_INVALID;
}

void
event_variables_init(struct event_variables *v, const struct event *e)
{
	*v = (struct event_variables){ .rec = e->rec, .rest = e->variables,
	    .next_key = e->variables.n > 0 ? E_ARGS + 1 : E_RET };
}

const struct rec *
event_next_variable(struct event_variables *v, struct recio *recio,
    struct span *object)
{
	const struct field *f;
	const struct rec *r;
	const char *why;

	for (;;) {
		do	/* skip items that are not objects */
			r = recio_item(recio, &v->rest, object, &why);
		while (r == NULL && why != NULL);
		if (r != NULL || v->next_key > E_ARGS)
			return r;
		f = rec_get(v->rec, v->next_key++);
		if (f != NULL && f->kind == REC_ARRAY)
			v->rest = f->token;
	}
}

struct span
event_variable_name(const struct rec *r)
{
	struct span name = event_text(r, V_NAME);	/* up to format S */

	return name.n > 0 ? name : event_text(r, V_VAR);
}

bool
event_is_result(const struct event_variables *v, const struct rec *r)
{
	/*
	 * The current array is that of next_key - 1.  E_RET has results and
	 * E_ARG arguments; in E_ARGS the results have the key "ret".
	 */
	if (v->next_key <= E_ARGS)
		return v->next_key == E_ARG;
	return rec_get(r, V_RET) != NULL;
}
