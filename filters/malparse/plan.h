#ifndef MALPARSE_PLAN_H
#define MALPARSE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "filters/malparse/event.h"

/*
 * The running executions of plans, and the last finished ones, with their
 * instructions and variables.  The key of an execution is its session (or the
 * client, if the events do not name a session) and its tag.
 */

/* A variable of an execution. */
struct variable {
	struct span name;
	uint64_t id;
	char *object;		/* its last JSON object, unchanged */
	size_t n, cap;		/* bytes of object */
	int64_t *assigned_at;	/* pcs that assign it, ascending */
	size_t n_assigned, assigned_cap;
	bool created, has_row;
};

/* An instruction of an execution; it may run several times. */
struct instruction {
	int64_t pc;
	uint64_t n_events[N_STATES];
	uint64_t first_event_id;	/* of the last instance, or 0 */
	uint64_t done_event_id;		/* of the last done event, or 0 */
	bool is_open, wrote_prerequisites;
	int64_t open_since_us;		/* or INT_UNKNOWN */
	/* For tasks: */
	uint64_t n_runs;
	int64_t start_us, thread;	/* of the first run, or INT_UNKNOWN */
	int64_t sum_us;			/* of all runs */
	sym operation;
	uint32_t first_dep, n_deps;	/* in the execution's deps */
};

struct execution {
	struct {
		uint32_t session, client;	/* symbols, or SYM_NONE */
		int64_t tag;
	} key;
	uint64_t id;
	struct span program, version, user;	/* in the arena */
	bool has_row, is_finished, has_query;
	uint32_t registration;	/* for links_resolve(), or INDEX_NONE */
	struct arena arena;
	struct variable *variables;
	size_t n_variables, variables_cap;
	struct map by_name;
	struct instruction *instructions;
	size_t n_instructions, instructions_cap;
	struct map by_pc;
	int64_t *deps;		/* pcs */
	size_t n_deps, deps_cap;
	struct execution *older, *newer;	/* by their last event */
	uint32_t index;		/* in plans.executions */
};

/*
 * An execution is removed when EXECUTIONS_MAX others have had events after its
 * last one, or when FINISHED_MAX others have finished after it.  Until then
 * late events find it.
 */
enum { EXECUTIONS_MAX = 4096, FINISHED_MAX = 64 };

struct plans {
	struct intern names;		/* sessions, clients, operations */
	struct map map;			/* of executions, by key */
	struct execution **executions;	/* by index; NULL if free */
	size_t n, cap;
	uint32_t *free;			/* free indexes */
	size_t n_free, free_cap;
	size_t n_executions;
	struct execution *oldest, *newest;
	struct execution *finished[FINISHED_MAX];	/* a ring buffer */
	size_t next_finished;
	void (*on_remove)(void *context, struct execution *);
	void *context;
};

/* on_remove is called before an execution is removed and freed. */
void plans_init(struct plans *,
    void (*on_remove)(void *context, struct execution *), void *context);
void plans_remove_all(struct plans *);
void plans_release(struct plans *);

/*
 * Finds or adds the execution of an event or phase.  A new one has the id 0,
 * which the caller replaces.
 */
struct execution *plans_find(struct plans *, const struct event *);

/* The execution with this tag and the session and client of x, or NULL. */
struct execution *plans_find_tag(struct plans *, const struct execution *x,
    int64_t tag);

/*
 * Call this when an execution has ended.  It is removed later, or at once if
 * its tag is 0.
 */
void plans_finish(struct plans *, struct execution *);

/* Removes and frees the execution at once. */
void plans_remove(struct plans *, struct execution *);

/*
 * Finds or adds an instruction or a variable.  The pointer is valid until
 * another one is added.
 */
struct instruction *plan_instruction(struct execution *, int64_t pc);
struct variable *plan_variable(struct execution *, struct span name,
    bool *is_new);

/* The instruction at pc, or NULL. */
const struct instruction *plan_find_instruction(const struct execution *,
    int64_t pc);

/* Whether an instruction of the execution has assigned the variable. */
bool plan_is_assigned(const struct execution *, struct span name);

/* Records that the instruction at pc has assigned the variable. */
void plan_add_assignment(struct variable *, int64_t pc);

/* The greatest pc below pc that has assigned the variable; 0 if none has. */
int64_t plan_last_assignment(const struct variable *, int64_t pc);

/* Replaces the variable's object by a copy of this one. */
void plan_set_object(struct variable *, struct span object);

#endif
