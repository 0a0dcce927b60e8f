/* event - one object of any of MonetDB's profilers */

#include <string.h>

#include "common/base/num.h"
#include "common/json/recio.h"
#include "common/json/skip.h"
#include "filters/malparse/event.h"

const char *const event_keys[] = { "type", "version", "source", "clk",
    "ctime", "mclk", "thread", "function", "program", "pc", "tag", "module",
    "instruction", "session", "sessionid", "state", "usec", "rss", "size",
    "inblock", "oublock", "majflt", "nswap", "nvcsw", "caller", "user_id",
    "user", "barrier", "operator", "algorithm", "numa", "stmt", "short",
    "prereq", "ret", "arg", "args", "phase", "tstart", "tend", "query",
    "event", "time", "cpuload", "release", "packages", "host", "threads",
    "memory", "oid", NULL };

const char *const variable_keys[] = { "type", "index", "ret", "arg", "name",
    "var", "alias", "value", "eol", "kind", "persistence", "mode", "bid",
    "count", "size", "seqbase", "hghbase", "parent", "view", "const",
    "sorted", "revsorted", "nonil", "nil", "key", "file", "width", "hash",
    "vheap", "imprints", "minpos", "maxpos", "nestimate", "used", "fixed",
    "udf", NULL };

/* Clocks that count from 1970 are beyond this, those of a server below. */
#define ABSOLUTE_LEAST INT64_C(1000000000000000)

static bool
fits(int64_t value)
{
	int64_t most = INT64_C(1) << REC_INT_BITS;

	return value < most && value > -most;
}

bool
event_int(const struct rec *r, unsigned key, int64_t *value)
{
	const struct field *f = rec_get(r, key);

	if (f == NULL)
		return false;
	if (f->is_int) {
		*value = f->integer;
		return fits(*value);
	}
	return (f->kind == REC_NUMBER || f->kind == REC_STRING) &&
	    text_i64(f->text, value) && fits(*value);
}

static int64_t
optional(const struct rec *r, unsigned key)
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

struct span
event_after_dot(struct span s)
{
	const char *dot = s.n == 0 ? NULL : memchr(s.p, '.', s.n);
	size_t before = dot == NULL ? 0 : (size_t)(dot - s.p) + 1;

	return span_of(s.p + before, s.n - before);
}

static bool
has(const struct rec *r, unsigned key)
{
	return rec_get(r, key) != NULL;
}

/* Formats change from object to object: each is told by its own keys. */
static enum event_kind
tell_format(const struct rec *r, enum format *format)
{
	struct span source = event_text(r, E_SOURCE);

	*format = FORMAT_S;
	if (has(r, E_PHASE)) {
		*format = FORMAT_P;
		return span_eq(event_text(r, E_PHASE), "mal_engine") ?
		    EVENT_INSTRUCTION : EVENT_PHASE;
	}
	if (span_eq(source, "trace"))
		return EVENT_INSTRUCTION;
	if (span_eq(source, "heartbeat") || has(r, E_CPULOAD) ||
	    span_eq(event_text(r, E_STATE), "ping"))
		return EVENT_HEARTBEAT;
	if (has(r, E_RELEASE) && has(r, E_PACKAGES))
		return EVENT_HEADER;
	if (has(r, E_MCLK))
		*format = FORMAT_M;
	else if (has(r, E_CLK) && has(r, E_CTIME) && has(r, E_STATE))
		*format = FORMAT_U;
	else if (has(r, E_EVENT) && has(r, E_TIME))
		*format = FORMAT_E;
	else
		return EVENT_UNKNOWN;
	return EVENT_INSTRUCTION;
}

/* Seconds with up to six decimals, as Jul2017 writes its ctime. */
static int64_t
seconds_us(const struct rec *r, unsigned key)
{
	const struct field *f = rec_get(r, key);
	const char *dot;
	struct span whole;
	int64_t seconds, us = 0;
	size_t digits = 0;

	if (f == NULL || (f->kind != REC_NUMBER && f->kind != REC_STRING))
		return INT_UNKNOWN;
	dot = f->text.n == 0 ? NULL : memchr(f->text.p, '.', f->text.n);
	whole = dot == NULL ? f->text :
	    span_of(f->text.p, (size_t)(dot - f->text.p));
	if (!text_i64(whole, &seconds) || seconds < 0 ||
	    seconds > ABSOLUTE_LEAST)
		return INT_UNKNOWN;
	for (; digits < 6; digits++) {
		us *= 10;
		if (dot == NULL || ++dot >= f->text.p + f->text.n)
			dot = NULL;
		else if (text_is_digit(*dot))
			us += *dot - '0';
		else
			return INT_UNKNOWN;
	}
	return seconds * 1000000 + us;
}

