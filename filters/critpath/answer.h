#ifndef CRITPATH_ANSWER_H
#define CRITPATH_ANSWER_H

#include "filters/critpath/network.h"

struct filter;

/* A task on a path. */
struct step {
	uint32_t vertex;
	int64_t drag_us;	/* only on the first path */
	int64_t waiting_us;	/* from the end of the previous step to the
				   start of this one; < 0: they overlap */
};

struct path {
	struct step *steps;
	size_t n;
	int64_t length_us;
	/*
	 * The account of the wall time:
	 * wall time = length + waiting - overlap + after.
	 * It is valid only if is_timed: the recorded times of all steps are
	 * known, and what_if has not changed them.
	 */
	bool is_timed;
	int64_t waiting_us, overlap_us, after_us;
};

struct answer {
	const struct network *net;
	struct path *paths;	/* the longest first */
	size_t n_paths;		/* 0 if the network has no end */
	size_t n_requested;
	bool what_if;		/* --set or --drop changed weights */
	int64_t recorded_us;	/* if what_if: the length before the change */
	uint64_t workers;	/* 0: not simulated */
	int64_t simulated_us;	/* until the workers have done all tasks */
};

/*
 * The length of the longest path to an end of the network; 0 if the network has
 * no end.
 */
int64_t answer_length(const struct network *);

/*
 * Finds up to n paths.  The first is the longest path to an end of the network;
 * each further one is the longest path through any task that is not on the
 * previous ones.  The caller then sets recorded_us, workers and simulated_us.
 */
void answer_find(struct answer *, const struct network *, size_t n,
    bool what_if);
void answer_release(struct answer *);

/*
 * Emits the paths as records.  If `all` is true, emits every task with its
 * slack and drag before them.
 */
void answer_emit(const struct answer *, struct filter *, bool all);

/*
 * Writes the paths as a report.  If `all` is true, adds the tasks with the
 * least slack.
 */
void answer_report(const struct answer *, struct filter *, bool all);

/*
 * Computes the slack of a vertex.  Returns false if no path leads from the
 * vertex to an end.
 */
bool answer_slack(const struct answer *, uint32_t vertex, int64_t *slack_us);

struct kind_time {
	sym kind;
	int64_t us;
};

/* The time on a path, by kind of task.  The caller frees the array. */
struct kind_time *answer_by_kind(const struct answer *, const struct path *,
    size_t *n);

#endif
