#pragma once

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
 * Adds a prepare_start of the worker with this number if what is NULL, and
 * otherwise the end of a prepare task: `what` is "resources" or "repository",
 * and pattern that of the repository, or empty.  Prepare tasks are few, so all
 * are kept until worker_tasks_finish().
 */
void worker_tasks_add_prepare(uint64_t number, const char *what,
    struct span pattern, int64_t us);

/*
 * Adds a run taken from the cache.  If host is a name, the run is emitted at
 * once.  If host is a worker's number, the run is kept until 4096 more such
 * runs have been added, and then emitted with the host known by then.
 */
void worker_tasks_add_cached(struct span uid, struct span host, int64_t us,
    struct span status, int64_t size_bytes);

/*
 * Emits all remaining tasks, with hosts resolved from the evidence of the whole
 * log, and frees all memory.
 */
void worker_tasks_finish(void);
