#pragma once

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
 * The end record has the number of faults and what is missing (lacks.h) only if
 * there is any.
 */
void boundary_put_begin(struct buf *);
void boundary_put_end(struct buf *, int64_t n_records, int64_t n_rejected,
    int64_t n_faults, unsigned lacks);

enum { WRITERS_MAX = 32 };

/*
 * What a reader knows about the streams in its input.  Lines may have been
 * sorted, and streams interleaved, so the begin and end records of each filter
 * are counted, but not paired.
 */
struct boundaries {
	int64_t n_begun;	/* begin records */
	int64_t n_rejected;	/* by the filters that wrote the streams */
	int64_t n_faults;	/* of these, those that are not lines or values
				   (filter_fail()) */
	unsigned lacks;		/* what they lacked (lacks.h) */
	struct writer {
		char name[64];
		int64_t n_open;	/* begin records minus end records */
	} writers[WRITERS_MAX];	/* all further ones share the last */
	size_t n_writers;
	/* For messages: the filter that wrote the last end record that reports
	   rejected input. */
	char rejected_by[64];
};

/*
 * Notes the begin record that a line contains that could not be read as a
 * record: a stream that was truncated within a record, and the next one, share
 * a line.  A line that is_last may also end within its begin record: one as
 * short as {"ty counts, although any record may begin with it.
 */
void boundary_note_line(struct boundaries *, struct span line, bool is_last);

/*
 * Returns true if the record is a begin or end record, and notes what it says.
 */
bool boundary_note(struct boundaries *, const struct rec *);

/*
 * The number of streams without an end record, or with only_head of those
 * without a begin record.  Sets *writer, unless it is NULL, to a filter that
 * wrote one, or to "a stream".
 */
int64_t boundary_count_open(const struct boundaries *, bool only_head,
    const char **writer);
