#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/intern.h"
#include "common/build/paths.h"

struct build;
struct filter;
struct task;

/* --- document.c ---------------------------------------------------------- */

/*
 * A document of trace events in Chrome's JSON format, one event a line.  It is
 * begun with the first event, so that nothing is written if none comes.
 *
 * Times are in microseconds, as the format demands.  The keys of an event come
 * in the order ph, ts, dur, pid, tid, name, cat, args: older versions of
 * Perfetto searched for the first ones with a simple scanner.
 */

struct document {
	struct filter *f;
	bool has_events;
	struct buf runs;	/* the records of the runs, for `metadata` */
};

/* Where an event is shown. */
struct place {
	uint64_t pid, tid;
};

/*
 * Begin an event, up to `tid`.  The caller adds a name and ends the event.  A
 * task is a slice, or an instant if it took no time: viewers confuse slices
 * without it.
 */
struct buf *document_begin(struct document *, const char *phase, struct place,
    int64_t us);
struct buf *document_begin_task(struct document *, struct place,
    int64_t start_us, int64_t end_us);
void document_end_event(struct document *);

/* Writes an event that names or orders a process or thread. */
void document_put_name(struct document *, const char *what, struct place,
    struct span name);
void document_put_sort_index(struct document *, const char *what,
    struct place, int64_t index);

/*
 * A member whose value comes from the input.  DEL is escaped as well: Perfetto
 * rejects it, as it does other control characters.
 */
void document_str(struct buf *, const char *key, struct span);

/* The same for a name, of which at most 200 bytes are written. */
void document_name(struct buf *, const char *key, struct span);

/* Adds a run to the `metadata`; run is NULL if the records have none. */
void document_add_run(struct document *, const char *run, int64_t start_us,
    int64_t wall_us, uint64_t n_tasks);

/* Ends the document, if it was begun. */
void document_end(struct document *);

/* --- view.c -------------------------------------------------------------- */

/*
 * A build as a trace viewer shows it: a process for each host, in it a thread
 * for each lane, and in the lanes the tasks.
 */

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

/* --- counter.c ----------------------------------------------------------- */

/*
 * How many tasks run at a time, by kind: the counter "running" of a process.
 * Calls are not counted, since they contain other tasks.
 */

/*
 * Writes the counter of n slices, unless d is NULL, and returns the number of
 * its events.  If n_parts is not 0, the time is divided into at most that many
 * parts, and each value is the mean over one of them.
 */
size_t counter_write(struct document *, const struct view *,
    const struct slice *, size_t n, uint64_t pid, size_t n_parts);

/* --- tasks.c ------------------------------------------------------------- */

/*
 * Writes the tasks of a view.
 *
 * If unit_us is not 0, tasks are merged: in each lane, a task shorter than the
 * unit that starts less than a unit after the end of the merged tasks before it
 * is merged with them.  Tasks that failed, or are on the path, are not merged.
 */
struct tasks {
	struct document *d;	/* NULL: only counts */
	const struct view *p;
	uint64_t first_pid;	/* of the first process */
	int64_t unit_us;

	/* Counted by tasks_write(). */
	uint64_t n_events;
	uint64_t n_merged;	/* tasks that are not shown by themselves */
	uint64_t n_merges;	/* what is shown in place of them */
};

void tasks_write(struct tasks *);

/* The place of a slice. */
struct place tasks_place(const struct tasks *, const struct slice *);

/* The names of the process and threads of the tasks of process i. */
void tasks_put_names(const struct tasks *, size_t i);

/*
 * Writes the name, category and arguments of a task, and ends the event.  The
 * category has "critical" if the slice is on the path.
 */
void tasks_put_details(const struct tasks *, const struct slice *);

/* --- path.c -------------------------------------------------------------- */

/*
 * Writes the steps of the critical path once more, in a lane of their own.  A
 * step that overlaps the next one ends where that one starts.
 */
void path_write_lane(const struct tasks *, struct place);

/*
 * Writes an arrow from each step to the next, in the lanes of their hosts.
 * There is none to a step that starts before the end of the one before it, or
 * between tasks that took no time.  Returns the number of arrows; their ids
 * are first_id and those that follow.
 */
uint64_t path_write_arrows(const struct tasks *, uint64_t first_id);