/* Some servers write one clock under the other's name. */
static void
read_clocks(struct event *e)
{
	int64_t a = optional(e->rec, E_CLK), b;

	if (e->format == FORMAT_U)
		b = seconds_us(e->rec, E_CTIME);
	else
		b = optional(e->rec, e->format == FORMAT_M ? E_MCLK : E_CTIME);
	e->relative_us = e->absolute_us = INT_UNKNOWN;
	for (int i = 0; i < 2; i++, a = b) {
		if (a < ABSOLUTE_LEAST)
			e->relative_us = a != INT_UNKNOWN ? a : e->relative_us;
		else if (e->absolute_us == INT_UNKNOWN || a < e->absolute_us)
			e->absolute_us = a;	/* a greater one is no time */
	}
}

static bool
is_name_char(char c)
{
	return c == '_' || text_is_digit(c) || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z');
}

/*
 * The servers that do not name the operation still show it: module.function
 * before the first bracket behind ":=", or behind the beginning.
 */
static void
cut_operation(struct event *e, struct span stmt)
{
	const char *p = stmt.p, *end = stmt.p + stmt.n, *name, *dot;

	for (const char *q = p; q + 1 < end; q++) {
		if (*q == '"')
			q = skip_string(q + 1, end) - 1;
		else if (q[0] == ':' && q[1] == '=') {
			p = q + 2;
			break;
		}
	}
	do {	/* words as `barrier' or `function' may stand before it */
		while (p < end && *p == ' ')
			p++;
		for (name = p; p < end && is_name_char(*p); p++)
			;
	} while (p > name && p < end && *p == ' ');
	dot = p;
	if (p == name || p == end || *p++ != '.')
		return;
	while (p < end && *p != '(' && *p != ' ' && *p != ';')
		p++;
	if (p == end || *p != '(')
		return;
	e->module = span_of(name, (size_t)(dot - name));
	e->operation = span_of(dot + 1, (size_t)(p - dot) - 1);
}

static void
read_names(struct event *e)
{
	const struct rec *r = e->rec;
	bool new_names = e->format == FORMAT_M || e->format == FORMAT_P;

	e->session = event_text(r, E_SESSION);
	e->client = event_text(r, E_SESSIONID);
	e->program = event_text(r, new_names ? E_PROGRAM : E_FUNCTION);
	e->module = event_text(r, E_MODULE);
	e->operation = event_text(r, new_names ? E_FUNCTION : E_INSTRUCTION);
	if (!has(r, E_MODULE) && has(r, E_STMT))
		cut_operation(e, event_text(r, E_STMT));
}

static bool
read_state(struct event *e)
{
	static const struct { const char *name; enum event_state state; }
	    names[] = { { "start", STATE_START }, { "done", STATE_DONE },
	    { "done ", STATE_DONE }, { "pause", STATE_PAUSE },
	    { "wait", STATE_PAUSE }, { "wait ", STATE_PAUSE } };
	struct span state = event_text(e->rec, E_STATE);

	if (e->format == FORMAT_P) {
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
event_read(struct event *e, const struct rec *r, const char **why)
{
	*e = (struct event){ .rec = r };
	e->kind = tell_format(r, &e->format);
	e->thread = optional(r, E_THREAD);
	e->usec = optional(r, E_USEC);
	e->tag = optional(r, E_TAG);
	e->pc = optional(r, E_PC);
	read_clocks(e);
	read_names(e);
	if (e->kind != EVENT_INSTRUCTION)
		return;
	e->has_state = read_state(e);
	*why = !e->has_state ? "its state is none of start, done, pause" :
	    e->pc < 0 ? "its pc is no number from 0 on" :
	    e->tag < 0 ? "its tag is no number from 0 on" : NULL;
	if (*why != NULL)
		e->kind = EVENT_BAD;
}

void
event_variables(struct event_variables *v, const struct event *e)
{
	*v = (struct event_variables){ .rec = e->rec, .next = E_RET };
}

const struct rec *
event_next_variable(struct event_variables *v, struct recio *recio,
    struct span *object)
{
	const struct field *f;
	const struct rec *r;
	const char *why;

	for (;;) {
		do
			r = recio_item(recio, &v->rest, object, &why);
		while (r == NULL && why != NULL);
		if (r != NULL || v->next > E_ARGS)
			return r;
		f = rec_get(v->rec, v->next++);
		if (f != NULL && f->kind == REC_ARRAY)
			v->rest = f->token;
	}
}

bool
event_is_result(const struct event_variables *v, const struct rec *r)
{
	/* next is behind the array that is being read. */
	if (v->next <= E_ARGS)
		return v->next == E_ARG;
	return rec_get(r, V_RET) != NULL;
}
