/* links - which executions initiate others */

#include <stdlib.h>

#include "common/base/num.h"
#include "filters/malparse/links.h"

/* A call of a user's function that is open on a thread. */
struct call {
	uint64_t execution;
	int64_t pc;
};

/* A plan that has ended, where only ends are written. */
struct ended {
	uint64_t execution;
	int64_t start_us, end_us;
};

/* A bound on what a stream that lost its ends leaves open. */
enum { CALLS_MOST = 256, ENDED_MOST = 256 };

struct lane {
	struct {
		uint32_t session, client;
		int64_t thread;
	} key;
	struct call *calls;
	size_t n_calls, calls_cap;
	struct ended *ended;
	size_t n_ended, ended_cap;
	uint32_t bond;		/* that its plans serve, or INDEX_NONE */
};

/* A supervisor and, until it is known, the executions of its workers. */
struct bond {
	uint64_t supervisor;
	uint64_t *workers;
	size_t n, cap;
};

static struct span
lane_key(const void *owner, uint32_t i)
{
	const struct links *l = owner;

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
	for (size_t i = 0; i < l->n_bonds; i++)
		free(l->bonds[i].workers);
	free(l->lanes);
	free(l->bonds);
	map_release(&l->by_thread);
	intern_release(&l->keys);
}

static struct lane *
find_lane(struct links *l, const struct execution *x, const struct event *e)
{
	struct lane new = { .bond = INDEX_NONE };
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

/* The bond's link to a worker, now or when the supervisor is known. */
static void
link_worker(struct links *l, uint32_t i, uint64_t worker)
{
	struct bond *bond = &l->bonds[i];

	if (bond->supervisor != 0) {
		rows_initiates(l->rows, bond->supervisor, worker, true);
		return;
	}
	bond->workers = mem_grow(bond->workers, &bond->cap, bond->n + 1,
	    sizeof *bond->workers);
	bond->workers[bond->n++] = worker;
}

/* A plan begins on a thread. */
static void
begin_plan(struct links *l, struct plans *plans, struct lane *lane,
    struct execution *x, const struct event *e)
{
	const struct execution *parent;
	int64_t caller = 0;

	event_int(e->rec, E_CALLER, &caller);
	parent = caller > 0 ? plans_sibling(plans, x, caller) : NULL;
	if (parent != NULL)
		rows_initiates(l->rows, parent->id, x->id, false);
	else if (lane->n_calls > 0)
		rows_initiates(l->rows,
		    lane->calls[lane->n_calls - 1].execution, x->id, false);
	else
		x->bond = lane->bond;	/* unless it is a client's query */
}

void
links_end(struct links *l, struct execution *x)
{
	if (x->bond != INDEX_NONE)
		link_worker(l, x->bond, x->id);
	x->bond = INDEX_NONE;
}

static void
open_call(struct lane *lane, const struct execution *x, int64_t pc)
{
	if (lane->n_calls == CALLS_MOST)
		return;
	lane->calls = mem_grow(lane->calls, &lane->calls_cap,
	    lane->n_calls + 1, sizeof *lane->calls);
	lane->calls[lane->n_calls++] = (struct call){ x->id, pc };
}

/* Calls nest: those above it have lost their ends. */
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

/* Where only ends are written: the plans that lie within a call are its. */
static void
claim_plans(struct links *l, struct lane *lane, const struct execution *x,
    int64_t start_us, int64_t end_us)
{
	const struct ended *p = lane->ended, *end = p + lane->n_ended;

	for (lane->n_ended = 0; p < end; p++)
		if (p->execution != x->id && p->start_us >= start_us &&
		    p->end_us <= end_us)
			rows_initiates(l->rows, x->id, p->execution, false);
		else
			lane->ended[lane->n_ended++] = *p;
}

static void
add_ended(struct lane *lane, const struct execution *x, int64_t start_us,
    int64_t end_us)
{
	if (lane->n_ended == ENDED_MOST)
		lane->n_ended = 0;
	lane->ended = mem_grow(lane->ended, &lane->ended_cap,
	    lane->n_ended + 1, sizeof *lane->ended);
	lane->ended[lane->n_ended++] = (struct ended){ x->id, start_us,
	    end_us };
}

static void
end_event(struct links *l, struct lane *lane, const struct execution *x,
    const struct event *e)
{
	int64_t start_us;

	if (e->relative_us == INT_UNKNOWN || e->usec == INT_UNKNOWN)
		return;
	start_us = e->relative_us - e->usec;
	if (is_call(e))
		claim_plans(l, lane, x, start_us, e->relative_us);
	else if (e->pc == 0)
		add_ended(lane, x, start_us, e->relative_us);
}

void
links_event(struct links *l, struct plans *plans, struct execution *x,
    const struct event *e, bool is_first)
{
	struct lane *lane;

	if (e->pc > 1)
		links_end(l, x);	/* a query defines itself at 1 */
	if (!is_first && e->pc != 0 && !is_call(e))
		return;
	lane = find_lane(l, x, e);
	if (e->format == FORMAT_P) {
		end_event(l, lane, x, e);
		return;
	}
	if (is_first)
		begin_plan(l, plans, lane, x, e);
	if (is_call(e) && e->state == STATE_START)
		open_call(lane, x, e->pc);
	else if (is_call(e) && e->state == STATE_DONE)
		close_call(lane, x, e->pc);
}

void
links_query(struct links *l, struct execution *x, const struct event *e)
{
	rows_initiates(l->rows, x->id, x->id, false);
	x->bond = INDEX_NONE;
	find_lane(l, x, e)->bond = INDEX_NONE;
}

static uint32_t
find_bond(struct links *l, struct span key)
{
	uint32_t i = intern_add(&l->keys, key);

	if (i == l->n_bonds) {
		l->bonds = mem_grow(l->bonds, &l->bonds_cap, i + 1,
		    sizeof *l->bonds);
		l->bonds[l->n_bonds++] = (struct bond){ 0 };
	}
	return i;
}

static void
set_supervisor(struct links *l, uint32_t i, const struct execution *x)
{
	struct bond *bond = &l->bonds[i];

	if (bond->supervisor != 0)
		return;
	bond->supervisor = x->id;
	for (size_t w = 0; w < bond->n; w++)
		rows_initiates(l->rows, x->id, bond->workers[w], true);
	free(bond->workers);
	bond->workers = NULL;
	bond->n = bond->cap = 0;
}

void
links_register(struct links *l, struct execution *x, const struct event *e,
    struct span supervisor, struct span key)
{
	uint32_t bond = find_bond(l, key);
	struct lane *lane = find_lane(l, x, e);

	if (supervisor.n == e->session.n && supervisor.n > 0 &&
	    memcmp(supervisor.p, e->session.p, supervisor.n) == 0) {
		set_supervisor(l, bond, x);
		return;
	}
	if (lane->bond == bond)
		return;
	lane->bond = bond;
	x->bond = INDEX_NONE;
	link_worker(l, bond, x->id);
}
