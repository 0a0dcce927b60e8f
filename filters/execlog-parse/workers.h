#ifndef EXECLOG_WORKERS_H
#define EXECLOG_WORKERS_H

#include <stdint.h>

#include "common/base/text.h"

/*
 * Some events of the distbuild log name a worker by number and not by host:
 * all of prepare and some of finished_from_cache.  `deploy` ties a uid to a
 * worker, the events of a run tie it to a host; both together tell where a
 * worker lives.  Several may live on one host.  Where the evidence disagrees,
 * the deploy nearest before a host event wins.
 */
struct filter;

void workers_begin(struct filter *);
void workers_deploy(struct span uid, uint64_t worker, int64_t us);
void workers_host(struct span uid, struct span host, int64_t us);

/* Prepare tasks are few; they are emitted at the end, when all is known. */
void workers_prepare_start(uint64_t worker, int64_t us);
void workers_prepared(uint64_t worker, const char *what, struct span pattern,
    int64_t us);

/* A task taken from the cache, by a host or by a worker's number. */
void workers_cached(struct span uid, struct span host, int64_t us,
    struct span status, int64_t size_bytes);

/* Emits what waits; workers never bound are called worker-N. */
void workers_end(void);

#endif
