#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"

/*
 * Finds the host on which a worker of a distbuild log runs.  A uid identifies
 * a command that is to be run.
 *
 * prepare_start, resources_prepared, repository_prepared and some
 * finished_from_cache name a worker by number and not by host.  The number is
 * resolved by evidence from two sources:
 *
 * - The event `deploy`, not to be confused with `deployed`, links a uid to a
 *   worker's number.
 * - A host event links a uid to a host.  It is the earliest event of a run
 *   (deployed, started or finished) with this uid and host, so a uid that ran
 *   on several hosts has a host event for each.
 *
 *	100 deploy u 7 1			worker 7 gets u
 *	103 started u ash-1			u runs on ash-1, so 7 is there
 *	104 finished_from_cache v 7 OK 9	v came from the cache of ash-1
 *
 * Several workers may be on one host.  A uid may be deployed and run several
 * times, and logs contradict themselves, so evidence is ranked:
 *
 * 1. Each host event of a uid is paired with one deploy of the uid: the latest
 *    deploy that is not after the host event or, if there is none, the earliest
 *    deploy after it.  Of deploys at one time it is the one to the worker with
 *    the smallest number.
 * 2. Of all pairs for one worker the strongest wins: one with the host event
 *    not before the deploy is stronger than one with it before; then the one
 *    with the smaller gap in time; then the one with the smaller host name.
 *
 * So the order of the lines does not matter, within two limits on what is kept
 * in memory.  Each uid has at most 64 deploys and host events together: those
 * that come first in the log.  All uids are kept that neither have a host event
 * nor came from the cache, but of the others only the last 4096 to get their
 * first host event, or to come from the cache.  The events of a uid are paired
 * before it is dropped.
 *
 * A worker without evidence is written as the host worker-N, where N is its
 * number.
 */
struct buf;
struct filter;

struct deploy {
	int64_t us;
	uint64_t worker;	/* its number */
	int64_t n_ready;	/* tasks in the scheduler's queue, or
				   INT_UNKNOWN */
};

/* Where the deploys of a uid are; valid even when they have been dropped. */
struct uid_ref {
	uint32_t index, generation;
};

/*
 * A deploy that has not been taken when it is dropped is written as a task to
 * the output of this filter, so that none is lost.
 */
void worker_hosts_init(struct filter *);
void worker_hosts_release(void);

/* Adds a deploy of the uid to the worker with this number. */
void worker_hosts_add_deploy(struct span uid, uint64_t number, int64_t us,
    int64_t n_ready);

/*
 * Adds an event of a run.  It becomes the host event of the uid and host if no
 * earlier one is known.
 */
struct uid_ref worker_hosts_add_host_event(struct span uid, struct span host,
    int64_t us);

/*
 * Takes the latest deploy of a uid that is not after us, the earliest event of
 * a run or when it came from the cache.  Returns false if there is none.
 */
bool worker_hosts_take_deploy(struct uid_ref, int64_t us, struct deploy *);
bool worker_hosts_take_cached(struct span uid, int64_t us, struct deploy *);

/* Drops all deploys.  Call it at the end of the log. */
void worker_hosts_report_unused(void);

/* Resolves all workers from all evidence.  Call it at the end of the log. */
void worker_hosts_resolve_all(void);

/*
 * Writes the worker with this number as the member `host`: the host to which
 * the evidence so far resolves it, or worker-N.  The host is not final:
 * stronger evidence that comes later replaces it.
 */
void worker_hosts_put(struct buf *, uint64_t number);

/* Writes `worker`, `deploy_us` and, if it is known, `ready_tasks`. */
void worker_hosts_put_deploy(struct buf *, const struct deploy *);
