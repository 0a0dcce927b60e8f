#ifndef MALPARSE_LINKS_H
#define MALPARSE_LINKS_H

#include <stdint.h>

#include "filters/malparse/plan.h"
#include "filters/malparse/rows.h"

/*
 * Finds which executions initiate others, and writes these links.
 *
 * Within a server, the execution that calls a user function initiates the plan
 * of this function.  Servers since Nov2019 state the caller's tag.  Otherwise
 * the caller is the execution with the innermost open call on the thread on
 * which the plan starts.  Format P has no starts: there the caller is the
 * execution with a call on the plan's thread whose time includes the plan's.
 *
 * Between servers, the supervisor and each worker run
 * remote.register_supervisor(SESSION, UUID) with the same arguments; SESSION is
 * the supervisor's session.  From then on the supervisor's execution initiates
 * all plans that start on the thread on which the worker registered, until this
 * thread registers again or runs a client's query.  Example, with the tags of
 * real traces:
 *
 *	supervisor, tag 5		register_supervisor("aaaa", "0000-1111")
 *	worker, thread 7, tag 871	register_supervisor("aaaa", "0000-1111")
 *	worker, thread 7, tag 872	another plan
 *
 * Here 5 initiates 871 and 872.  A stream may have the supervisor's events
 * after those of its workers.
 */
struct links {
	struct rows *rows;	/* borrowed */
	struct lane *lanes;	/* threads of sessions */
	size_t n_lanes, lanes_cap;
	struct map by_thread;
	struct intern keys;	/* arguments of register_supervisor */
	struct registration *registrations;	/* by symbol of their key */
	size_t n_registrations, registrations_cap;
};

void links_init(struct links *, struct rows *);
void links_release(struct links *);

/* Call this for each event.  is_first: the event is its execution's first. */
void links_add_event(struct links *, struct plans *, struct execution *,
    const struct event *, bool is_first);

/*
 * Links the execution to the supervisor for which its thread works, if any.
 * Call this when the execution can no longer turn out to be a client's query.
 */
void links_resolve(struct links *, struct execution *);

/*
 * Call this when an execution turns out to run a client's query.  No other
 * execution initiates it, so a link to itself is written, and its thread no
 * longer works for a supervisor.
 */
void links_add_query(struct links *, struct execution *, const struct event *);

/*
 * Call this when an execution runs register_supervisor.  supervisor is the
 * session that is its first argument; key consists of both arguments.
 */
void links_register(struct links *, struct execution *,
    const struct event *, struct span supervisor, struct span key);

#endif
