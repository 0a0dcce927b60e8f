#ifndef WEIR_BOUNDARY_H
#define WEIR_BOUNDARY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/json/rec.h"

/*
 * The begin and end records (weir-records(5)), by which a reader knows that a
 * stream of records is complete:
 *
 *	{"type":"begin","by":"critpath","version":"1.0"}
 *	{"type":"end","by":"critpath","records":12,"rejected":0}
 *
 * The end record has the number of faults only if that is not 0.
 */
void boundary_put_begin(struct buf *);
void boundary_put_end(struct buf *, int64_t n_records, int64_t n_rejected,
    int64_t n_faults);

/* What a reader knows about the streams in its input. */
struct boundaries {
	int64_t n_begun;	/* begin records */
	int64_t n_open;		/* begin records without their end records */
	int64_t n_rejected;	/* by the filters that wrote the streams */
	int64_t n_faults;	/* of these, those that are not lines or values
				   (filter_fail()) */
	/*
	 * For messages: the filters that wrote the last begin record, and the
	 * last end record that reports rejected input.
	 */
	char begun_by[64], rejected_by[64];
};

/*
 * Whether a text that could not be read as a record is the beginning of a begin
 * record.  A text as short as {"ty counts as one, although any record may begin
 * with it.
 */
bool boundary_is_partial_begin(struct span);

/*
 * Returns true if the record is a begin or end record, and notes what it says.
 * Lines may have been sorted, and streams interleaved, so begin and end records
 * are counted, but not paired.
 */
bool boundary_note(struct boundaries *, const struct rec *);

#endif
