/* trace - relates the objects of a profiler to each other */

#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/malparse/malparse.h"

enum { UNKNOWN_WARNINGS_MAX = 10 };

static void
write_execution(struct trace *t, struct execution *x)
{
	if (!x->has_row)
		rows_put_execution(&t->rows, &t->plans, x);
	for (size_t i = 0; i < x->n_variables; i++)
		if (!x->variables[i].has_row)
			rows_put_variable(&t->rows, x, &x->variables[i]);
}

/*
 * A callback (plans.on_remove): completes an execution before it is removed,
 * and writes its tasks if they are wanted.
 */
static void
end_execution(void *context, struct execution *x)
{
	struct trace *t = context;

	links_resolve(&t->links, x);
	write_execution(t, x);
	if (t->rows.discards_rows && (t->query == 0 ||
	    t->query == plans_root(&t->plans, x)))
		plan_tasks_write(t->rows.f, &t->plans, x);
}

void
trace_init(struct trace *t, struct filter *f)
{
	*t = (struct trace){ .n_pcs = 0 };
	rows_init(&t->rows, f);
	plans_init(&t->plans, end_execution, t);
	links_init(&t->links, &t->rows, &t->plans);
	intern_init(&t->unknown);
}

void
trace_end(struct trace *t)
{
	static const char no_event[] = "no event came: is this a trace of "
	    "MonetDB's profiler?";
	struct filter *f = t->rows.f;

	plans_remove_all(&t->plans);
	if (t->n_unknown > 0)
		err_warn("%llu objects of unknown format were ignored",
		    (unsigned long long)t->n_unknown);
	if (t->has_records)
		filter_fail(f, "a stream of weir came, not a trace: malload "
		    "and malstat read the rows of malparse");
	else if (t->n_known == 0 && !f->rejecting.met_foreign &&
	    (t->n_unknown > 0 || f->rejected))
		filter_fail(f, "%s", no_event);
	else if (t->n_known == 0 && !f->rejecting.met_foreign)
		err_warn("warning: %s", no_event);
	if (t->n_repeated > t->n_events / 4)
		err_warn("warning: %llu of %llu events repeat others, with the "
		    "same times: was a trace given twice?",
		    (unsigned long long)t->n_repeated,
		    (unsigned long long)t->n_events);
}

/* Copies a text into the execution's arena, unless *to is already set. */
static void
set_text_once(struct execution *x, struct span *to, struct span text)
{
	if (to->n == 0 && text.n > 0)
		*to = arena_span(&x->arena, text);
}

/* The name or number of the user that a plan runs for. */
static struct span
user_of(const struct rec *r)
{
	static const unsigned keys[] = { E_USER_ID, E_USER };
	const struct field *f;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		f = rec_get(r, keys[i]);
		if (f != NULL && f->kind <= REC_NUMBER)
			return f->text;
	}
	return span_of(NULL, 0);
}

/*
 * Finds the execution of an event or phase, and adds what the event says about
 * it.  *is_first: this is the first event or phase of the execution.
 */
static struct execution *
find_execution(struct trace *t, const struct event *e, bool *is_first)
{
	struct execution *x = plans_find_or_add(&t->plans, e);

	*is_first = x->id == 0;
	if (*is_first)
		x->id = t->rows.next[T_EXECUTION]++;
	if (x->has_row)
		return x;
	set_text_once(x, &x->version, event_text(e->rec, E_VERSION));
	set_text_once(x, &x->user, user_of(e->rec));
	if (e->format >= FORMAT_P && e->pc == 0)
		set_text_once(x, &x->program, e->operation);
	set_text_once(x, &x->program, e->program);
	/* In formats P and R only the last event, of pc 0, states the
	   function. */
	if (e->format < FORMAT_P)
		rows_put_execution(&t->rows, &t->plans, x);
	return x;
}

static void
add_pc(struct trace *t, int64_t pc)
{
	t->pcs = mem_grow(t->pcs, &t->pcs_cap, t->n_pcs + 1, sizeof *t->pcs);
	t->pcs[t->n_pcs++] = pc;
}

