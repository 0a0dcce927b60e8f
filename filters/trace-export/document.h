#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"

/*
 * A document of trace events in Chrome's JSON format, one event a line.  It is
 * begun with the first event, so that nothing is written if none comes.
 *
 * Times are in microseconds, as the format demands.  The keys of an event come
 * in the order ph, ts, dur, pid, tid, name, cat, args: older versions of
 * Perfetto searched for the first ones with a simple scanner.
 */
struct filter;

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
