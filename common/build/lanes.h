#ifndef WEIR_LANES_H
#define WEIR_LANES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Divides the tasks of one host into lanes, in which no two tasks overlap, for
 * pictures and for trace viewers.  Times are in any unit.
 */
struct lane_task {
	int64_t start, end;	/* start < end */
	uint32_t lane;		/* from 0; set by lanes_assign() */
};

/*
 * Gives each task the lowest lane that is free at its start, and returns the
 * number of lanes: the most tasks that overlap, which is the least possible
 * number.  A lane is free again at the end of its task, so a task that starts
 * then may follow.  The tasks must be sorted by start.
 */
uint32_t lanes_assign(struct lane_task *, size_t n);

#endif