/*
 * Whether nothing uses the variable after the event.  The key eol (end of life)
 * is a flag up to format S; since M it is the pc that uses the variable last.
 */
static bool
is_end_of_life(const struct event *e, const struct rec *variable)
{
	int64_t eol;

	if (e->state != STATE_DONE || !event_int(variable, V_EOL, &eol))
		return false;
	return eol == (e->format < FORMAT_M ? 1 : e->pc);
}

/*
 * Derives the prerequisites that formats M and P do not state.  pc 0 does not
 * count: it assigns the arguments of the function.  write_prerequisites() uses
 * the server's own list instead if there is one.  Example:
 *
 *	pc 2	X_1 := sql.bind(...);
 *	pc 5	X_1 := bat.append(X_1, 7);	depends on 2
 *	pc 6	X_2 := aggr.count(X_1);		depends on 5
 */
static void
add_derived_prerequisite(struct trace *t, const struct variable *v,
    const struct event *e, const struct rec *r)
{
	int64_t constant = 0, pc;

	event_int(r, V_CONST, &constant);
	pc = plan_last_assignment(v, e->pc);
	if (constant != 1 && pc > 0)
		add_pc(t, pc);
}

/* The index of a variable in its event; fallback if it is not stated. */
static int64_t
index_of(const struct rec *r, int64_t fallback)
{
	int64_t index;

	return event_int(r, V_INDEX, &index) || event_int(r, V_RET, &index) ||
	    event_int(r, V_ARG, &index) ? index : fallback;
}

/*
 * Whether the row of the variable gets its values from this event.  A string
 * keeps its first value: sql.register writes NUL bytes into its arguments.  A
 * BAT keeps its size when it is nil: `return` ends twice, the second time with
 * nil.
 */
static bool
states_values(const struct variable *v, const struct event *e,
    const struct rec *r, bool is_result)
{
	int64_t bid;

	if (is_result && e->state != STATE_DONE)
		return false;
	if (v->has_bat && event_int(r, V_BID, &bid) && bid <= 0)
		return false;
	if (is_result)
		return true;
	return !v->has_value || !span_eq(event_text(r, KEY_TYPE), "str");
}

static void
use_variables(struct trace *t, struct execution *x, const struct event *e,
    uint64_t event_id)
{
	struct event_variables walk;
	const struct rec *r;
	const char *flag;
	struct variable *v;
	struct span object, name;
	bool is_result, is_new, has_values;
	int64_t bid;

	event_variables_init(&walk, e);
	for (int64_t n = 0; (r = event_next_variable(&walk,
	    t->rows.variables, &object)) != NULL; n++) {
		name = event_variable_name(r);
		if (name.n == 0)
			continue;
		v = plan_find_or_add_variable(x, name, &is_new);
		if (is_new)
			v->id = t->rows.next[T_VARIABLE]++;

		is_result = event_is_result(&walk, r);
		has_values = states_values(v, e, r, is_result);
		if (has_values || is_new) {
			v->object.len = 0;
			buf_add(&v->object, object.p, object.n);
			v->has_bat = event_int(r, V_BID, &bid) && bid > 0;
		}
		v->has_value = v->has_value || has_values;

		flag = NULL;
		if (is_result)
			plan_add_assignment(v, e->pc);
		else
			add_derived_prerequisite(t, v, e, r);
		if (is_result && e->state == STATE_DONE) {
			flag = v->created ? "reassigned" : "created";
			v->created = true;
		}
		rows_put_use(&t->rows, event_id, index_of(r, n), v, flag,
		    is_end_of_life(e, r));
	}
}

/* Reads the pcs in the server's own list of prerequisites: "[1,2,5]". */
static void
read_prerequisites(struct trace *t, const struct field *list)
{
	const char *p = list->token.p, *end = p + list->token.n, *start;
	int64_t pc;

	t->n_pcs = 0;
	while (p < end) {
		for (start = p; p < end && text_is_digit(*p); p++)
			;
		if (p > start && text_i64(span_of(start,
		    (size_t)(p - start)), &pc) && pc > 0)
			add_pc(t, pc);
		p += p == start;	/* not a digit */
	}
}

