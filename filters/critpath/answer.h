#ifndef CRITPATH_ANSWER_H
#define CRITPATH_ANSWER_H

#include "filters/critpath/network.h"

struct filter;

/* A step of a path, and what came between it and the step before. */
struct step {
	uint32_t vertex;
	int64_t drag_us;	/* of the first path's; its potential too */
	int64_t waiting_us;	/* until it began; < 0: they overlap */
};

struct path {
	struct step *steps;
	size_t n;
	int64_t length_us;
	/*
	 * The wall time, accounted for: wall = length + waiting - overlap +
	 * after.  Only if timed: every step has its recorded times.
	 */
	bool timed;
	int64_t waiting_us, overlap_us, after_us;
};

struct answer {
	const struct network *net;
	struct path *paths;	/* the longest first; none if no task */
	size_t n_paths, n_wanted;
	bool what_if;		/* weights are not as recorded, which gave ... */
	int64_t recorded_us;	/* ... this length */
	uint64_t workers;	/* 0: not simulated */
	int64_t simulated_us;
};

/* The length of the longest path to the network's ends. */
int64_t answer_length(const struct network *);

/*
 * Finds the n longest paths to the network's ends, each through a task that is
 * on none before it.  With what_if, times are not accounted for.
 */
void answer_find(struct answer *, const struct network *, size_t n,
    bool what_if);
void answer_release(struct answer *);

/* As records; with all, every task with its slack and drag comes first. */
void answer_emit(const struct answer *, struct filter *, bool all);

/* As a report. */
void answer_report(const struct answer *, struct filter *, bool all);

/* slack and drag of a vertex; false if it leads to no end. */
bool answer_slack(const struct answer *, uint32_t vertex, int64_t *slack_us);

/* By kind: the time on a path; the caller frees both. */
struct kind_time {
	sym kind;
	int64_t us;
};
struct kind_time *answer_by_kind(const struct answer *, const struct path *,
    size_t *n);

#endif
