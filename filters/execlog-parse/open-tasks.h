#ifndef EXECLOG_OPEN_TASKS_H
#define EXECLOG_OPEN_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

/*
 * The runs and copies of a distbuild log of which not all events are known yet.
 * A task is written when it is complete.
 */
struct filter;

enum task_kind { TASK_UNUSED, TASK_RUN, TASK_COPY };

/* The part of a line that identifies a task, and where its words begin. */
struct task_key {
	struct span text;	/* run: "UID HOST"; copy: "UID HOST DEP" */
	size_t host, dep;	/* offsets; a run has no dep */
};

void open_tasks_init(struct filter *);

/*
 * A task began.  is_early says by which of its two start events: deployed or
 * dep_wait if true, started or dep_start if false.  Returns whether this is the
 * earliest event known of the task.
 */
bool open_tasks_add_start(enum task_kind, struct task_key, bool is_early,
    int64_t us);

/*
 * A task ended.  word is a run's status, or the host a copy came from.
 * Returns the same.
 */
bool open_tasks_add_end(enum task_kind, struct task_key, int64_t us,
    struct span word, int64_t size_bytes);

/* Writes the tasks that are still open, and frees all. */
void open_tasks_finish(void);

#endif
