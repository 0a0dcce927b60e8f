#pragma once

#include "filters/malstat/executions.h"

/*
 * A piece of work: a period in which a work instance was the innermost instance
 * of its lane.
 */
struct piece {
	int64_t start_us, end_us;
	uint32_t instance;	/* index in trace.instances */
};
struct pieces {
	struct piece *list;
	size_t n, cap;
};

/*
 * Sets the self times of all instances, and collects the pieces of work in the
 * order of the lanes.  scopes_make() takes over pieces.list.
 */
void trace_measure(struct trace *, struct pieces *);
