/* trace - the instances of instructions in rows of traces */

#include <stdlib.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/frame/filter.h"
#include "common/mal/operation.h"
#include "filters/malstat/trace.h"

/* What is known of (execution, pc) between a start and its done. */
struct open {
	struct {
		uint64_t execution;
		int64_t pc;
	} key;
	bool is_open;
	int64_t start_us;
};

enum { EXECUTION = KEY_TYPE + 1, SESSION, CLIENT, TAG, EVENT_EXECUTION, PC,
    STATE, RELATIVE, ABSOLUTE, THREAD, USEC, SHORT, LONG, OPERATION, MODULE,
    QUERY_TEXT, ROOT, PARENT, CHILD, THREADS };
const char *const trace_keys[] = { "type", "execution_id", "server_session",
    "client", "tag", "mal_execution_id", "pc", "execution_state",
    "relative_time", "absolute_time", "thread", "usec", "short_statement",
    "long_statement", "instruction", "mal_module", "query_text",
    "root_execution_id", "parent_id", "child_id", "threads", NULL };

/* Sums of times stay below this, so that nobody looks for overflow. */
#define TIME_MOST (INT64_C(1) << REC_INT_BITS)

static struct span
session_key(const void *owner, uint32_t i)
{
	const struct trace *t = owner;

	return span_bytes(&t->sessions[i].key, sizeof t->sessions[i].key);
}

static struct span
execution_key(const void *owner, uint32_t i)
{
	const struct trace *t = owner;

	return span_bytes(&t->executions[i].key,
	    sizeof t->executions[i].key);
}

static struct span
open_key(const void *owner, uint32_t i)
{
	const struct trace *t = owner;

	return span_bytes(&t->open[i].key, sizeof t->open[i].key);
}

void
trace_init(struct trace *t)
{
	*t = (struct trace){ .number = 0 };
	intern_init(&t->names);
	map_init(&t->by_key, session_key, t);
	map_init(&t->by_id, execution_key, t);
	map_init(&t->by_place, open_key, t);
}

void
trace_release(struct trace *t)
{
	intern_release(&t->names);
	map_release(&t->by_key);
	map_release(&t->by_id);
	map_release(&t->by_place);
	free(t->sessions);
	free(t->executions);
	free(t->open);
	free(t->instances);
	free(t->workers);
}

static uint32_t
find_session(struct trace *t, sym name, uint64_t trace)
{
	struct session s = { .key = { name, trace }, .workers = INT_UNKNOWN };
	uint32_t next = (uint32_t)t->n_sessions;
	uint32_t i = map_find_or_add(&t->by_key,
	    span_bytes(&s.key, sizeof s.key), next);

	if (i != next)
		return i;
	t->sessions = mem_grow(t->sessions, &t->sessions_cap,
	    t->n_sessions + 1, sizeof *t->sessions);
	t->sessions[t->n_sessions++] = s;
	return i;
}

/* The place of an execution, which may have no row of its own yet. */
static uint32_t
find_execution(struct trace *t, int64_t id)
{
	struct execution x = { .tag = INT_UNKNOWN, .parent = INDEX_NONE,
	    .query = SYM_NONE };
	uint32_t i, next = (uint32_t)t->n_executions;

	x.key.trace = t->number;
	x.key.id = id;
	i = map_find_or_add(&t->by_id, span_bytes(&x.key, sizeof x.key), next);
	if (i != next)
		return i;
	t->executions = mem_grow(t->executions, &t->executions_cap,
	    t->n_executions + 1, sizeof *t->executions);
	x.session = find_session(t, SYM_NONE, t->number);
	t->executions[t->n_executions++] = x;
	return i;
}

static struct open *
find_open(struct trace *t, uint32_t execution, int64_t pc)
{
	struct open o = { .is_open = false };
	uint32_t i, next = (uint32_t)t->n_open;

	o.key.execution = execution;
	o.key.pc = pc;
	i = map_find_or_add(&t->by_place, span_bytes(&o.key, sizeof o.key),
	    next);
	if (i != next)
		return &t->open[i];
	t->open = mem_grow(t->open, &t->open_cap, t->n_open + 1,
	    sizeof *t->open);
	t->open[t->n_open++] = o;
	return &t->open[i];
}

