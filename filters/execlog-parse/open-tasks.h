#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

/*
 * Collects the events of the runs and copies of a distbuild log, and writes a
 * task when it is complete.  Until then the task is called open.
 */
struct filter;

enum task_kind {
	TASK_UNUSED,		/* a free entry of the table of open tasks */
	TASK_RUN, TASK_COPY
};

/* The part of a line that identifies a task. */
struct task_key {
	struct span text;	/* run: "UID HOST"; copy: "UID HOST DEP" */
	size_t host, dep;	/* offsets of HOST and DEP in text; dep is
				   ignored for a run */
};

/* Tasks are written to the output of this filter. */
void open_tasks_init(struct filter *);

/*
 * Adds one of the two start events of a task: the early one (deployed or
 * dep_wait) if is_early, and otherwise the other one (started or dep_start).
 * n_deps is the DEP-COUNT of a copy, or INT_UNKNOWN; for a run it is ignored.
 */
void open_tasks_add_start(enum task_kind, struct task_key, bool is_early,
    int64_t us, int64_t n_deps);

/*
 * Adds the end of a task.  word is the status of a run, or the host from which
 * a copy came.  size_bytes is INT_UNKNOWN if it is not known.
 */
void open_tasks_add_end(enum task_kind, struct task_key, int64_t us,
    struct span word, int64_t size_bytes);

/* Writes the tasks that are still open, and frees all memory. */
void open_tasks_finish(void);
