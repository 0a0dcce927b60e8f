#ifndef MALPARSE_PLAN_H
#define MALPARSE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "filters/malparse/event.h"

/*
 * Executions of plans, the instructions and the variables of each: what must
 * be remembered of a stream while they run.  An execution is known by its
 * session, or for want of that the client, and its tag.
 */

/* A variable of an execution. */
struct variable {
	struct span name;
	uint64_t id;
	char *object;		/* the last seen of it, as it was written */
	size_t n, cap;
	int64_t *made_at;	/* pcs that assign it, ascending */
	size_t n_made, made_cap;
	bool created, written;
};

/* An instruction of an execution, which may run several times. */
struct instruction {
	int64_t pc;
	uint64_t n_events[N_STATES];
	uint64_t first_event, done_event;	/* ids; 0: none */
	bool is_open, is_tied;
	int64_t open_us;		/* when it started, or INT_UNKNOWN */
	/* For tasks: */
	uint64_t n_runs;
	int64_t start_us, sum_us, thread;	/* or INT_UNKNOWN */
	sym operation;
	uint32_t first_dep, n_deps;	/* in the execution's deps */
};

struct execution {
	struct {
		uint32_t session, client;	/* symbols, or SYM_NONE */
		int64_t tag;
	} key;
	uint64_t id;
	struct span program, version, user;	/* in its arena */
	bool is_row, is_done, has_query;
	uint32_t bond;		/* see links.c; INDEX_NONE */
	struct arena arena;
	struct variable *variables;
	size_t n_variables, variables_cap;
	struct map by_name;
	struct instruction *instructions;
	size_t n_instructions, instructions_cap;
	struct map by_pc;
	int64_t *deps;
	size_t n_deps, deps_cap;
	struct execution *older, *newer;	/* by their last event */
	uint32_t place;
};

/*
 * Executions are remembered until PLANS_MOST others have had events since, or
 * FINISHED_MOST others have finished since they did.
 */
enum { PLANS_MOST = 4096, FINISHED_MOST = 64 };

struct plans {
	struct intern names;		/* sessions, clients, operations */
	struct map map;
	struct execution **at;		/* by place, NULL if free */
	size_t n, cap;
	uint32_t *free;
	size_t n_free, free_cap;
	size_t n_alive;
	struct execution *oldest, *newest;
	struct execution *finished[FINISHED_MOST];
	size_t next_finished;
	void (*on_end)(void *owner, struct execution *);
	void *owner;
};

/* on_end is called for each execution before it is forgotten. */
void plans_init(struct plans *,
    void (*on_end)(void *owner, struct execution *), void *owner);
void plans_end_all(struct plans *);
void plans_release(struct plans *);

/* The execution of an event or phase; a new one has the id 0. */
struct execution *plans_find(struct plans *, const struct event *);

/* By session and client of another and a tag; or NULL. */
struct execution *plans_sibling(struct plans *, const struct execution *,
    int64_t tag);

/* Its last event has come, as far as one can know. */
void plans_finish(struct plans *, struct execution *);

/* Forgets it at once. */
void plans_end(struct plans *, struct execution *);

/* The execution's, found or new. */
struct instruction *plan_instruction(struct execution *, int64_t pc);
struct variable *plan_variable(struct execution *, struct span name,
    bool *is_new);

/* The execution's instruction at pc, or NULL. */
const struct instruction *plan_find(const struct execution *, int64_t pc);

/* Has an instruction of the execution assigned the variable so called? */
bool plan_assigns(const struct execution *, struct span name);

/* The instruction at pc assigns the variable. */
void plan_assign(struct variable *, int64_t pc);

/* Where below pc it was assigned last in the plan; 0 if nowhere. */
int64_t plan_made_at(const struct variable *, int64_t pc);

/* The last that was seen of it; see struct variable. */
void plan_remember(struct variable *, struct span object);

#endif
