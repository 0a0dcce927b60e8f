#ifndef MALPARSE_LINKS_H
#define MALPARSE_LINKS_H

#include <stdint.h>

#include "filters/malparse/plan.h"
#include "filters/malparse/rows.h"

/*
 * Finds which executions initiate others, and writes these links.
 *
 * Within a server, a plan is initiated by the call of a user function that runs
 * it.  Servers since Nov2019 state the caller's tag.  Otherwise it is the
 * innermost call that is open on the thread on which the plan starts.  Format P
 * has only ends: there a plan belongs to the call on its thread whose time
 * includes the plan's.
 *
 * Between servers, the supervisor and each worker run
 * remote.register_supervisor(SESSION, UUID) with the same arguments; SESSION is
 * the supervisor's.  From then on the supervisor's execution initiates all
 * plans that start on that thread of the worker, until the thread registers
 * again or runs a client's query.  Example, with the tags of real traces:
 *
 *	supervisor, tag 5	register_supervisor("aaaa", "0000-1111")
 *	worker, thread 7, 871	register_supervisor("aaaa", "0000-1111")
 *	worker, thread 7, 872	another plan
 *
 * links 5 to 871 and 872.  The supervisor may be seen after its workers.
 */
struct links {
	struct rows *rows;
	struct lane *lanes;	/* threads of sessions */
	size_t n_lanes, lanes_cap;
	struct map by_thread;
	struct intern keys;	/* arguments of register_supervisor */
	struct registration *registrations;	/* by symbol of their key */
	size_t n_registrations, registrations_cap;
};

void links_init(struct links *, struct rows *);
void links_release(struct links *);

/* Call this for each event; is_first: the execution's first one. */
void links_add_event(struct links *, struct plans *, struct execution *,
    const struct event *, bool is_first);

/*
 * Links the execution to the supervisor of its thread, if it has one.  This is
 * delayed until the execution cannot be a client's query any more.
 */
void links_resolve(struct links *, struct execution *);

/*
 * The execution runs a client's query: it initiates itself, and its thread does
 * not work for a supervisor any more.
 */
void links_add_query(struct links *, struct execution *, const struct event *);

/*
 * The execution runs register_supervisor; supervisor is the first argument, and
 * key holds both.
 */
void links_register(struct links *, struct execution *,
    const struct event *, struct span supervisor, struct span key);

#endif
