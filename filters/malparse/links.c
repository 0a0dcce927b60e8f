/* links - finds which executions initiate others */

#include <stdlib.h>

#include "common/base/num.h"
#include "filters/malparse/links.h"

/* A call of a user function that is open on a thread. */
struct call {
	uint64_t execution;
	int64_t pc;
};

/* Format P: a plan that has ended, but whose initiating call has not. */
struct ended_plan {
	uint64_t execution;
	int64_t start_us, end_us;
};

/* Limits for streams that have lost the ends of calls. */
enum { OPEN_CALLS_MAX = 256, ENDED_PLANS_MAX = 256 };

/* A thread of a session. */
struct lane {
	struct {
		uint32_t session, client;
		int64_t thread;
	} key;
	struct call *calls;
	size_t n_calls, calls_cap;
	struct ended_plan *ended;
	size_t n_ended, ended_cap;
	uint32_t registration;	/* the one it works for, or INDEX_NONE */
};

/* The executions that a supervisor's call of register_supervisor relates. */
struct registration {
	uint64_t supervisor;	/* execution_id; 0 until it is known */
	uint64_t *workers;	/* execution_ids that wait for it */
	size_t n, cap;
};

static struct span
lane_key(const void *context, uint32_t i)
{
	const struct links *l = context;

	return span_bytes(&l->lanes[i].key, sizeof l->lanes[i].key);
}

void
links_init(struct links *l, struct rows *rows)
{
	*l = (struct links){ .rows = rows };
	map_init(&l->by_thread, lane_key, l);
	intern_init(&l->keys);
}

void
links_release(struct links *l)
{
	for (size_t i = 0; i < l->n_lanes; i++) {
		free(l->lanes[i].calls);
		free(l->lanes[i].ended);
	}
	for (size_t i = 0; i < l->n_registrations; i++)
		free(l->registrations[i].workers);
	free(l->lanes);
	free(l->registrations);
	map_release(&l->by_thread);
	intern_release(&l->keys);
}

static struct lane *
find_lane(struct links *l, const struct execution *x, const struct event *e)
{
	struct lane new = { .registration = INDEX_NONE };
	uint32_t i, next = (uint32_t)l->n_lanes;

	new.key.session = x->key.session;
	new.key.client = x->key.client;
	new.key.thread = e->thread;
	i = map_find_or_add(&l->by_thread,
	    span_bytes(&new.key, sizeof new.key), next);
	if (i != next)
		return &l->lanes[i];
	l->lanes = mem_grow(l->lanes, &l->lanes_cap, l->n_lanes + 1,
	    sizeof *l->lanes);
	l->lanes[l->n_lanes++] = new;
	return &l->lanes[i];
}

static bool
is_call(const struct event *e)
{
	return e->pc > 0 && span_eq(e->module, "user");
}

/* Links a worker's execution, or stores it until the supervisor is known. */
static void
link_worker(struct links *l, uint32_t i, uint64_t worker)
{
	struct registration *r = &l->registrations[i];

	if (r->supervisor != 0) {
		rows_put_link(l->rows, r->supervisor, worker, true);
		return;
	}
	r->workers = mem_grow(r->workers, &r->cap, r->n + 1,
	    sizeof *r->workers);
	r->workers[r->n++] = worker;
}

/* Links an execution on its first event, if it is known what initiated it. */
static void
link_new_plan(struct links *l, struct plans *plans, struct lane *lane,
    struct execution *x, const struct event *e)
{
	const struct execution *parent;
	int64_t caller = 0;

	event_int(e->rec, E_CALLER, &caller);
	parent = caller > 0 ? plans_find_tag(plans, x, caller) : NULL;
	if (parent != NULL)
		rows_put_link(l->rows, parent->id, x->id, false);
	else if (lane->n_calls > 0)
		rows_put_link(l->rows,
		    lane->calls[lane->n_calls - 1].execution, x->id, false);
	else	/* not linked yet: it may be a client's query */
		x->registration = lane->registration;
}

void
links_resolve(struct links *l, struct execution *x)
{
	if (x->registration != INDEX_NONE)
		link_worker(l, x->registration, x->id);
	x->registration = INDEX_NONE;
}

static void
open_call(struct lane *lane, const struct execution *x, int64_t pc)
{
	if (lane->n_calls == OPEN_CALLS_MAX)
		return;
	lane->calls = mem_grow(lane->calls, &lane->calls_cap,
	    lane->n_calls + 1, sizeof *lane->calls);
	lane->calls[lane->n_calls++] = (struct call){ x->id, pc };
}

