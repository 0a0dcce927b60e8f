#ifndef CRITPATH_USAGE_H
#define CRITPATH_USAGE_H

#include "common/build/network.h"

/* How the recorded times of the tasks overlap. */
struct usage {
	bool is_known;		/* each task that took time has a start and an
				   end; otherwise all else is 0 */
	uint64_t most;		/* the most tasks, without copies, that ran at
				   once; a task that ends when another begins
				   does not overlap it */
	int64_t busy_us;	/* the time in which at least one task, or a
				   copy, ran */
};

void usage_measure(struct usage *, const struct network *);

#endif