/* True, and the row rejected, if a value is not what it must be. */
static bool
is_wrong(struct filter *f, enum rec_found found, unsigned key,
    const char *must_be)
{
	if (found == REC_BAD)
		filter_reject(f, "%s is no %s", trace_keys[key], must_be);
	return found == REC_BAD;
}

/* A number, INT_UNKNOWN if absent; false if it is rejected. */
static bool
number(struct filter *f, const struct rec *r, unsigned key, int64_t *value)
{
	*value = INT_UNKNOWN;
	return !is_wrong(f, rec_int(r, key, value), key,
	    "integer below 2^53");
}

/* The same for what must be there. */
static bool
need(struct filter *f, const struct rec *r, unsigned key, int64_t *value)
{
	if (!number(f, r, key, value))
		return false;
	if (*value == INT_UNKNOWN)
		filter_reject(f, "no %s", trace_keys[key]);
	return *value != INT_UNKNOWN;
}

/* A text, empty if absent; false if it is rejected. */
static bool
text(struct filter *f, const struct rec *r, unsigned key, struct span *s)
{
	*s = span_of("", 0);
	return !is_wrong(f, rec_str(r, key, s), key, "string");
}

static void
add_execution(struct trace *t, struct filter *f, const struct rec *r)
{
	struct span session, client;
	struct execution *x;
	int64_t id, tag;
	uint32_t place;

	if (!need(f, r, EXECUTION, &id) || !text(f, r, SESSION, &session) ||
	    !text(f, r, CLIENT, &client) || !number(f, r, TAG, &tag))
		return;
	place = find_execution(t, id);
	x = &t->executions[place];
	if (x->has_row) {
		filter_reject(f, "execution_id %lld comes twice",
		    (long long)id);
		return;
	}
	x->has_row = true;
	x->only_ends = session.n == 0 && client.n > 0;
	x->tag = tag;
	if (session.n > 0)
		x->session = find_session(t, intern_add(&t->names, session),
		    ANY_TRACE);
	else if (client.n > 0)
		x->session = find_session(t, intern_add(&t->names, client),
		    t->number);
}

static enum instance_kind
kind_of(int64_t pc, struct span module, struct span operation)
{
	if (pc == 0)
		return KIND_PLAN;
	if (span_eq(module, "language") && span_eq(operation, "dataflow"))
		return KIND_DATAFLOW;
	return span_eq(module, "user") ? KIND_CALL : KIND_WORK;
}

struct event {
	int64_t execution, pc, state, relative_us, absolute_us, thread, usec;
	struct span module, operation, statement;
};

static bool
read_event(struct filter *f, const struct rec *r, struct event *e)
{
	struct span long_one;

	if (!need(f, r, EVENT_EXECUTION, &e->execution) ||
	    !need(f, r, PC, &e->pc) || !need(f, r, STATE, &e->state) ||
	    !number(f, r, RELATIVE, &e->relative_us) ||
	    !number(f, r, ABSOLUTE, &e->absolute_us) ||
	    !number(f, r, THREAD, &e->thread) ||
	    !number(f, r, USEC, &e->usec) ||
	    !text(f, r, MODULE, &e->module) ||
	    !text(f, r, OPERATION, &e->operation) ||
	    !text(f, r, SHORT, &e->statement) || !text(f, r, LONG, &long_one))
		return false;
	if (e->statement.n == 0)
		e->statement = long_one;
	if (e->pc < 0)
		filter_reject(f, "pc %lld is below 0", (long long)e->pc);
	else if (e->state < 0 || e->state > 2)
		filter_reject(f, "execution_state %lld is neither 0, 1 nor 2",
		    (long long)e->state);
	else
		return true;
	return false;
}

