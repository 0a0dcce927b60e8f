#ifndef CRITPATH_ANSWER_H
#define CRITPATH_ANSWER_H

#include "filters/critpath/network.h"

struct filter;

/* A task on a path. */
struct step {
	uint32_t vertex;
	int64_t drag_us;	/* only on the first path */
	int64_t waiting_us;	/* from the end of the step before to its
				   start; < 0: they overlap */
};

struct path {
	struct step *steps;
	size_t n;
	int64_t length_us;
	/*
	 * wall time = length + waiting - overlap + after, if is_timed: every
	 * step has its recorded times.
	 */
	bool is_timed;
	int64_t waiting_us, overlap_us, after_us;
};

struct answer {
	const struct network *net;
	struct path *paths;	/* the longest first; none without tasks */
	size_t n_paths, n_wanted;
	bool what_if;		/* weights differ from the recorded times */
	int64_t recorded_us;	/* with what_if: the length before */
	uint64_t workers;	/* 0: not simulated */
	int64_t simulated_us;	/* until all is done by the workers */
};

/* The length of the longest path to an end of the network; 0 without one. */
int64_t answer_length(const struct network *);

/*
 * Finds the longest path to an end of the network, and then n - 1 times the
 * longest one through any task that is on no path yet.
 */
void answer_find(struct answer *, const struct network *, size_t n,
    bool what_if);
void answer_release(struct answer *);

/* Emits records; with all, first every task with its slack and drag. */
void answer_emit(const struct answer *, struct filter *, bool all);

/* Writes a report; with all, also the tasks with the least slack. */
void answer_report(const struct answer *, struct filter *, bool all);

/* The slack of a vertex; false if no path leads from it to an end. */
bool answer_slack(const struct answer *, uint32_t vertex, int64_t *slack_us);

/* The time on a path by kind of task; the caller frees the array. */
struct kind_time {
	sym kind;
	int64_t us;
};
struct kind_time *answer_by_kind(const struct answer *, const struct path *,
    size_t *n);

#endif
