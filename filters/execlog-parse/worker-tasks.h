#ifndef EXECLOG_WORKER_TASKS_H
#define EXECLOG_WORKER_TASKS_H

#include <stdint.h>

#include "common/base/text.h"

/*
 * Tasks of a distbuild log that may name a worker instead of a host: prepare
 * tasks, and runs taken from the cache.  They wait until the worker's host is
 * known (worker-hosts.h).
 */
struct filter;

void worker_tasks_init(struct filter *);

/*
 * An event of prepare.  what was prepared is "resources" or "repository", the
 * latter with a pattern.  Prepare tasks are few: all wait for the end.
 */
void worker_tasks_prepare_start(uint64_t number, int64_t us);
void worker_tasks_prepared(uint64_t number, const char *what,
    struct span pattern, int64_t us);

/*
 * A run taken from the cache.  host is a name, or digits: a worker's number.
 * With a name it is emitted at once.  Of the others the last 4096 wait.
 */
void worker_tasks_cached(struct span uid, struct span host, int64_t us,
    struct span status, int64_t size_bytes);

/* Emits all that waits.  The evidence must be complete. */
void worker_tasks_finish(void);

#endif