/*
 * Writes the prerequisites of an instance once, when its start event is added,
 * or its done event if there is no start.  Format P never has starts.  In other
 * formats a done event without a start writes them only if none have been
 * written for the instruction, because a MAL return instruction has two done
 * events for one start.
 */
static void
write_prerequisites(struct trace *t, struct execution *x, struct instruction *i,
    const struct event *e)
{
	const struct field *list = rec_get(e->rec, E_PREREQ);
	const struct instruction *prerequisite;
	bool begins_instance = e->state == STATE_START || (!i->is_open &&
	    e->state == STATE_DONE &&
	    (e->format >= FORMAT_P || !i->wrote_prerequisites));
	size_t n = 0;

	if (!begins_instance)
		return;
	if (list != NULL)
		read_prerequisites(t, list);

	sort_u64((uint64_t *)t->pcs, t->n_pcs);	/* none is negative */
	for (size_t k = 0; k < t->n_pcs; k++) {
		if (k > 0 && t->pcs[k] == t->pcs[n - 1])
			continue;
		t->pcs[n++] = t->pcs[k];
		prerequisite = plan_find_instruction(x, t->pcs[k]);
		rows_put_prerequisite(&t->rows,
		    prerequisite == NULL ? 0 : prerequisite->done_event_id,
		    i->first_event_id, t->pcs[k]);
	}
	t->n_pcs = n;
	/* A task has the prerequisites of the first instance. */
	if (t->rows.discards_rows && !i->wrote_prerequisites) {
		i->first_dep = (uint32_t)x->n_deps;
		i->n_deps = (uint32_t)t->n_pcs;
		x->deps = mem_grow(x->deps, &x->deps_cap,
		    x->n_deps + t->n_pcs, sizeof *x->deps);
		for (size_t k = 0; k < t->n_pcs; k++)
			x->deps[x->n_deps++] = t->pcs[k];
	}
	i->wrote_prerequisites = true;
}

/*
 * Pairs start and done events.  An instruction has at most one open instance:
 * a start opens it, or replaces an open one whose done was lost, and a done
 * closes it.  A done without a start gives no instance, because its start time
 * is unknown, except in format P, which has only ends.  Example, for one pc:
 *
 *	start 10, done 15, start 20, start 30, done 34, done 40
 *
 * gives two instances, 10 to 15 and 30 to 34.
 */
static void
pair_event(struct trace *t, struct instruction *i, const struct event *e)
{
	bool has_clock = e->relative_us != INT_UNKNOWN;
	int64_t start_us = i->open_since_us, elapsed_us;

	if (e->state == STATE_START) {
		i->is_open = true;
		i->open_since_us = e->relative_us;
		return;
	}
	if (e->state != STATE_DONE || (!i->is_open && e->format < FORMAT_P))
		return;
	elapsed_us = e->usec == INT_UNKNOWN ? 0 : e->usec;
	if (e->format >= FORMAT_P)
		start_us = has_clock ? e->relative_us - elapsed_us :
		    INT_UNKNOWN;
	else if (has_clock && start_us != INT_UNKNOWN)
		elapsed_us = e->relative_us - start_us;
	if (t->rows.discards_rows)
		plan_tasks_add_run(&t->plans, i, e, start_us, elapsed_us);
	i->is_open = false;
}

/*
 * Decodes the first n arguments into t->decoded, with a NUL after each, and
 * sets *first to the first one, without the NUL.  False if there are fewer than
 * n arguments, or if the value of one is not a JSON string.
 */
static bool
read_arguments(struct trace *t, const struct event *e, size_t n,
    struct span *first)
{
	struct event_variables walk;
	struct span object, value;
	const struct rec *r;
	size_t found = 0, length = 0;

