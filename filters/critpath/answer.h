#pragma once

#include "common/build/network.h"

struct builds;
struct filter;
struct savings;

/* A task on a path. */
struct step {
	uint32_t vertex;
	int64_t drag_us;	/* see dag_drag(); 0 if this is not the first
				   path */
	int64_t saved_us;	/* what is saved with the workers of
				   answer.savings; INT_UNKNOWN if that is not
				   known */
	int64_t waiting_us;	/* from the end of the previous step, or the
				   start of the build, to the start of this
				   step; < 0 if they overlap.  Valid only if the
				   path's is_timed is true */
};

struct path {
	struct step *steps;
	size_t n;
	uint32_t end;		/* its last vertex, maybe a placeholder */
	int64_t length_us;	/* the sum of the times of the steps */
	bool is_timed;		/* the recorded times of all steps are known,
				   and what_if has not changed them */
	/*
	 * These account for the rest of the wall time; valid only if is_timed
	 * is true:
	 * wall time = length + waiting - overlap + after (the last step).
	 */
	int64_t waiting_us, overlap_us, after_us;
};

struct answer {
	const struct network *net;
	const struct builds *all;	/* among which net->build is one */
	struct path *paths;	/* the longest first */
	size_t n_paths;		/* 0 if the network has no end */
	size_t n_requested;	/* the n of answer_find() */
	bool what_if;		/* --set, --scale or --drop changed weights */
	int64_t recorded_us;	/* if what_if: the length before the change */
	uint64_t workers;	/* 0: not simulated */
	int64_t recorded_simulated_us;	/* if what_if: simulated_us before the
					   change */
	struct savings *savings;
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
 * previous ones.  The caller then sets all, recorded_us, workers and
 * simulated_us.
 */
void answer_find(struct answer *, const struct network *, size_t n,
    bool what_if);
void answer_release(struct answer *);

/* Finds what each step of the first path saves with workers; see savings.h. */
void answer_find_savings(struct answer *, struct savings *);

/*
 * Computes the slack of a vertex.  Returns false if no path leads from the
 * vertex to an end.
 */
bool answer_slack(const struct answer *, uint32_t vertex, int64_t *slack_us);

struct kind_time {
	sym kind;
	int64_t us;
};

/*
 * The time on a path, by kind of task: an array of n elements, which the caller
 * frees.
 */
struct kind_time *answer_by_kind(const struct answer *, const struct path *,
    size_t *n);
