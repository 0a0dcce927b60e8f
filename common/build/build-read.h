#pragma once

#include "common/build/build.h"
#include "common/json/rec.h"

struct filter;

/*
 * One build while its records are read.  The symbols in a build are not valid
 * before build_index().
 */

/* Indexes of build_keys.  TARGET is the last: see struct labels. */
#define BUILD_KEYS(K)							\
	K(ID, "id") K(KIND, "kind") K(START, "start_us")		\
	K(END, "end_us") K(ELAPSED, "elapsed_us") K(UID, "uid")		\
	K(CONSUMER, "consumer") K(HOST, "host")				\
	K(FROM_CACHE, "from_cache") K(FAILED, "failed")			\
	K(TOTAL, "total_time") K(START_EVENT, "start_event")		\
	K(DEPLOYED, "deployed_us") K(TRANSFER, "transfer_us")		\
	K(WAIT, "wait_us") K(SIZE, "size_bytes") K(RULE, "rule")	\
	K(DEPS, "deps") K(NODE_TYPE, "node_type") K(TEST, "test")	\
	K(DYNAMIC, "dynamically_resolved_cache") K(OUTPUTS, "outputs")	\
	K(RUN, "run") K(FORMAT, "format") K(NAME, "name")		\
	K(EARLIER_RUNS, "earlier_runs") K(STATUS, "status")		\
	K(ORIGIN_HOST, "origin_host") K(PREPARE, "prepare")		\
	K(DEPLOY, "deploy_us") K(READY, "ready_tasks")			\
	K(SKIPPED, "skipped") K(UNKNOWN_DEPS, "unknown_deps")		\
	K(MIXED_RUNS, "mixed_runs") K(LACKS, "lacks")			\
	K(INCREMENTAL, "incremental") K(PATH, "path") K(STEP, "step")	\
	K(WAITING, "waiting_us") K(POTENTIAL, "potential_us")		\
	K(EXECUTION, "execution_id") K(LIMIT, "limit")			\
	K(LOAD_LIMIT, "load_limit") K(WORKER, "worker")			\
	K(STARTED, "started_us") K(PARENT, "parent")			\
	K(TARGET, "target")
KEY_INDEXES(BUILD_KEYS);

/*
 * Placeholders for symbols, which build_index() replaces.
 *
 * The owner of a dependency or output is the record that lists it.  The owner's
 * index is stored instead of its id, whose symbol is not yet known: the index
 * of a node, or the index of a task plus OWNER_IS_TASK.
 *
 * A uid that is equal to the id of its task, as most are, is not interned a
 * second time: UID_IS_ID is stored.
 */
#define OWNER_IS_TASK (UINT32_C(1) << 31)
#define UID_IS_ID (SYM_NONE - 1)

/* Read a `task` or `node` record, or reject it. */
void build_read_task(struct build *, struct filter *, const struct rec *);
void build_read_node(struct build *, struct filter *, const struct rec *);

/*
 * Adds a `build` record to the build, as build_add_extent() does.  Returns
 * false after rejecting it, for example if it ends before it starts.
 */
bool build_read_extent(struct build *, struct filter *, const struct rec *);

/*
 * Widens the build's start and end to include others, either of which may be
 * INT_UNKNOWN, and adds to the number of its earlier runs.
 */
void build_add_extent(struct build *, int64_t start_us, int64_t end_us,
    int64_t n_earlier_runs);