	t->decoded.len = 0;
	event_variables_init(&walk, e);
	while (found < n && (r = event_next_variable(&walk,
	    t->rows.variables, &object)) != NULL) {
		if (event_is_result(&walk, r))
			continue;
		if (rec_str(r, V_VALUE, &value) != REC_OK)
			return false;
		if (e->format == FORMAT_P)	/* values, not literals */
			buf_add(&t->decoded, value.p, value.n);
		else
			literal_decode(&t->decoded, value);
		length = found++ == 0 ? t->decoded.len : length;
		buf_char(&t->decoded, '\0');
	}
	*first = span_of(t->decoded.data, length);
	return found == n;
}

static void
define_query(struct trace *t, struct execution *x, const struct event *e,
    struct span text)
{
	if (x->has_query)
		return;
	x->has_query = true;
	rows_put_query(&t->rows, x, text);
	links_add_query(&t->links, x, e);
}

/* Whether the server escapes the texts of queries, by its version or plan. */
static bool
server_escapes(const struct trace *t, const struct execution *x,
    const struct event *e)
{
	struct span version = x->version.n > 0 ? x->version :
	    buf_span(&t->rows.server_version);

	if (e->format >= FORMAT_P || (e->program.n > strlen("user.s") &&
	    span_begins_with(e->program, "user.s") &&
	    text_is_digit(e->program.p[strlen("user.s")])))
		return true;
	/* A minor version of one digit is below 39. */
	return version.n > 5 && span_begins_with(version, "11.") &&
	    text_is_digit(version.p[4]) && memcmp(version.p + 3, "39", 2) >= 0;
}

static void
find_query(struct trace *t, struct execution *x, const struct event *e)
{
	struct span text = span_of("", 0);

	if (x->has_query || !event_runs(e, "querylog", "define"))
		return;
	read_arguments(t, e, 1, &text);
	t->decoded.len = text.n;
	literal_unescape(&t->decoded, server_escapes(t, x, e));
	define_query(t, x, e, buf_span(&t->decoded));
}

/* Is a member an integer of any size, as some servers number threads? */
static bool
is_integer(const struct field *f)
{
	if (f == NULL || f->text.n == 0 ||
	    (f->kind != REC_NUMBER && f->kind != REC_STRING))
		return false;
	for (size_t i = 0; i < f->text.n; i++)
		if (!text_is_digit(f->text.p[i]) &&
		    (i > 0 || f->text.p[i] != '-'))
			return false;
	return true;
}

static bool
has_value(const struct event *e, unsigned key)
{
	const struct field *f = rec_get(e->rec, key);

	return f != NULL && f->kind != REC_NULL;
}

/*
 * Returns the reason to reject an event that lacks what one before it had, in
 * the same file and since the last header of a stream, or NULL: servers state
 * these members always or never.  The first event of the format that says where
 * it comes from is compared with the line after it.
 */
static const char *
find_missing(struct trace *t, const struct event *e)
{
	static const struct {
		unsigned key;
		const char *name, *why;
	} members[] = {
		{ E_SESSION, "\"session\"",
		    "its session is missing or not a text" },
		{ E_THREAD, "\"thread\"",
		    "its thread is missing or not an integer" },
		{ E_CLK, "\"clk\"", "its clk is missing" },
		{ E_CTIME, "\"ctime\"", "its ctime is missing" },
		{ E_MCLK, "\"mclk\"", "its mclk is missing" } };
	unsigned *had = &t->members[e->format];
	/* The values of clocks have been checked. */
	bool is_valid[] = { e->session.n > 0, e->thread != INT_UNKNOWN ||
	    is_integer(rec_get(e->rec, E_THREAD)), has_value(e, E_CLK),
	    has_value(e, E_CTIME), has_value(e, E_MCLK) };
	bool is_first;

	if (e->format == FORMAT_R)	/* a row has what its table has */
		return NULL;
	if (t->rows.f->current_line < t->last_line)	/* another file */
		memset(t->members, 0, sizeof t->members);
	t->last_line = t->rows.f->current_line;
	is_first = *had == 0 && e->format == FORMAT_S &&
	    stream_next_line_has(t->rows.f, "\"source\":\"trace\"");
	for (unsigned i = 0; i < sizeof members / sizeof *members; i++)
		if (is_valid[i])
			*had |= 1u << i;
		else if ((*had & 1u << i) != 0 ||
		    has_value(e, members[i].key) || (is_first &&
		    stream_next_line_has(t->rows.f, members[i].name)))
			return members[i].why;
	return NULL;
}

