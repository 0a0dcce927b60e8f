#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/intern.h"

/*
 * The slices of a trace: intervals, of which those of one thread lie within
 * each other as calls of functions do.  Times are in nanoseconds.
 */
struct slice {
	int64_t number;			/* the position of its event */
	int64_t start_ns, end_ns;	/* end_ns: INT_UNKNOWN if it has not
					   ended */
	int64_t inner_ns;		/* the time of the slices directly in
					   it */
	sym lane;			/* its thread; SYM_NONE if not known,
					   and then it is in no other */
	sym scope;			/* where its end is looked for: its
					   thread; of an asynchronous slice
					   another symbol */
	size_t text, tail, text_end;	/* where the members of its record are
					   in slices.text, and their second
					   part */
	uint32_t parent;		/* the slice around it, or INDEX_NONE */
	bool is_task;			/* false: it only contains others */
	bool is_merged;			/* several slices became this one */
};

struct slices {
	struct slice *list;		/* by number */
	size_t n, cap;
	struct mark *marks;
	size_t n_marks, marks_cap;
	struct buf text;		/* of all slices; for the caller */
};

/*
 * Adds a slice; parent and inner_ns are set later.  If it has no end yet,
 * has_partner says that a slices_add_end() of its scope will end it.
 */
void slices_add(struct slices *, const struct slice *, bool has_partner);
void slices_add_end(struct slices *, sym scope, int64_t ns, int64_t number);

/*
 * Pairs beginnings and ends, in the order of time: an end is that of the last
 * slice of its scope that has none.  Returns how many slices have no end, and
 * how many ends no slice.  Then finds the slices around each slice that is a
 * task, among those of its scope, and of its thread.  Slices that have not
 * ended contain none, and are within another only on a thread.
 */
void slices_resolve(struct slices *, uint64_t *n_open, uint64_t *n_ended);

/* Empties the list. */
void slices_clear(struct slices *);
void slices_release(struct slices *);
