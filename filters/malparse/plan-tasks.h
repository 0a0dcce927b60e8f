#pragma once

#include "filters/malparse/plan.h"

/*
 * Writes instructions as tasks (weir-records(5)): what ran, when, how long, and
 * what it depended on.  Instructions that contain others are not tasks: the one
 * at pc 0, whose time is that of the whole plan, and language.dataflow, whose
 * time is that of a block.  An instruction that ran several times is one task
 * with the sum of the times.
 *
 * The tasks of a called plan continue the path of the call.  They come between
 * the task of the call, which keeps the rest of its time, and what depends on
 * the call.  Outside of blocks the instructions of such a plan depend on each
 * other in their order, because the call runs them in this order.  Example, of
 * a call at pc 4, on which 5 depends, of the plan with the execution_id 2:
 *
 *	1:4 user.f   <-  2:1 a.b  <-  2:2 a.c  <-  1:5 a.d
 *
 * Plans that a supervisor sends over one connection follow each other, too.  As
 * they have another clock, they are another run.  The supervisor's tasks only
 * name the executions that they waited for.
 */
struct filter;

/* Adds one run of an instruction; start_us may be INT_UNKNOWN. */
void plan_tasks_add_run(struct plans *, struct instruction *,
    const struct event *, int64_t start_us, int64_t elapsed_us);

/*
 * Writes the tasks of an execution, in the order of their pcs.  Call this once,
 * when the execution is removed.  The execution that calls it, and the next one
 * of its connection, depend on its last task if they are removed later.
 */
void plan_tasks_write(struct filter *, const struct plans *,
    struct execution *);
