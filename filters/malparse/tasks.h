#ifndef MALPARSE_TASKS_H
#define MALPARSE_TASKS_H

#include "filters/malparse/plan.h"

/*
 * Writes instructions as tasks (weir-records(5)): what ran, when, how long, and
 * what it depended on.  Instructions that contain others are not tasks: the one
 * at pc 0, whose time is that of the whole plan, and language.dataflow, whose
 * time is that of a block.  An instruction that ran several times is one task
 * with the sum of the times.
 */
struct filter;

/* Adds one run of an instruction; start_us may be INT_UNKNOWN. */
void tasks_add_run(struct plans *, struct instruction *, const struct event *,
    int64_t start_us, int64_t elapsed_us);

/* Writes the tasks of an execution, in the order of their pcs. */
void tasks_write(struct filter *, const struct plans *,
    const struct execution *);

#endif
