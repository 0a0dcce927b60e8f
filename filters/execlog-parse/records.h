#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/text.h"
#include "common/json/rec.h"

/* What the readers of all formats share. */
struct buf;
struct filter;

/*
 * Reads a number of milliseconds as microseconds.  Returns false if the text is
 * not a number, or if the number is negative or too large for a record (2^53 us
 * or more).
 */
static inline bool
read_ms(struct span text, int64_t *us)
{
	enum { US_PER_MS = 1000 };
	int64_t ms;

	if (!text_i64(text, &ms) || ms < 0 ||
	    ms > ((INT64_C(1) << REC_INT_BITS) - 1) / US_PER_MS)
		return false;
	*us = ms * US_PER_MS;
	return true;
}

/*
 * Reads seconds, a JSON number, as microseconds, rounded to the nearest, and
 * moves p past them and white space.  A byte that cannot be part of a number
 * must follow.  Returns false if they do not fit a record.
 */
bool read_seconds(const char **p, int64_t *us);

/*
 * Write an id that is a number, as a string: as a member, or as the next item
 * of an array.
 */
void put_numeric_id(struct buf *, const char *key, int64_t);
void put_numeric_item(struct buf *, int64_t);

/*
 * Writes start_us and end_us unless they are INT_UNKNOWN, and elapsed_us if
 * both are known.
 */
void put_times(struct buf *, int64_t start_us, int64_t end_us);

/*
 * Writes `status` unless it is empty, `failed` if the status means failure, and
 * `size_bytes` unless it is INT_UNKNOWN.
 */
void put_outcome(struct buf *, struct span status, int64_t size_bytes);

/*
 * Warns if the first two numbers of a version, such as 3.5 in "3.5.1", are not
 * from `oldest` to `newest`, the versions of a program whose logs are known.
 * Only the first unknown version in each file is reported, because there may be
 * thousands of runs.
 */
void check_version(struct filter *, const char *program, struct span version,
    const char *oldest, const char *newest);

/*
 * A set of ids that are numbers.  It takes little memory if they are dense, as
 * those of most logs are.
 */
struct id_set {
	struct map map;		/* from number to the index of a block */
	struct id_block {
		uint64_t number;	/* of its first id, divided by 64 */
		uint64_t seen;		/* a bit for each of 64 ids */
	} *blocks;
	size_t n, cap;
};

void id_set_init(struct id_set *);
void id_set_release(struct id_set *);

/* Adds an id; false if it is in the set already. */
bool id_set_add(struct id_set *, uint64_t id);

/*
 * The first and last moment of a build.  Initialize with { 0 }.  In a log whose
 * times are from this century, time 0 is an error and does not count.
 */
struct extent {
	int64_t start_us, end_us;
	bool known;		/* a moment other than 0 has been added */
	uint64_t n_at_zero;	/* moments at 0 */
};

/* Extends the extent to a moment, if known, or counts it if it is 0. */
void extent_add(struct extent *, int64_t us);

/*
 * The name of the run that is being read.  It is the name that the user has
 * given (run_set_given()), otherwise the name in the log (run_set_own()), or
 * there is none, if both are empty.  A second run of the same name is NAME#2,
 * and so on.  The spans are copied.
 */
void run_set_given(struct span);
void run_set_own(struct span);
bool run_has_given(void);
void run_release(void);

/*
 * Add n, unless it is 0, to the build record of the current run: as a member,
 * or to how many events were left out, by their kind.
 */
void run_add_count(const char *key, uint64_t n);
void run_add_left_out(const char *kind, uint64_t n);

/* Earlier runs of the log had made some of what the current one needs. */
void run_set_incremental(void);

/* Writes `run`, if the run has a name. */
void put_run(struct buf *);

/*
 * Emits the build record, which ends the run, unless there is neither a moment
 * in the extent, nor a record with the name of the run, nor a record of a run
 * of which something is missing (filter_take_lacks()).  Warns of times that do
 * not count.
 */
void emit_build(struct filter *, const char *format, const struct extent *);

/* The same for a start and an end, which may be INT_UNKNOWN. */
void emit_build_times(struct filter *, const char *format, int64_t start_us,
    int64_t end_us);
