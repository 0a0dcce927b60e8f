#ifndef EXECLOG_WORKER_HOSTS_H
#define EXECLOG_WORKER_HOSTS_H

#include <stdint.h>

#include "common/base/text.h"

/*
 * Finds the host that a worker number of the distbuild log refers to.
 *
 * prepare_start, resources_prepared, repository_prepared and some
 * finished_from_cache name a worker by number and not by host.  The number is
 * resolved by evidence: `deploy` links a uid to a worker, and the first event
 * of a run (deployed, started or finished) links the uid to a host.
 *
 *	100 deploy u 7 1			worker 7 gets u
 *	103 started u ash-1			u runs on ash-1, so 7 is there
 *	104 finished_from_cache v 7 OK 9	v came from the cache of ash-1
 *
 * Several workers may be on one host.  A uid may be deployed and run several
 * times, and logs contradict themselves, so evidence is ranked:
 *
 * 1. Each host event of a uid is paired with one deploy of the uid: the latest
 *    that is not after it or, if there is none, the earliest after it.
 * 2. Of all pairs for one worker the strongest wins: one with the host event
 *    not before the deploy is stronger than one with it before; then the one
 *    with the smaller gap in time; then the one with the smaller host name, so
 *    that the order of the lines does not matter.
 *
 * Memory is bounded, which limits what is paired: the first 64 deploys and
 * hosts of a uid, and the last 4096 uids that were seen on a host.
 *
 * A worker without evidence is written as the host worker-N.
 */
struct buf;

void worker_hosts_init(void);
void worker_hosts_release(void);

/*
 * Adds evidence: a deploy, or an event of a run on a host.  Of several events
 * with the same uid and host only the earliest counts.
 */
void worker_hosts_add_deploy(struct span uid, uint64_t number, int64_t us);
void worker_hosts_add_host_event(struct span uid, struct span host,
    int64_t us);

/* The index of a worker, from 0 in the order of first mention. */
uint32_t worker_hosts_find(uint64_t number);
uint64_t worker_hosts_number(uint32_t worker);

/* Resolves a worker from the evidence so far, if it has no host yet. */
void worker_hosts_resolve(uint32_t worker);

/* Resolves all workers.  Call it at the end of the log. */
void worker_hosts_resolve_all(void);

/* Writes the member `host` of a worker, from the evidence so far. */
void worker_hosts_put(struct buf *, uint32_t worker);

#endif