/* Returns the reason to reject the event, or NULL. */
static const char *
add_instruction(struct trace *t, const struct event *e)
{
	bool is_registration = event_runs(e, "remote", "register_supervisor");
	struct instruction *i;
	struct execution *x;
	struct span supervisor;
	const char *why = find_missing(t, e);
	bool is_first;

	if (why != NULL)
		return why;
	if (is_registration && !read_arguments(t, e, 2, &supervisor))
		return "the arguments of register_supervisor are not two "
		    "strings";
	x = find_execution(t, e, &is_first);
	links_add_event(&t->links, x, e, is_first);
	if (is_registration)
		links_register(&t->links, x, e, supervisor,
		    buf_span(&t->decoded));

	i = plan_find_or_add_instruction(x, e->pc);
	/*
	 * An event seems to repeat another if it has the time of the first one
	 * of the same instruction and state.  If a trace is given twice, that
	 * holds for about half of all events.
	 */
	t->n_events++;
	if (i->n_events[e->state] == 0)
		i->first_us[e->state] = e->relative_us;
	else if (e->relative_us != INT_UNKNOWN &&
	    e->relative_us == i->first_us[e->state])
		t->n_repeated++;

	rows_put_event(&t->rows, x, i, e);
	t->n_pcs = 0;
	use_variables(t, x, e, t->rows.next[T_EVENT] - 1);	/* e's id */
	write_prerequisites(t, x, i, e);
	pair_event(t, i, e);
	find_query(t, x, e);

	if (e->pc == 0 && e->state == STATE_DONE) {
		write_execution(t, x);
		plans_finish(&t->plans, x);
	}
	return NULL;
}

static void
add_phase(struct trace *t, const struct event *e)
{
	struct execution *x = NULL;
	struct span text;
	bool is_first;

	if (e->tag > 0)
		x = find_execution(t, e, &is_first);
	rows_put_phase(&t->rows, x, e);
	if (x != NULL && rec_str(e->rec, E_QUERY, &text) == REC_OK)
		define_query(t, x, e, text);
}

/* Warns once for all objects with the same keys. */
static void
warn_unknown(struct trace *t, const struct rec *r)
{
	struct intern *seen = &t->unknown;
	size_t n_before = seen->n;

	t->decoded.len = 0;
	for (size_t i = 0; i < r->n; i++) {
		buf_str(&t->decoded, i > 0 ? ", " : "");
		buf_add(&t->decoded, r->fields[i].key.p, r->fields[i].key.n);
	}
	intern_add(seen, buf_span(&t->decoded));
	if (seen->n > n_before && seen->n <= UNKNOWN_WARNINGS_MAX)
		err_warn_at(t->rows.f->input.name, t->rows.f->current_line,
		    "warning: an object of unknown format, with the keys "
		    "%.*s", SPAN_ARG(buf_span(&t->decoded)));
	t->n_unknown++;
	t->has_records = t->has_records || rec_is(r, "begin");
}

void
trace_add(struct trace *t, const struct rec *r, const char **why)
{
	struct event e;

	*why = NULL;
	event_read(&e, r, &t->variables, why);
	t->n_known += e.kind != EVENT_UNKNOWN;
	switch (e.kind) {
	case EVENT_INSTRUCTION:
		*why = add_instruction(t, &e);
		break;
	case EVENT_PHASE:
		add_phase(t, &e);
		break;
	case EVENT_HEARTBEAT:
		rows_put_heartbeat(&t->rows, &e);
		break;
	case EVENT_HEADER:
		rows_put_header(&t->rows, r);
		memset(t->members, 0, sizeof t->members);
		break;
	case EVENT_UNKNOWN:
		warn_unknown(t, r);
		break;
	case EVENT_INVALID:
		break;
	}
	/* Only an instruction's event has a pc. */
	if (*why != NULL && rec_get(r, E_PC) != NULL)
		rows_put_rejected(&t->rows, &e, *why);
}