/* Calls nest: if inner ones are open, the stream has lost their ends. */
static void
close_call(struct lane *lane, const struct execution *x, int64_t pc)
{
	for (size_t i = lane->n_calls; i-- > 0;)
		if (lane->calls[i].execution == x->id &&
		    lane->calls[i].pc == pc) {
			lane->n_calls = i;
			return;
		}
}

/* Format P: links a call that has ended to the plans within its time. */
static void
link_ended_plans(struct links *l, struct lane *lane, const struct execution *x,
    int64_t start_us, int64_t end_us)
{
	const struct ended_plan *p = lane->ended, *end = p + lane->n_ended;

	for (lane->n_ended = 0; p < end; p++)
		if (p->execution != x->id && p->start_us >= start_us &&
		    p->end_us <= end_us)
			rows_put_link(l->rows, x->id, p->execution, false);
		else
			lane->ended[lane->n_ended++] = *p;
}

static void
add_ended_plan(struct lane *lane, const struct execution *x, int64_t start_us,
    int64_t end_us)
{
	if (lane->n_ended == ENDED_PLANS_MAX)
		lane->n_ended = 0;	/* their calls have been lost */
	lane->ended = mem_grow(lane->ended, &lane->ended_cap,
	    lane->n_ended + 1, sizeof *lane->ended);
	lane->ended[lane->n_ended++] = (struct ended_plan){ x->id, start_us,
	    end_us };
}

static void
link_by_time(struct links *l, struct lane *lane, const struct execution *x,
    const struct event *e)
{
	int64_t start_us;

	if (e->relative_us == INT_UNKNOWN || e->usec == INT_UNKNOWN)
		return;
	start_us = e->relative_us - e->usec;
	if (is_call(e))
		link_ended_plans(l, lane, x, start_us, e->relative_us);
	else if (e->pc == 0)
		add_ended_plan(lane, x, start_us, e->relative_us);
}

void
links_add_event(struct links *l, struct plans *plans, struct execution *x,
    const struct event *e, bool is_first)
{
	struct lane *lane;

	/* A query runs querylog.define at pc 1: x can no longer become one. */
	if (e->pc > 1)
		links_resolve(l, x);
	if (!is_first && e->pc != 0 && !is_call(e))
		return;
	lane = find_lane(l, x, e);
	if (e->format == FORMAT_P) {
		link_by_time(l, lane, x, e);
		return;
	}
	if (is_first)
		link_new_plan(l, plans, lane, x, e);
	if (is_call(e) && e->state == STATE_START)
		open_call(lane, x, e->pc);
	else if (is_call(e) && e->state == STATE_DONE)
		close_call(lane, x, e->pc);
}

void
links_add_query(struct links *l, struct execution *x, const struct event *e)
{
	rows_put_link(l->rows, x->id, x->id, false);
	x->registration = INDEX_NONE;
	find_lane(l, x, e)->registration = INDEX_NONE;
}

static uint32_t
find_registration(struct links *l, struct span key)
{
	uint32_t i = intern_add(&l->keys, key);

	if (i == l->n_registrations) {
		l->registrations = mem_grow(l->registrations,
		    &l->registrations_cap, i + 1, sizeof *l->registrations);
		l->registrations[l->n_registrations++] =
		    (struct registration){ 0 };
	}
	return i;
}

static void
set_supervisor(struct links *l, uint32_t i, const struct execution *x)
{
	struct registration *r = &l->registrations[i];

	if (r->supervisor != 0)
		return;
	r->supervisor = x->id;
	for (size_t w = 0; w < r->n; w++)
		rows_put_link(l->rows, x->id, r->workers[w], true);
	free(r->workers);
	r->workers = NULL;
	r->n = r->cap = 0;
}

void
links_register(struct links *l, struct execution *x, const struct event *e,
    struct span supervisor, struct span key)
{
	uint32_t registration = find_registration(l, key);
	struct lane *lane = find_lane(l, x, e);

	if (supervisor.n > 0 && span_compare(supervisor, e->session) == 0) {
		set_supervisor(l, registration, x);
		return;
	}
	if (lane->registration == registration)
		return;
	lane->registration = registration;
	x->registration = INDEX_NONE;
	link_worker(l, registration, x->id);
}
