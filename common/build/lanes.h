#pragma once

#include <stdint.h>

#include "common/base/heap.h"

/*
 * Divides the tasks of one host into lanes, in which no two tasks overlap, for
 * pictures and for trace viewers.  Times are in any unit.  Start with { 0 }.
 */
struct lanes {
	struct heap busy;	/* lanes by the end of their task */
	struct heap idle;	/* lanes by number */
	uint32_t n;		/* the most tasks that overlap, which is the
				   least possible number of lanes */
};

/*
 * Returns the lowest lane, from 0, that is free at the start of a task, which
 * is before its end.  A lane is free again at the end of its task, so a task
 * that starts then may follow.  Tasks must be added in the order of starts.
 */
uint32_t lanes_add(struct lanes *, int64_t start, int64_t end);
void lanes_release(struct lanes *);
