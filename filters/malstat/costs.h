#pragma once

#include "filters/malstat/cores.h"
#include "filters/malstat/queries.h"
#include "filters/malstat/scope.h"
#include "filters/malstat/executions.h"

/* Sums over the instances of one operation and kind. */
struct operation {
	sym name;
	enum instance_kind kind;
	uint64_t n;		/* instances */
	int64_t self_us;
	int64_t total_us;	/* from start to end, of all instances */
	int64_t longest_us;	/* from start to end, of the longest one */
};

/*
 * What malstat reports about one scope (scope.h); malstat(1) defines the terms.
 * Members that name an instance or execution are indexes in trace.instances or
 * trace.executions.
 */
struct costs {
	const struct trace *trace;	/* borrowed */
	uint32_t root;			/* execution of the query, or INDEX_NONE
					   if the scope is the whole trace */
	int64_t busy_us;		/* self time of all work */
	struct operation *operations;	/* of KIND_WORK, costliest first */
	size_t n_operations;
	struct operation *containers;	/* of other kinds, by kind and name; in
					   the same array, after operations */
	size_t n_containers;
	uint32_t *costliest;		/* work instances, costliest first */
	size_t n_work;			/* length of costliest */
	size_t n_instances, n_untimed;	/* of all kinds */
	struct cores *cores;		/* each session before its blocks, of
					   the timed instances */
	size_t n_cores, cores_cap, n_sessions;
};

/* The use of cores while queries ran is only measured for a whole trace. */
void costs_make(struct costs *, const struct trace *, const struct scope *,
    const struct queries *);
void costs_release(struct costs *);

/*
 * Sets only busy_us and the lists of operations and containers, which start at
 * costs.operations and are freed by the caller.  costs.trace must be set.
 */
void costs_sum(struct costs *, const struct scope *);
