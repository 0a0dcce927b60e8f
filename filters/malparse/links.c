/* links - finds which executions initiate others */

#include <stdlib.h>

#include "common/base/num.h"
#include "filters/malparse/malparse.h"

/* A call of a user function that is open on a thread. */
struct call {
	struct execution_ref caller;
	int64_t pc;
};

/* Format P: a plan that has ended, but whose call has not been read yet. */
struct ended_plan {
	struct execution_ref execution;
	int64_t start_us, end_us;
};

/* Limits of what is stored for each thread. */
enum {
	OPEN_CALLS_MAX = 256,	/* reached if the ends of calls are lost */
	ENDED_PLANS_MAX = 256,	/* reached if calls are lost (format P) */
	EARLY_PLANS_MAX = 4096	/* of a connection that may never register */
};

/*
 * The connection of a client or supervisor that a thread serves.  A supervisor
 * registers with remote.register_supervisor; a client never does.
 */
struct connection {
	bool has_beginning;	/* its first plan was seen */
	bool set_protocol;	/* its first plan ran sql.set_protocol */
	uint32_t registration;	/* in links.registrations, or INDEX_NONE */
	struct execution_ref last;	/* its last plan so far */
	struct execution_ref *plans;	/* to link when it registers */
	size_t n, cap;
};

/* A thread of a session, or of a client if there is no session. */
struct thread {
	struct call *calls;
	size_t n_calls, calls_cap;
	struct ended_plan *ended;
	size_t n_ended, ended_cap;
	struct connection connection;
};

/*
 * One pair of arguments of remote.register_supervisor, and the executions that
 * called that function with them.
 */
struct registration {
	struct execution_ref supervisor;	/* id 0 until it is known */
	uint64_t root;		/* plans_root() of the supervisor */
	struct execution_ref *workers;	/* linked when supervisor is known */
	size_t n, cap;
};

void
links_init(struct links *l, struct rows *rows, struct plans *plans)
{
	*l = (struct links){ .rows = rows, .plans = plans };
	intern_init(&l->thread_keys);
	intern_init(&l->keys);
}

static uint32_t
find_thread(struct links *l, const struct execution *x, const struct event *e)
{
	const struct {
		uint32_t session, client;
		int64_t thread;
	} key = { x->key.session, x->key.client, e->thread };
	uint32_t i = intern_add(&l->thread_keys,
	    span_bytes(&key, sizeof key));

	if (i == l->n_threads) {
		l->threads = mem_grow(l->threads, &l->threads_cap,
		    l->n_threads + 1, sizeof *l->threads);
		l->threads[l->n_threads++] = (struct thread){
		    .connection.registration = INDEX_NONE };
	}
	return i;
}

/* Whether the event is a call of a user function; pc 0 is the plan itself. */
static bool
is_call(const struct event *e)
{
	return e->pc > 0 && span_eq(e->module, "user");
}

/*
 * Writes a link between executions of the same session: the instruction of the
 * caller at call_pc, or an unknown one if that is 0, calls the plan of `child`.
 */
static void
link_local(struct links *l, struct execution_ref caller, int64_t call_pc,
    struct execution_ref child)
{
	struct execution *x = plans_get(l->plans, child);

	if (x != NULL) {
		x->parent = caller;
		x->call_pc = call_pc;
	}
	rows_put_link(l->rows, caller.id, child.id, false);
}

/* The pc of the execution's innermost open call on the thread, or 0. */
static int64_t
find_open_call(const struct thread *thread, uint64_t execution_id)
{
	for (size_t i = thread->n_calls; i-- > 0;)
		if (thread->calls[i].caller.id == execution_id)
			return thread->calls[i].pc;
	return 0;
}

/* Writes a link from the supervisor to an execution of another session. */
static void
link_remote(struct links *l, const struct registration *r,
    struct execution_ref worker)
{
	struct execution *supervisor = plans_get(l->plans, r->supervisor);
	struct execution *x = plans_get(l->plans, worker);