static void
add_instance(struct trace *t, const struct event *e, const struct open *o,
    int64_t end_us)
{
	struct instance i = { .execution = (uint32_t)o->key.execution,
	    .pc = o->key.pc, .thread = e->thread, .start_us = o->start_us,
	    .end_us = end_us, .server_us = e->usec, .statement = SYM_NONE };

	if (!o->is_open) {
		i.has_no_start = true;
		i.start_us = e->usec == INT_UNKNOWN ? end_us : end_us - e->usec;
	}
	if (i.start_us > i.end_us)
		i.start_us = i.end_us;	/* the clock was set back */
	i.kind = kind_of(i.pc, e->module, e->operation);
	i.operation = mal_operation(&t->names, e->module, e->operation);
	if (e->statement.n > 0)
		i.statement = intern_add(&t->names, e->statement);
	if (t->n == UINT32_MAX)
		die("too many instances");
	t->instances = mem_grow(t->instances, &t->cap, t->n + 1,
	    sizeof *t->instances);
	t->instances[t->n++] = i;
}

/* INT_UNKNOWN if the event has no time by the clock of its execution. */
static int64_t
time_of(const struct event *e, struct execution *x)
{
	if (x->clock == CLOCK_UNKNOWN && e->relative_us != INT_UNKNOWN)
		x->clock = CLOCK_RELATIVE;
	else if (x->clock == CLOCK_UNKNOWN && e->absolute_us != INT_UNKNOWN)
		x->clock = CLOCK_ABSOLUTE;
	return x->clock == CLOCK_ABSOLUTE ? e->absolute_us : e->relative_us;
}

static void
add_event(struct trace *t, struct filter *f, const struct rec *r)
{
	uint32_t execution;
	struct event e;
	struct open *o;
	int64_t now_us;

	if (!read_event(f, r, &e))
		return;
	t->n_events++;
	execution = find_execution(t, e.execution);
	now_us = time_of(&e, &t->executions[execution]);
	if (now_us == INT_UNKNOWN) {
		t->n_no_clock++;
		return;
	}
	o = find_open(t, execution, e.pc);
	if (e.state == 0) {
		t->n_restarted += o->is_open;
		o->is_open = true;
		o->start_us = now_us;
	} else if (e.state == 1) {
		add_instance(t, &e, o, now_us);
		o->is_open = false;
	}
}

static void
add_query(struct trace *t, struct filter *f, const struct rec *r)
{
	struct span query;
	uint32_t place;
	int64_t id;

	if (!need(f, r, ROOT, &id) || !text(f, r, QUERY_TEXT, &query))
		return;
	place = find_execution(t, id);
	if (query.n > 0)
		t->executions[place].query = intern_add(&t->names, query);
}

static void
add_link(struct trace *t, struct filter *f, const struct rec *r)
{
	int64_t parent, child;
	uint32_t from, to;

	if (!need(f, r, PARENT, &parent) || !need(f, r, CHILD, &child))
		return;
	from = find_execution(t, parent);
	to = find_execution(t, child);
	if (from != to && t->executions[to].parent == INDEX_NONE)
		t->executions[to].parent = from;
}

/* What two say of one number: 0 if they differ, INT_UNKNOWN if neither knows. */
static int64_t
agreed(int64_t a, int64_t b)
{
	return a == INT_UNKNOWN ? b : b == INT_UNKNOWN || a == b ? a : 0;
}

static void
add_server(struct trace *t, struct filter *f, const struct rec *r)
{
	int64_t workers;

	if (!number(f, r, THREADS, &workers))
		return;
	t->workers = mem_grow(t->workers, &t->workers_cap, t->number + 1,
	    sizeof *t->workers);
	while (t->n_workers <= t->number)
		t->workers[t->n_workers++] = INT_UNKNOWN;
	t->workers[t->number] = agreed(t->workers[t->number], workers);
}

