#pragma once

#include "filters/malparse/plan.h"
#include "filters/malparse/rows.h"

/*
 * Finds which executions initiate others, and writes these links.
 *
 * Within a server, the execution that calls a user function initiates the plan
 * of this function.  Servers of Nov2019 state the caller's tag.  For other
 * servers, the caller is the execution with the innermost open call on the
 * thread on which the plan starts.  Format P (event.h) has no starts: there the
 * caller is the execution with a call on the plan's thread whose time includes
 * that of the plan.
 *
 * Between servers, the supervisor and each worker run
 * remote.register_supervisor(SESSION, UUID) with the same arguments; SESSION is
 * the supervisor's session.  The supervisor's execution with this call
 * initiates all plans of the connection in which a worker makes the same call,
 * except plans that another plan calls.  While a connection lasts, no other
 * one uses its thread.  Its first plan runs remote.bintype; on some servers the
 * first runs sql.set_protocol, and the second remote.bintype.  The end of a
 * connection leaves no event, and the next connection may get the same thread.
 * Example, with the tags of real traces:
 *
 *	supervisor, tag 5		register_supervisor("aaaa", "0000-1111")
 *	worker, thread 7, tag 861	remote.bintype()
 *	worker, thread 7, tag 862	a plan that stores an argument
 *	worker, thread 7, tag 871	register_supervisor("aaaa", "0000-1111")
 *	worker, thread 7, tag 872	another plan
 *	worker, thread 7, tag 961	remote.bintype()
 *
 * Here 5 initiates 861 to 872.  A stream may have the supervisor's events after
 * those of its workers.
 */
struct links {
	struct rows *rows;	/* borrowed */
	struct plans *plans;	/* borrowed */
	struct thread *threads;	/* one for each thread of each session, by
				   symbol in thread_keys */
	size_t n_threads, threads_cap;
	struct intern thread_keys;	/* session, client and thread */
	struct intern keys;	/* of registrations: see links_register() */
	struct registration *registrations;	/* by symbol in keys */
	size_t n_registrations, registrations_cap;
};

void links_init(struct links *, struct rows *, struct plans *);
void links_release(struct links *);

/* Call this for each event of an instruction.  is_first: of the execution x. */
void links_add_event(struct links *, struct execution *x,
    const struct event *, bool is_first);

/*
 * Call this when the execution x can no longer turn out to be a client's query.
 * Adds x to the connection of the thread on which it began, which is x->thread,
 * as the next of the plan before it (execution.next), and sets x->thread to
 * INDEX_NONE.  If x->thread is INDEX_NONE already, x has been added, is a query
 * or is called by another plan, and nothing is done.
 */
void links_resolve(struct links *, struct execution *x);

/*
 * Call this when an execution turns out to run a client's query.  No other
 * execution initiates it, so a link from the query to itself is written.  The
 * query's thread then no longer serves the connection of a supervisor.
 */
void links_add_query(struct links *, struct execution *, const struct event *);

/*
 * Call this when an execution runs remote.register_supervisor.  supervisor is
 * the first argument, a session; key is the bytes of both arguments.
 */
void links_register(struct links *, struct execution *,
    const struct event *, struct span supervisor, struct span key);