	if (x != NULL)
		x->root = r->root;
	if (x != NULL && supervisor != NULL) {
		x->supervisor = r->supervisor;
		x->remote_index = supervisor->n_remote_plans;
	}
	if (supervisor != NULL) {
		supervisor->remote_plans = mem_grow(supervisor->remote_plans,
		    &supervisor->remote_plans_cap,
		    supervisor->n_remote_plans + 1,
		    sizeof *supervisor->remote_plans);
		supervisor->remote_plans[supervisor->n_remote_plans++] =
		    (struct remote_plan){ worker, INT_UNKNOWN };
	}
	rows_put_link(l->rows, r->supervisor.id, worker.id, true);
}

/*
 * Links a worker's execution to the supervisor of registration i, or stores it
 * until the supervisor is known.
 */
static void
link_worker(struct links *l, uint32_t i, struct execution_ref worker)
{
	struct registration *r = &l->registrations[i];

	if (r->supervisor.id != 0) {
		link_remote(l, r, worker);
		return;
	}
	r->workers = mem_grow(r->workers, &r->cap, r->n + 1,
	    sizeof *r->workers);
	r->workers[r->n++] = worker;
}

static void
begin_connection(struct thread *thread, bool has_beginning, bool set_protocol)
{
	struct connection *c = &thread->connection;

	c->has_beginning = has_beginning;
	c->set_protocol = set_protocol;
	c->registration = INDEX_NONE;
	c->last = (struct execution_ref){ 0 };
	c->n = 0;
}

void
links_resolve(struct links *l, struct execution *x)
{
	struct connection *c;
	struct execution *last;

	if (x->thread == INDEX_NONE)
		return;
	c = &l->threads[x->thread].connection;
	x->thread = INDEX_NONE;
	last = plans_get(l->plans, c->last);
	if (last != NULL)
		last->next = plans_ref(x);
	c->last = plans_ref(x);
	if (c->registration != INDEX_NONE) {
		link_worker(l, c->registration, plans_ref(x));
		return;
	}
	if (c->n == EARLY_PLANS_MAX)
		c->n = 0;
	c->plans = mem_grow(c->plans, &c->cap, c->n + 1, sizeof *c->plans);
	c->plans[c->n++] = plans_ref(x);
}

/*
 * Examines the first instruction of a plan, which may show that a connection
 * begins or, if it returns a result before a registration, began too early.
 */
static void
find_beginning(struct links *l, struct execution *x, const struct event *e)
{
	struct thread *thread = &l->threads[x->thread];
	struct connection *c = &thread->connection;
	bool sets_protocol = event_runs(e, "sql", "set_protocol");

	if (sets_protocol || event_runs(e, "remote", "bintype")) {
		/* set_protocol and the next plan's bintype begin only one. */
		if (sets_protocol || !c->set_protocol || c->n != 1)
			begin_connection(thread, true, sets_protocol);
		links_resolve(l, x);
	} else if (!c->has_beginning && c->registration == INDEX_NONE &&
	    (event_runs(e, "remote", "batbincopy") ||
	    event_runs(e, "io", "print"))) {
		begin_connection(thread, false, false);
		x->thread = INDEX_NONE;
	}
}

static void
open_call(struct thread *thread, const struct execution *x, int64_t pc)
{
	if (thread->n_calls == OPEN_CALLS_MAX)
		return;
	thread->calls = mem_grow(thread->calls, &thread->calls_cap,
	    thread->n_calls + 1, sizeof *thread->calls);
	thread->calls[thread->n_calls++] = (struct call){ plans_ref(x), pc };
}

/* Also closes all open calls within this one: their ends have been lost. */
static void
close_call(struct thread *thread, const struct execution *x, int64_t pc)
{
	for (size_t i = thread->n_calls; i-- > 0;)
		if (thread->calls[i].caller.id == x->id &&
		    thread->calls[i].pc == pc) {
			thread->n_calls = i;
			return;
		}
}

/*
 * Format P: adds an event.  If it is the end of a plan, the plan is stored.  If
 * it is the end of a call, the call is linked to the ended plans within its
 * time, which are removed from the list.
 */
