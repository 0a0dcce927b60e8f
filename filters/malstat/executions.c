/* executions - finds the instances of instructions in rows of traces */

#include <stdlib.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/filter/filter-get.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/mal/operation.h"
#include "filters/malstat/malstat.h"

/* An instruction of an execution, with its open instance if there is one. */
struct instruction {
	bool is_open;
	int64_t start_us;		/* of the open instance */
};

/* What the rows of a heartbeat say. */
struct heartbeat {
	uint32_t session;		/* or INDEX_NONE */
	int64_t n_cores;		/* rows of cpuload */
};

/* Indexes in executions_keys. */
#define EXECUTIONS_KEYS(K)						\
	K(EXECUTION, "execution_id") K(SESSION, "server_session")	\
	K(CLIENT, "client") K(TAG, "tag")				\
	K(EVENT_EXECUTION, "mal_execution_id") K(PC, "pc")		\
	K(STATE, "execution_state") K(RELATIVE, "relative_time")	\
	K(ABSOLUTE, "absolute_time") K(THREAD, "thread")		\
	K(USEC, "usec") K(SHORT, "short_statement")			\
	K(LONG, "long_statement") K(OPERATION, "instruction")		\
	K(MODULE, "mal_module") K(QUERY_TEXT, "query_text")		\
	K(ROOT, "root_execution_id") K(PARENT, "parent_id")		\
	K(CHILD, "child_id") K(THREADS, "threads")			\
	K(FUNCTION, "user_function") K(LOCAL, "local_time")		\
	K(EVENT_ID, "event_id") K(VARIABLE_ID, "variable_id")		\
	K(CREATED, "created") K(REASSIGNED, "reassigned")		\
	K(COUNT, "var_count") K(ESTIMATE, "nestimate")			\
	K(HEARTBEAT, "heartbeat_id") K(N_CORES, "cores")		\
	K(FAILED, "failed")
KEY_INDEXES(EXECUTIONS_KEYS);
const char *const executions_keys[] = KEY_TEXTS(EXECUTIONS_KEYS);

/* The values of execution_state. */
enum { STATE_START, STATE_DONE, STATE_PAUSE };

void
executions_init(struct trace *t)
{
	*t = (struct trace){ .number = 0 };
	intern_init(&t->names);
	intern_init(&t->session_keys);
	intern_init(&t->execution_keys);
	intern_init(&t->instruction_keys);
	intern_init(&t->heartbeat_keys);
	intern_init(&t->hashes);
	variables_init(&t->variables);
}

static uint32_t
find_session(struct trace *t, sym name, uint64_t trace)
{
	uint32_t i = intern_pair(&t->session_keys, trace, name);

	if (i == t->n_sessions) {
		t->sessions = mem_grow(t->sessions, &t->sessions_cap,
		    t->n_sessions + 1, sizeof *t->sessions);
		t->sessions[t->n_sessions++] = (struct session){
		    .key = { name, trace }, .workers = INT_UNKNOWN,
		    .local_us = INT_UNKNOWN };
	}
	return i;
}

/*
 * The index of the execution with this id in the current trace.  Its own row
 * may come later, or not at all: until then it is in the trace's session
 * without a name.
 */
static uint32_t
find_execution(struct trace *t, int64_t id)
{
	uint32_t i = intern_pair(&t->execution_keys, t->number, id);

	if (i == t->n_executions) {
		t->executions = mem_grow(t->executions, &t->executions_cap,
		    t->n_executions + 1, sizeof *t->executions);
		t->executions[t->n_executions++] = (struct execution){
		    .key = { t->number, id }, .tag = INT_UNKNOWN,
		    .session = find_session(t, SYM_NONE, t->number),
		    .parent = INDEX_NONE, .function = SYM_NONE,
		    .query = SYM_NONE };
	}
	return i;
}

static struct instruction *
find_instruction(struct trace *t, uint32_t execution, int64_t pc)
{
	uint32_t i = intern_pair(&t->instruction_keys, execution, pc);

	if (i == t->n_instructions) {
		t->instructions = mem_grow(t->instructions,
		    &t->instructions_cap, t->n_instructions + 1,
		    sizeof *t->instructions);
		t->instructions[t->n_instructions++] = (struct instruction){
		    .is_open = false };
	}
	return &t->instructions[i];
}

