/* trace - the instances of instructions in rows of traces */

#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/filter.h"
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
execution_key(const void *owner, uint32_t i)
{
	const struct trace *t = owner;

	return span_of((const void *)&t->executions[i].key,
	    sizeof t->executions[i].key);
}

static struct span
open_key(const void *owner, uint32_t i)
{
	const struct trace *t = owner;

	return span_of((const void *)&t->open[i].key, sizeof t->open[i].key);
}

void
trace_init(struct trace *t)
{
	*t = (struct trace){ .number = 0 };
	intern_init(&t->names);
	map_init(&t->by_id, execution_key, t);
	map_init(&t->by_place, open_key, t);
}

void
trace_release(struct trace *t)
{
	intern_release(&t->names);
	map_release(&t->by_id);
	map_release(&t->by_place);
	free(t->executions);
	free(t->open);
	free(t->instances);
	free(t->lanes);
}

/* The place of an execution, which may have no row of its own yet. */
static uint32_t
find_execution(struct trace *t, int64_t id)
{
	struct execution x = { .session = SYM_NONE, .tag = UNKNOWN,
	    .parent = MAP_NONE, .query = SYM_NONE };
	uint64_t hash;
	uint32_t i;

	x.key.trace = t->number;
	x.key.id = id;
	hash = map_hash((const char *)&x.key, sizeof x.key);
	i = map_get(&t->by_id, hash, span_of((const char *)&x.key,
	    sizeof x.key));
	if (i != MAP_NONE)
		return i;
	t->executions = mem_grow(t->executions, &t->executions_cap,
	    t->n_executions + 1, sizeof *t->executions);
	i = (uint32_t)t->n_executions++;
	t->executions[i] = x;
	map_put(&t->by_id, hash, i);
	return i;
}

static struct open *
find_open(struct trace *t, uint32_t execution, int64_t pc)
{
	struct open o = { .is_open = false };
	uint64_t hash;
	uint32_t i;

	o.key.execution = execution;
	o.key.pc = pc;
	hash = map_hash((const char *)&o.key, sizeof o.key);
	i = map_get(&t->by_place, hash, span_of((const char *)&o.key,
	    sizeof o.key));
	if (i != MAP_NONE)
		return &t->open[i];
	t->open = mem_grow(t->open, &t->open_cap, t->n_open + 1,
	    sizeof *t->open);
	i = (uint32_t)t->n_open++;
	t->open[i] = o;
	map_put(&t->by_place, hash, i);
	return &t->open[i];
}

/* A number that must be there; what is not is rejected. */
static bool
need(struct filter *f, const struct rec *r, unsigned key, int64_t *value)
{
	enum rec_found found = rec_int(r, key, value);

	if (found == REC_BAD)
		filter_reject(f, "%s is no integer below 2^53",
		    trace_keys[key]);
	else if (found == REC_ABSENT)
		filter_reject(f, "no %s", trace_keys[key]);
	return found == REC_GOOD;
}

static int64_t
optional(const struct rec *r, unsigned key)
{
	int64_t value;

	return rec_int(r, key, &value) == REC_GOOD ? value : UNKNOWN;
}

static struct span
text(const struct rec *r, unsigned key)
{
	struct span s;

	return rec_str(r, key, &s) == REC_GOOD ? s : span_of(NULL, 0);
}