static void
link_by_time(struct links *l, struct thread *thread, const struct execution *x,
    const struct event *e)
{
	const struct ended_plan *p = thread->ended, *end = p + thread->n_ended;
	int64_t start_us;

	if (e->relative_us == INT_UNKNOWN || e->usec == INT_UNKNOWN)
		return;
	start_us = e->relative_us - e->usec;

	if (is_call(e)) {
		for (thread->n_ended = 0; p < end; p++)
			if (p->execution.id != x->id &&
			    p->start_us >= start_us &&
			    p->end_us <= e->relative_us)
				link_local(l, plans_ref(x), e->pc,
				    p->execution);
			else
				thread->ended[thread->n_ended++] = *p;
	} else if (e->pc == 0) {
		if (thread->n_ended == ENDED_PLANS_MAX)
			thread->n_ended = 0;	/* all their calls are lost */
		thread->ended = mem_grow(thread->ended, &thread->ended_cap,
		    thread->n_ended + 1, sizeof *thread->ended);
		thread->ended[thread->n_ended++] = (struct ended_plan){
		    plans_ref(x), start_us, e->relative_us };
	}
}

/* Finds the caller of a plan that begins, and updates the open calls. */
static void
follow_calls(struct links *l, struct execution *x, const struct event *e,
    bool is_first)
{
	uint32_t thread_index = find_thread(l, x, e);
	struct thread *thread = &l->threads[thread_index];
	const struct call *call = thread->n_calls == 0 ? NULL :
	    &thread->calls[thread->n_calls - 1];
	const struct execution *parent;
	int64_t caller_tag = 0;

	if (e->format >= FORMAT_P) {
		link_by_time(l, thread, x, e);
		return;
	}

	if (is_first) {
		event_int(e->rec, E_CALLER, &caller_tag);
		parent = caller_tag > 0 ?
		    plans_find_tag(l->plans, x, caller_tag) : NULL;
		if (parent != NULL)
			link_local(l, plans_ref(parent),
			    find_open_call(thread, parent->id), plans_ref(x));
		else if (call != NULL)
			link_local(l, call->caller, call->pc, plans_ref(x));
		else	/* not linked yet: x may be a client's query */
			x->thread = thread_index;
	}

	if (is_call(e) && e->state == STATE_START)
		open_call(thread, x, e->pc);
	else if (is_call(e) && e->state == STATE_DONE)
		close_call(thread, x, e->pc);
}

void
links_add_event(struct links *l, struct execution *x, const struct event *e,
    bool is_first)
{
	/* A query would have run querylog.define, at pc 1, by now. */
	if (e->pc > 1)
		links_resolve(l, x);
	if (is_first || e->pc == 0 || is_call(e))
		follow_calls(l, x, e, is_first);
	if (e->pc == 1 && x->thread != INDEX_NONE)
		find_beginning(l, x, e);
}

void
links_add_query(struct links *l, struct execution *x, const struct event *e)
{
	uint32_t thread_index;

	rows_put_link(l->rows, x->id, x->id, false);
	x->thread = INDEX_NONE;
	thread_index = find_thread(l, x, e);
	begin_connection(&l->threads[thread_index], false, false);
}

void
links_register(struct links *l, struct execution *x, const struct event *e,
    struct span supervisor, struct span key)
{
	uint32_t registration = intern_add(&l->keys, key);
	uint32_t number = find_thread(l, x, e);
	struct thread *thread = &l->threads[number];
	struct connection *c = &thread->connection;
	struct registration *r;

	if (registration == l->n_registrations) {
		l->registrations = mem_grow(l->registrations,
		    &l->registrations_cap, l->n_registrations + 1,
		    sizeof *l->registrations);
		l->registrations[l->n_registrations++] =
		    (struct registration){ 0 };
	}
	r = &l->registrations[registration];

	if (supervisor.n > 0 && span_compare(supervisor, e->session) == 0) {
		if (r->supervisor.id != 0)
			return;
		x->n_connections++;
		r->supervisor = plans_ref(x);
		r->root = plans_root(l->plans, x);
		for (size_t w = 0; w < r->n; w++)
			link_remote(l, r, r->workers[w]);
		free(r->workers);
		r->workers = NULL;
		r->n = r->cap = 0;
		return;
	}

	if (c->registration == registration)
		return;
	/* This is a later connection, whose first plans have been lost. */
	if (c->registration != INDEX_NONE)
		begin_connection(thread, false, false);
	c->registration = registration;
	for (size_t p = 0; p < c->n; p++)
		link_worker(l, registration, c->plans[p]);
	c->n = 0;
	links_resolve(l, x);
}