/* A session's workers are those of the servers of its traces, if of one. */
static void
find_workers(struct trace *t)
{
	const struct execution *x = t->executions;
	int64_t *workers;

	for (; x < t->executions + t->n_executions; x++) {
		workers = &t->sessions[x->session].workers;
		if (x->key.trace < t->n_workers)
			*workers = agreed(*workers,
			    t->workers[x->key.trace]);
	}
}

void
trace_add(struct trace *t, struct filter *f, const struct rec *r)
{
	if (rec_is(r, "profiler_event"))
		add_event(t, f, r);
	else if (rec_is(r, "mal_execution"))
		add_execution(t, f, r);
	else if (rec_is(r, "query"))
		add_query(t, f, r);
	else if (rec_is(r, "initiates_executions"))
		add_link(t, f, r);
	else if (rec_is(r, "server"))
		add_server(t, f, r);
	else if (rec_is(r, "trace"))
		t->number++;
}

/* Dones without a start stay only where starts are never told. */
static void
drop_starless(struct trace *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->instances[i].has_no_start && !t->executions[
		    t->instances[i].execution].only_ends)
			t->n_no_start++;
		else
			t->instances[kept++] = t->instances[i];
	t->n = kept;
	for (size_t i = 0; i < t->n_open; i++)
		t->n_unfinished += t->open[i].is_open;
}

struct span
trace_session_name(const struct trace *t, uint32_t session)
{
	sym name = (sym)t->sessions[session].key.name;

	return name == SYM_NONE ? span_of("", 0) :
	    intern_span(&t->names, name);
}

int
trace_compare_sessions(const struct trace *t, uint32_t a, uint32_t b)
{
	const struct session *x = &t->sessions[a], *y = &t->sessions[b];

	if (x->key.name == y->key.name)
		return cmp_u64(x->key.trace, y->key.trace);
	return intern_cmp(&t->names, (sym)x->key.name, (sym)y->key.name);
}

int
trace_compare_executions(const struct trace *t, uint32_t a, uint32_t b)
{
	const struct execution *x = &t->executions[a], *y = &t->executions[b];

	if (x->key.trace != y->key.trace)
		return cmp_u64(x->key.trace, y->key.trace);
	return cmp_i64(x->key.id, y->key.id);
}

static uint32_t
session_of(const struct trace *t, const struct instance *i)
{
	return t->executions[i->execution].session;
}

/*
 * By lane, and there as they open: of two that begin at once the longer, and a
 * container before its work.  It is a total order but for what is the same.
 */
static int
compare_instances(const void *a, const void *b, void *trace)
{
	const struct trace *t = trace;
	const struct instance *x = a, *y = b;
	int64_t at[][2] = { { trace_compare_sessions(t,
	    session_of(t, x), session_of(t, y)), 0 },
	    { x->thread, y->thread }, { x->start_us, y->start_us },
	    { y->end_us, x->end_us }, { trace_compare_executions(t,
	    x->execution, y->execution), 0 }, { x->pc, y->pc },
	    { y->kind, x->kind },
	    { intern_cmp(&t->names, x->operation, y->operation), 0 },
	    { x->server_us, y->server_us }, { intern_cmp(&t->names,
	    x->statement, y->statement), 0 } };

	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		if (at[i][0] != at[i][1])
			return at[i][0] < at[i][1] ? -1 : 1;
	return 0;
}

/* The instances of a lane stand together. */
static void
number_lanes(struct trace *t)
{
	struct instance *i = t->instances;

	for (size_t k = 1; k < t->n; k++)
		i[k].lane = i[k - 1].lane + (i[k].thread != i[k - 1].thread ||
		    session_of(t, &i[k]) != session_of(t, &i[k - 1]));
}

void
trace_settle(struct trace *t)
{
	int64_t sum = 0;

	drop_starless(t);
	for (size_t i = 0; i < t->n; i++) {
		sum += t->instances[i].end_us - t->instances[i].start_us;
		if (sum > TIME_MOST)
			die("the times of all instances add up to too much");
	}
	sort_with(t->instances, t->n, sizeof *t->instances, compare_instances,
	    t);
	number_lanes(t);
	find_workers(t);
}
