#ifndef MALPARSE_TASKS_H
#define MALPARSE_TASKS_H

#include "filters/malparse/plan.h"

/*
 * Instructions as tasks (weir-records(5)): what ran, from when, how long, and
 * after what.  A plan and its dataflow blocks only contain others and are
 * none.  An instruction that ran several times is one task, of their sum.
 */
struct filter;

/* Adds a run, from its start (or INT_UNKNOWN) and how long it took. */
void tasks_run(struct plans *, struct instruction *, const struct event *,
    int64_t start_us, int64_t elapsed_us);

/* Writes the tasks of an execution, by their pc. */
void tasks_write(struct filter *, const struct plans *,
    const struct execution *);

#endif
