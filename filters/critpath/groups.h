#pragma once

#include "filters/critpath/answer.h"

/* The tasks of a network in groups: one for each value of a key. */
struct groups {
	const char *by;		/* the key */
	struct intern values;	/* group i has the value with symbol i */
	struct group {
		sym value;
		uint64_t n_tasks;
		int64_t work_us;	/* the time of all its tasks */
		int64_t path_us;	/* of those on the first path */
		int64_t potential_us;	/* what would be saved if all its tasks
					   took no time */
		int64_t saved_us;	/* the same with workers, as in struct
					   step */
	} *list;		/* what saves most first */
	size_t n;
};

/*
 * Groups the tasks that have a key, `by`, which keys_add() has added.  The
 * answer must have a path.  `by` is borrowed.
 */
void groups_find(struct groups *, const struct answer *, const char *by);
/* The same, in no order, and only with the work of each group. */
void groups_sum_work(struct groups *, const struct network *, const char *by);
void groups_release(struct groups *);

void groups_emit(const struct groups *, const struct build *, struct filter *);
void groups_report(const struct groups *, const struct answer *, struct buf *);
