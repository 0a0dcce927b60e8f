#ifndef EXECLOG_OPEN_H
#define EXECLOG_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"

/*
 * The tasks of a distbuild log that have begun or ended, and not both yet.
 * Each is written when it is complete.
 */
struct filter;

enum task_kind { FREE, RUN, COPY };

/* The piece of a line that names a task, and where its words begin. */
struct task_key {
	struct span text;	/* "UID HOST" of a run, "UID HOST DEP" of a
				   copy */
	size_t host, dep;	/* dep means nothing for a run */
};

void open_begin(struct filter *);

/*
 * A task began, by the event that says so (started, dep_start) or by the early
 * one (deployed, dep_wait).  True if it is the earliest known of the task.
 */
bool open_start(enum task_kind, struct task_key, bool early, int64_t us);

/* A task ended.  word is its status, or where the copy came from. */
bool open_finish(enum task_kind, struct task_key, int64_t us,
    struct span word, int64_t size_bytes);

/* Writes what is still open. */
void open_end(void);

#endif