static void
add_execution(struct trace *t, struct filter *f, const struct rec *r)
{
	struct span session = text(r, SESSION), client = text(r, CLIENT);
	struct execution *x;
	uint32_t place;
	int64_t id;

	if (!need(f, r, EXECUTION, &id))
		return;
	place = find_execution(t, id);
	x = &t->executions[place];
	x->only_ends = session.n == 0 && client.n > 0;
	x->tag = optional(r, TAG);
	if (session.n > 0 || client.n > 0)
		x->session = intern_add(&t->names, session.n > 0 ? session :
		    client);
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

/* "algebra.join", and "." for assignments. */
static sym
name_operation(struct trace *t, struct span module, struct span operation)
{
	struct buf b = { 0 };
	sym name;

	buf_add(&b, module.p, module.n);
	buf_char(&b, '.');
	buf_add(&b, operation.p, operation.n);
	name = intern_add(&t->names, span_of(b.data, b.len));
	buf_release(&b);
	return name;
}

static void
add_instance(struct trace *t, const struct rec *r, const struct open *o,
    int64_t end_us)
{
	struct span module = text(r, MODULE), operation = text(r, OPERATION);
	struct span statement = text(r, SHORT);
	struct instance i = { .execution = (uint32_t)o->key.execution,
	    .pc = o->key.pc, .thread = optional(r, THREAD),
	    .start_us = o->start_us, .end_us = end_us,
	    .server_us = optional(r, USEC), .statement = SYM_NONE };

	if (!o->is_open) {
		i.has_no_start = true;
		i.start_us = i.server_us == UNKNOWN ? end_us :
		    end_us - i.server_us;
	}
	if (i.start_us > i.end_us)
		i.start_us = i.end_us;	/* the clock was set back */
	i.kind = kind_of(i.pc, module, operation);
	i.operation = name_operation(t, module, operation);
	if (statement.n == 0)
		statement = text(r, LONG);
	if (statement.n > 0)
		i.statement = intern_add(&t->names, statement);
	if (t->n == UINT32_MAX)
		die("too many instances");
	t->instances = mem_grow(t->instances, &t->cap, t->n + 1,
	    sizeof *t->instances);
	t->instances[t->n++] = i;
}

static void
add_event(struct trace *t, struct filter *f, const struct rec *r)
{
	int64_t execution, pc, state, now = optional(r, RELATIVE);
	struct open *o;

	if (!need(f, r, EVENT_EXECUTION, &execution) ||
	    !need(f, r, PC, &pc) || !need(f, r, STATE, &state))
		return;
	t->n_events++;
	if (now == UNKNOWN)
		now = optional(r, ABSOLUTE);
	if (now == UNKNOWN || now < 0) {
		t->n_no_clock++;
		return;
	}
	o = find_open(t, find_execution(t, execution), pc);
	if (state == 0) {
		t->n_restarted += o->is_open;
		o->is_open = true;
		o->start_us = now;
	} else if (state == 1) {
		add_instance(t, r, o, now);
		o->is_open = false;
	}
}

static void
add_query(struct trace *t, struct filter *f, const struct rec *r)
{
	struct span query = text(r, QUERY_TEXT);
	struct execution *x;
	uint32_t place;
	int64_t id;

	if (!need(f, r, ROOT, &id))
		return;
	place = find_execution(t, id);
	x = &t->executions[place];
	x->is_query = true;
	if (query.n > 0)
		x->query = intern_add(&t->names, query);
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
	if (from == to || t->executions[to].parent != MAP_NONE)
		return;
	t->executions[to].parent = from;
	t->executions[to].is_child = true;
}

void
trace_add(struct trace *t, struct filter *f, const struct rec *r)
{
	int64_t workers;

	if (rec_is(r, "profiler_event"))
		add_event(t, f, r);
	else if (rec_is(r, "mal_execution"))
		add_execution(t, f, r);
	else if (rec_is(r, "query"))
		add_query(t, f, r);
	else if (rec_is(r, "initiates_executions"))
		add_link(t, f, r);
	else if (rec_is(r, "server") &&
	    rec_int(r, THREADS, &workers) == REC_GOOD && workers > 0)
		t->workers = workers;
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

int
trace_compare_sessions(const struct trace *t, sym a, sym b)
{
	if (a == b)
		return 0;
	if (a == SYM_NONE || b == SYM_NONE)
		return a == SYM_NONE ? -1 : 1;
	return intern_cmp(&t->names, a, b);
}

int
trace_compare_executions(const struct trace *t, uint32_t a, uint32_t b)
{
	const struct execution *x = &t->executions[a], *y = &t->executions[b];

	if (x->key.trace != y->key.trace)
		return x->key.trace < y->key.trace ? -1 : 1;
	return (x->key.id > y->key.id) - (x->key.id < y->key.id);
}

static const struct trace *sorted;	/* qsort has no context */

static sym
session_of(const struct trace *t, const struct instance *i)
{
	return t->executions[i->execution].session;
}

/* By lane, and there as they open: of two that begin at once the longer. */
static int
compare_instances(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;
	int64_t at[][2] = { { trace_compare_sessions(sorted,
	    session_of(sorted, x), session_of(sorted, y)), 0 },
	    { x->thread, y->thread }, { x->start_us, y->start_us },
	    { y->end_us, x->end_us }, { trace_compare_executions(sorted,
	    x->execution, y->execution), 0 }, { x->pc, y->pc } };

	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		if (at[i][0] != at[i][1])
			return at[i][0] < at[i][1] ? -1 : 1;
	return 0;
}

static void
find_lanes(struct trace *t)
{
	struct instance *i = t->instances, *end = i + t->n;
	struct lane *last;

	for (; i < end; i++) {
		last = t->n_lanes == 0 ? NULL : &t->lanes[t->n_lanes - 1];
		if (last == NULL || last->session != session_of(t, i) ||
		    last->thread != i->thread) {
			t->lanes = mem_grow(t->lanes, &t->lanes_cap,
			    t->n_lanes + 1, sizeof *t->lanes);
			t->lanes[t->n_lanes++] = (struct lane){
			    session_of(t, i), i->thread };
		}
		i->lane = (uint32_t)t->n_lanes - 1;
	}
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
	sorted = t;
	if (t->n > 0)
		qsort(t->instances, t->n, sizeof *t->instances,
		    compare_instances);
	find_lanes(t);
}
