#ifndef EXECLOG_WORKER_TASKS_H
#define EXECLOG_WORKER_TASKS_H

#include <stdint.h>

#include "common/base/text.h"

/*
 * Tasks of a distbuild log that may name a worker instead of a host: prepare
 * tasks, and runs taken from the cache.  They are kept until the worker's host
 * is likely to be known (worker-hosts.h).
 */
struct filter;

void worker_tasks_init(struct filter *);

/*
 * Adds a start or an end of a prepare task of a worker.  `what` is "resources"
 * or "repository"; a repository has a pattern, which is otherwise empty.
 * Prepare tasks are few, so all are kept until worker_tasks_finish().
 */
void worker_tasks_prepare_start(uint64_t number, int64_t us);
void worker_tasks_prepared(uint64_t number, const char *what,
    struct span pattern, int64_t us);

/*
 * Adds a run taken from the cache.  If host is a name, it is emitted at once.
 * If host is a worker's number, it is kept until 4096 more such runs have been
 * added.
 */
void worker_tasks_cached(struct span uid, struct span host, int64_t us,
    struct span status, int64_t size_bytes);

/* Emits all remaining tasks, from the evidence of the whole log. */
void worker_tasks_finish(void);

#endif
