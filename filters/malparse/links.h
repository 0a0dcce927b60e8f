#ifndef MALPARSE_LINKS_H
#define MALPARSE_LINKS_H

#include <stdint.h>

#include "filters/malparse/plan.h"
#include "filters/malparse/rows.h"

/*
 * Which executions initiate others.  On one server a plan that begins on a
 * thread where a call of a user's function is open is that call's; where only
 * ends are written, a plan that lies within the call.  From Nov2019 on plans
 * name their caller.  Between servers, a supervisor and its workers run
 * remote.register_supervisor with the same arguments: all plans that begin on
 * the worker's thread from then on are the supervisor's, until that thread
 * registers again or a client's query comes there.
 */
struct links {
	struct rows *rows;
	struct lane *lanes;	/* threads of sessions */
	size_t n_lanes, lanes_cap;
	struct map by_thread;
	struct intern keys;	/* arguments of register_supervisor */
	struct bond *bonds;	/* by symbol of their key */
	size_t n_bonds, bonds_cap;
};

void links_init(struct links *, struct rows *);
void links_release(struct links *);

/* To be told of each event, and whether it is the first of its execution. */
void links_event(struct links *, struct plans *, struct execution *,
    const struct event *, bool is_first);

/* The execution ends: what was still open about it is settled. */
void links_end(struct links *, struct execution *);

/* The execution runs a client's query. */
void links_query(struct links *, struct execution *, const struct event *);

/* The execution registers; key holds both arguments. */
void links_register(struct links *, struct execution *,
    const struct event *, struct span supervisor, struct span key);

#endif
