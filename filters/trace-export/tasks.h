#pragma once

#include "filters/trace-export/document.h"
#include "filters/trace-export/view.h"

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
