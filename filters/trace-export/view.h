#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/intern.h"
#include "common/build/paths.h"

/*
 * A build as a trace viewer shows it: a process for each host, in it a thread
 * for each lane, and in the lanes the tasks.
 */
struct build;
struct task;

/* The keys, after those of build_keys, whose values are read. */
enum kept { KEPT_STATUS, KEPT_SLACK, KEPT_DRAG, KEPT_THREAD, KEPT_EXECUTION,
    KEPT_TAG, KEPT_PC, KEPT_RUNS };
extern const char *const kept_keys[];

/* What shares lanes, in the order in which they are shown. */
enum track_class { CALLS, SLOTS, THREADS, COPIES, PREPARES };

struct slice {
	int64_t start, end;	/* in microseconds since view.origin_us */
	int64_t thread;		/* of THREADS; otherwise 0 */
	uint32_t task;
	uint32_t process;
	uint32_t lane;		/* of its track, from 0 */
	uint32_t step;		/* of the path, from 1; 0: none */
	enum track_class class : 8;
	bool failed;
};

/* Slices of one process and class, and, if it is THREADS, of one thread. */
struct track {
	size_t first, n;	/* slices */
	uint32_t n_lanes, first_tid;
};

struct process {
	sym name;		/* of view.names */
	size_t first, n;	/* tracks */
	uint64_t n_tasks;
};

struct view {
	struct build *build;
	int64_t origin_us;	/* the earliest time; 0 without slices */
	int64_t wall_us;	/* from there to the latest time */
	struct intern names;
	struct slice *slices;	/* by process, class, thread, start */
	size_t n_slices;
	struct track *tracks;
	size_t n_tracks, tracks_cap;
	struct process *processes;	/* by name */
	size_t n_processes;
	uint32_t *slice_of_step;	/* index; INDEX_NONE: not shown */
	const struct path_step *steps;
	size_t n_steps;
	uint64_t n_untimed;	/* tasks without a start or an end */
	uint64_t n_sums;	/* tasks whose time is a sum of intervals */
};

/* Makes the view of a build whose attempts are resolved. */
void view_make(struct view *, struct build *,
    const struct path_step *steps, size_t n_steps);
void view_release(struct view *);

/* The value of a kept key, if it is an integer >= 0; otherwise INT_UNKNOWN. */
int64_t view_number(const struct build *, const struct task *, enum kept);