static void
add_execution(struct trace *t, struct filter *f, const struct rec *r)
{
	struct span session, client, function;
	struct execution *x;
	int64_t id, tag;
	uint32_t i;

	if (!filter_need_int(f, r, EXECUTION, &id) ||
	    !filter_get_str(f, r, SESSION, &session) ||
	    !filter_get_str(f, r, CLIENT, &client) ||
	    !filter_get_int(f, r, TAG, &tag) ||
	    !filter_get_str(f, r, FUNCTION, &function))
		return;
	i = find_execution(t, id);
	x = &t->executions[i];
	if (x->has_row) {
		filter_reject(f, "execution_id %lld occurs twice",
		    (long long)id);
		return;
	}
	x->has_row = true;
	x->names_session = session.n > 0;
	x->names_client = client.n > 0;
	x->tag = tag;
	if (function.n > 0)
		x->function = intern_add(&t->names, function);
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

/* A row of profiler_event.  All numbers but the first three may be unknown. */
struct event {
	int64_t execution, pc, state, relative_us, absolute_us, thread, usec;
	int64_t id;
	struct span local_time, module, operation, statement;	/* or empty */
};

static bool
read_event(struct filter *f, const struct rec *r, struct event *e)
{
	struct span long_statement;

	if (!filter_need_int(f, r, EVENT_EXECUTION, &e->execution) ||
	    !filter_need_int(f, r, PC, &e->pc) ||
	    !filter_need_int(f, r, STATE, &e->state) ||
	    !filter_get_int(f, r, RELATIVE, &e->relative_us) ||
	    !filter_get_int(f, r, ABSOLUTE, &e->absolute_us) ||
	    !filter_get_int(f, r, THREAD, &e->thread) ||
	    !filter_get_int(f, r, USEC, &e->usec) ||
	    !filter_get_int(f, r, EVENT_ID, &e->id) ||
	    !filter_get_str(f, r, MODULE, &e->module) ||
	    !filter_get_str(f, r, OPERATION, &e->operation) ||
	    !filter_get_str(f, r, SHORT, &e->statement) ||
	    !filter_get_str(f, r, LONG, &long_statement))
		return false;
	if (e->statement.n == 0)
		e->statement = long_statement;
	/* Like a text that is not a time, another type is not a clock. */
	if (rec_str(r, LOCAL, &e->local_time) != REC_OK)
		e->local_time = span_of("", 0);
	if (e->pc < 0)
		filter_reject(f, "pc %lld is below 0", (long long)e->pc);
	else if (e->state < STATE_START || e->state > STATE_PAUSE)
		filter_reject(f, "execution_state %lld is not 0, 1 or 2",
		    (long long)e->state);
	else
		return true;
	return false;
}

/* Adds the instance of an instruction that the event ends. */
static void
add_instance(struct trace *t, uint32_t execution, const struct event *e,
    const struct instruction *of, int64_t end_us)
{
	struct instance i = { .execution = execution, .pc = e->pc,
	    .event_id = e->id, .thread = e->thread,
	    .start_us = of->start_us, .end_us = end_us,
	    .server_us = e->usec, .statement = SYM_NONE,
	    .is_untimed = end_us == INT_UNKNOWN };

	/* A row of TRACE says how long the instruction took, and not when. */
	if (i.is_untimed)
		end_us = i.end_us = e->usec;

	if (!of->is_open) {
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

/* The microseconds from midnight to "HH:MM:SS.uuuuuu"; or INT_UNKNOWN. */
static int64_t
time_of_day(struct span s)
{
	static const char form[] = "00:00:00.000000";
	int64_t parts[4] = { 0 };	/* separated by what is not a digit */
	size_t part = 0;

	if (s.n != sizeof form - 1)
		return INT_UNKNOWN;
	for (size_t i = 0; i < s.n; i++)
		if (form[i] == '0' && text_is_digit(s.p[i]))
			parts[part] = 10 * parts[part] + (s.p[i] - '0');
		else if (form[i] == s.p[i])
			part++;
		else
			return INT_UNKNOWN;
	return ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1000000 +
	    parts[3];
}

/* The time of an event by the clock of its execution, or INT_UNKNOWN. */
static int64_t
time_of(struct trace *t, const struct event *e, struct execution *x)
{
	const int64_t day_us = INT64_C(24) * 60 * 60 * 1000000;
	struct session *s = &t->sessions[x->session];
	int64_t us;

	if (x->clock == CLOCK_UNKNOWN)
		x->clock = e->relative_us != INT_UNKNOWN ? CLOCK_RELATIVE :
		    e->absolute_us != INT_UNKNOWN ? CLOCK_ABSOLUTE :
		    e->local_time.n > 0 ? CLOCK_LOCAL : CLOCK_UNKNOWN;
	if (x->clock != CLOCK_LOCAL)
		return x->clock == CLOCK_ABSOLUTE ? e->absolute_us :
		    e->relative_us;

	us = time_of_day(e->local_time);
	if (us == INT_UNKNOWN)
		return INT_UNKNOWN;
	if (s->local_us != INT_UNKNOWN) {
		us += s->local_us / day_us * day_us;
		if (us > s->local_us + day_us / 2)
			us -= day_us;
		else if (us < s->local_us - day_us / 2)
			us += day_us;
	}
	s->local_us = us;
	return us;
}

static void
add_event(struct trace *t, struct filter *f, const struct rec *r)
{
	uint32_t execution;
	struct event e;
	struct instruction *i;
	int64_t now_us;

	if (!read_event(f, r, &e))
		return;
	t->n_events++;
	execution = find_execution(t, e.execution);
	now_us = time_of(t, &e, &t->executions[execution]);
	if (now_us == INT_UNKNOWN) {
		t->n_no_clock++;
		if (t->executions[execution].clock != CLOCK_UNKNOWN ||
		    e.state != STATE_DONE || e.usec == INT_UNKNOWN)
			return;
	}
	if (e.pc == 0)	/* until executions_finish() finds its instance */
		t->executions[execution].is_partial = true;
	i = find_instruction(t, execution, e.pc);
	if (e.state == STATE_START) {
		t->executions[execution].has_starts = true;
		t->n_restarted += i->is_open;
		i->is_open = true;
		i->start_us = now_us;
	} else if (e.state == STATE_DONE) {
		add_instance(t, execution, &e, i, now_us);
		i->is_open = false;
	}
}

static void
add_query(struct trace *t, struct filter *f, const struct rec *r)
{
	struct span query;
	uint32_t i;
	int64_t id;

	if (!filter_need_int(f, r, ROOT, &id) ||
	    !filter_get_str(f, r, QUERY_TEXT, &query))
		return;
	i = find_execution(t, id);
	t->executions[i].is_query = true;
	if (query.n > 0)
		t->executions[i].query = intern_add(&t->names, query);
}

static void
add_link(struct trace *t, struct filter *f, const struct rec *r)
{
	int64_t parent_id, child_id;
	uint32_t parent, child;

	if (!filter_need_int(f, r, PARENT, &parent_id) ||
	    !filter_need_int(f, r, CHILD, &child_id))
		return;
	parent = find_execution(t, parent_id);
	child = find_execution(t, child_id);
	if (parent != child && t->executions[child].parent == INDEX_NONE)
		t->executions[child].parent = parent;
}

/*
 * Rows of servers do not name a session, which so has the number of workers on
 * which all such rows of its traces agree.
 *
 * Combines the numbers of two rows or traces: INT_UNKNOWN if neither is known,
 * 0 if they differ.
 */
static int64_t
combine_workers(int64_t a, int64_t b)
{
	return a == INT_UNKNOWN ? b : b == INT_UNKNOWN || a == b ? a : 0;
}

static void
add_server(struct trace *t, struct filter *f, const struct rec *r)
{
	uint32_t i = find_session(t, SYM_NONE, t->number);
	struct session *s = &t->sessions[i];
	int64_t workers;

	if (filter_get_int(f, r, THREADS, &workers))
		s->workers = combine_workers(s->workers, workers);
}

/* A heartbeat has a row for each core; a database has counted these rows. */
static void
add_heartbeat(struct trace *t, struct filter *f, const struct rec *r)
{
	struct heartbeat *h;
	struct span session;
	uint32_t i;
	int64_t id, n_cores = rec_is(r, "cpuload");

	if (!filter_need_int(f, r, HEARTBEAT, &id) ||
	    !filter_get_str(f, r, SESSION, &session))
		return;
	i = intern_pair(&t->heartbeat_keys, t->number, id);
	if (i == t->n_heartbeats) {
		t->heartbeats = mem_grow(t->heartbeats, &t->heartbeats_cap,
		    t->n_heartbeats + 1, sizeof *t->heartbeats);
		t->heartbeats[t->n_heartbeats++] = (struct heartbeat){
		    .session = INDEX_NONE };
	}
	h = &t->heartbeats[i];
	if (session.n > 0)
		h->session = find_session(t, intern_add(&t->names, session),
		    ANY_TRACE);
	rec_int(r, N_CORES, &n_cores);
	h->n_cores += n_cores;
}

/* Flags are 1 in a database. */
static bool
is_set(const struct rec *r, unsigned key)
{
	int64_t n;

	return rec_true(r, key) || (rec_int(r, key, &n) == REC_OK && n == 1);
}

static void
add_phase(struct trace *t, struct filter *f, const struct rec *r)
{
	int64_t id;

	if (is_set(r, FAILED) && filter_need_int(f, r, EVENT_EXECUTION, &id))
		t->executions[find_execution(t, id)].has_failed = true;
}

/* A number of rows, which may be an estimate such as 1.5e+06; -1 if unknown. */
static double
number_of(const struct rec *r, unsigned key)
{
	const struct field *f = rec_get(r, key);

	/* What follows a number in JSON ends it for strtod(), too. */
	return f != NULL && f->kind == REC_NUMBER ? strtod(f->token.p, NULL) :
	    -1;
}

static void
add_use(struct trace *t, struct filter *f, const struct rec *r)
{
	int64_t event, variable;

	if (t->has_variables && filter_need_int(f, r, EVENT_ID, &event) &&
	    filter_need_int(f, r, VARIABLE_ID, &variable))
		variables_add_use(&t->variables, t->number, event, variable,
		    is_set(r, CREATED) || is_set(r, REASSIGNED));
}

static void
add_variable(struct trace *t, struct filter *f, const struct rec *r)
{
	int64_t variable;

	if (t->has_variables && filter_need_int(f, r, VARIABLE_ID, &variable))
		variables_add(&t->variables, t->number, variable,
		    number_of(r, COUNT), number_of(r, ESTIMATE));
}

/* Called when all rows of a trace have been added. */
static void
end_trace(struct trace *t)
{
	size_t n = t->hashes.n;

	if (t->hash != 0)	/* the trace has rows */
		t->n_copies += intern_add(&t->hashes, span_bytes(&t->hash,
		    sizeof t->hash)) < n;
	t->hash = 0;
}

bool
executions_add(struct trace *t, struct filter *f, const struct rec *r)
{
	bool begins = rec_is(r, "trace");

	if (begins)
		end_trace(t);
	else
		t->hash = t->hash * 31 + map_hash(f->current.p, f->current.n);
	/* Most rows are of these types. */
	if (rec_is(r, "event_variable_list"))
		add_use(t, f, r);
	else if (rec_is(r, "profiler_event"))
		add_event(t, f, r);
	else if (rec_is(r, "mal_variable"))
		add_variable(t, f, r);
	else if (rec_is(r, "mal_execution"))
		add_execution(t, f, r);
	else if (rec_is(r, "query"))
		add_query(t, f, r);
	else if (rec_is(r, "initiates_executions"))
		add_link(t, f, r);
	else if (rec_is(r, "server"))
		add_server(t, f, r);
	else if (rec_is(r, "heartbeat") || rec_is(r, "cpuload"))
		add_heartbeat(t, f, r);
	else if (rec_is(r, "query_phase"))
		add_phase(t, f, r);
	else if (begins)
		t->number++;
	else
		return false;
	return true;
}

struct span
executions_session_name(const struct trace *t, uint32_t session)
{
	sym name = (sym)t->sessions[session].key.name;

	return name == SYM_NONE ? span_of("", 0) :
	    intern_span(&t->names, name);
}

int
executions_compare_sessions(const struct trace *t, uint32_t a, uint32_t b)
{
	const struct session *x = &t->sessions[a], *y = &t->sessions[b];

	return intern_cmp(&t->names, (sym)x->key.name, (sym)y->key.name) ?:
	    cmp_u64(x->key.trace, y->key.trace);
}

int
executions_compare_executions(const struct trace *t, uint32_t a, uint32_t b)
{
	const struct execution *x = &t->executions[a], *y = &t->executions[b];

	return cmp_u64(x->key.trace, y->key.trace) ?:
	    cmp_i64(x->key.id, y->key.id);
}

static uint32_t
session_of(const struct trace *t, const struct instance *i)
{
	return t->executions[i->execution].session;
}

/*
 * By session and thread, those that are untimed last; then outer instances
 * before inner ones: by start, and for equal starts by end and later by kind,
 * both descending (x and y swapped).
 * The other keys make the order independent of the order of the rows: only
 * equal instances compare equal.
 */
static int
compare_instances(const void *a, const void *b, void *context)
{
	const struct trace *t = context;
	const struct instance *x = a, *y = b;

	return executions_compare_sessions(t, session_of(t, x),
	    session_of(t, y)) ?:
	    cmp_u64(x->is_untimed, y->is_untimed) ?:
	    cmp_i64(x->thread, y->thread) ?:
	    cmp_i64(x->start_us, y->start_us) ?:
	    cmp_i64(y->end_us, x->end_us) ?:
	    executions_compare_executions(t, x->execution, y->execution) ?:
	    cmp_i64(x->pc, y->pc) ?: cmp_u64(y->kind, x->kind) ?:
	    intern_cmp(&t->names, x->operation, y->operation) ?:
	    cmp_i64(x->server_us, y->server_us) ?:
	    intern_cmp(&t->names, x->statement, y->statement);
}

void
executions_finish(struct trace *t)
{
	struct execution *x = t->executions, *of;
	struct instance *i = t->instances;
	int64_t sum_us = 0, *workers, *cores;
	size_t n_kept = 0;
	uint32_t unnamed;

	end_trace(t);
	if (t->n_copies > 0)	/* their instances count twice */
		err_warn("warning: %llu trace%s the same rows as another: was "
		    "it given twice?", (unsigned long long)t->n_copies,
		    plural(t->n_copies, " has", "s have"));
	variables_finish(&t->variables);
	for (size_t k = 0; k < t->n; k++) {
		of = &x[i[k].execution];
		if (i[k].is_untimed && of->clock != CLOCK_UNKNOWN)
			continue;
		if (i[k].has_no_start && (of->names_session ||
		    (of->has_starts && !of->names_client))) {
			t->n_no_start++;
			continue;
		}
		if (i[k].pc == 0)
			x[i[k].execution].is_partial = false;
		/* Limited so that sums of times cannot overflow. */
		sum_us += i[k].end_us - i[k].start_us;
		if (sum_us > INT64_C(1) << REC_INT_BITS)
			die("the sum of all instances' times exceeds 2^53 us");
		i[n_kept++] = i[k];
	}
	t->n = n_kept;
	for (size_t k = 0; k < t->n_instructions; k++)
		t->n_unfinished += t->instructions[k].is_open;

	/* The instances of each lane are adjacent. */
	sort_with(i, t->n, sizeof *i, compare_instances, t);
	for (size_t k = 1; k < t->n; k++)
		i[k].lane = i[k - 1].lane + (i[k].is_untimed ||
		    i[k].thread != i[k - 1].thread ||
		    session_of(t, &i[k]) != session_of(t, &i[k - 1]));

	for (size_t k = 0; k < t->n_heartbeats; k++)
		if (t->heartbeats[k].session != INDEX_NONE) {
			cores = &t->sessions[t->heartbeats[k].session].cores;
			*cores = time_later(*cores, t->heartbeats[k].n_cores);
		}

	/* All traces that have executions of a session count. */
	for (; x < t->executions + t->n_executions; x++) {
		unnamed = find_session(t, SYM_NONE, x->key.trace);
		workers = &t->sessions[x->session].workers;
		*workers = combine_workers(*workers,
		    t->sessions[unnamed].workers);
	}
}
