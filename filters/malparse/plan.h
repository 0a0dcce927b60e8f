#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "filters/malparse/event.h"

/*
 * Stores the executions of plans that are running, and those that finished
 * last, with their instructions and variables.  A plan is a MAL program; the pc
 * is the number of an instruction in it.  The key of an execution is its tag
 * with its session, or with the client if the events do not name a session.
 */

/* A variable of an execution. */
struct variable {
	struct span name;
	uint64_t id;
	struct buf object;	/* the last JSON text that describes it */
	int64_t *assigned_at;	/* pcs that assign it, ascending */
	size_t n_assigned, assigned_cap;
	bool created;		/* a done event has assigned it */
	bool has_bat;		/* object states a BAT, and not nil */
	bool has_value;		/* object is from an event that states values,
				   not from the start of the assignment */
	bool has_row;		/* its row has been written */
};

/* Refers to a task (plan-tasks.h). */
struct task_ref {
	uint64_t execution;	/* execution_id; 0: no task */
	int64_t pc;
};

/* An instruction of an execution.  Each of its runs is an instance. */
struct instruction {
	int64_t pc;
	uint64_t n_events[N_STATES];
	int64_t first_us[N_STATES];	/* of the first event in each state */
	uint64_t first_event_id;	/* of the last instance, or 0 */
	uint64_t done_event_id;		/* of the last done event, or 0 */
	bool is_open;			/* an instance has started, not ended */
	bool wrote_prerequisites;	/* of any instance */
	int64_t open_since_us;		/* if is_open: start, or INT_UNKNOWN */
	/* These are set only if tasks are written: */
	uint64_t n_runs;
	int64_t start_us, end_us, thread;	/* of the first run, or
						   INT_UNKNOWN */
	int64_t sum_us;			/* the time of all runs */
	sym operation;
	uint32_t first_dep, n_deps;	/* its range of execution.deps */
	int64_t called_us;		/* the part of sum_us that is the time
					   of called plans, which are tasks */
	struct task_ref last_called;	/* the last task of the last of them */
	bool has_dependent;		/* a task depends on it */
};

/* Refers to an execution that may have been removed: see plans_get(). */
struct execution_ref {
	uint64_t id;		/* 0: none */
	uint32_t index;		/* in plans.executions */
};

/* A plan that a supervisor's execution initiates on a worker. */
struct remote_plan {
	struct execution_ref execution;
	int64_t elapsed_us;	/* set when the execution is removed, if known;
				   otherwise INT_UNKNOWN */
};

struct execution {
	struct {
		uint32_t session, client;	/* symbols, or SYM_NONE */
		int64_t tag;
	} key;
	uint64_t id;
	struct span program, version, user;	/* in the arena */
	bool has_row;		/* its row has been written */
	bool is_finished;	/* plans_finish() has been called */
	bool has_query;		/* the row of its query has been written */
	struct execution_ref parent;	/* the execution that initiates it, if
					   known and of the same session */
	int64_t call_pc;	/* of the parent's instruction that calls it;
				   0: unknown */
	uint64_t root;		/* see plans_root(); 0 unless an execution of
				   another session initiates it */
	struct remote_plan *remote_plans;	/* in their order, of all its
						   connections */
	size_t n_remote_plans, remote_plans_cap;
	size_t n_connections;		/* with which it is a supervisor */
	struct execution_ref supervisor;	/* whose remote_plans have it */
	size_t remote_index;			/* in remote_plans */
	struct execution_ref next;	/* the next one of its connection: see
					   links.h */
	struct task_ref after;	/* the last task of the one before it, once
				   that has been removed */
	uint32_t thread;	/* see links_resolve() (links.h); or
				   INDEX_NONE */
	struct arena arena;
	struct variable *variables;
	size_t n_variables, variables_cap;
	struct map by_name;	/* variables */
	struct instruction *instructions;
	size_t n_instructions, instructions_cap;
	struct map by_pc;	/* instructions */
	int64_t *deps;		/* pcs of the prerequisites, by instruction */
	size_t n_deps, deps_cap;
	struct execution *older, *newer;	/* by last event, or NULL */
	uint32_t index;		/* in plans.executions */
};

/*
 * An execution is removed when EXECUTIONS_MAX others have had events after its
 * last event, or when FINISHED_MAX others have finished after it.  Until then
 * late events are added to it.  Executions with tag 0 are removed earlier: see
 * plans_finish().
 */
enum { EXECUTIONS_MAX = 4096, FINISHED_MAX = 64 };

struct plans {
	struct intern names;		/* sessions, clients, operations */
	struct map map;			/* of executions, by key */
	struct execution *executions[EXECUTIONS_MAX];	/* NULL: free */
	uint32_t free[EXECUTIONS_MAX];	/* free indexes in executions */
	size_t n_free;
	struct execution *oldest, *newest;	/* by last event, or NULL */
	struct execution_ref finished[FINISHED_MAX];	/* a ring buffer */
	size_t next_finished;
	void (*on_remove)(void *context, struct execution *);
	void *context;
};

/*
 * on_remove is called before an execution is removed and freed.
 * plans_remove_all() removes all executions; plans_release() frees what remains
 * after that.
 */
void plans_init(struct plans *,
    void (*on_remove)(void *context, struct execution *), void *context);
void plans_remove_all(struct plans *);
void plans_release(struct plans *);

/*
 * Finds or adds the execution of an event.  A new one has the id 0, which the
 * caller replaces.
 */
struct execution *plans_find_or_add(struct plans *, const struct event *);

/* The execution with this tag and the session and client of x, or NULL. */
struct execution *plans_find_tag(struct plans *, const struct execution *x,
    int64_t tag);

struct execution_ref plans_ref(const struct execution *);

/* The execution; NULL if it has been removed. */
struct execution *plans_get(const struct plans *, struct execution_ref);

/*
 * The execution_id of the first execution in the chain of initiators that leads
 * to this one.  If the execution is a part of a query, that is the query's.
 */
uint64_t plans_root(const struct plans *, const struct execution *);

/*
 * Call this when an execution has ended.  The execution is removed later, or at
 * once if its tag is 0, which means that the server has no tags.
 */
void plans_finish(struct plans *, struct execution *);

/*
 * Finds or adds an instruction or a variable.  The pointer is valid until the
 * execution gets another instruction or variable, respectively.
 */
struct instruction *plan_find_or_add_instruction(struct execution *,
    int64_t pc);
struct variable *plan_find_or_add_variable(struct execution *, struct span name,
    bool *is_new);

/* The instruction at pc, or NULL. */
struct instruction *plan_find_instruction(const struct execution *,
    int64_t pc);

/* Whether an instruction of the execution has assigned the variable. */
bool plan_is_assigned(const struct execution *, struct span name);

/* Records that the instruction at pc has assigned the variable. */
void plan_add_assignment(struct variable *, int64_t pc);

/* The last instruction before pc that has assigned the variable; 0 if none. */
int64_t plan_last_assignment(const struct variable *, int64_t pc);
