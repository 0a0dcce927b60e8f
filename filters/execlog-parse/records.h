#ifndef EXECLOG_RECORDS_H
#define EXECLOG_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"
#include "common/json/rec.h"

/* What the readers of all formats share. */
struct buf;
struct filter;

/*
 * Reads a number of milliseconds as microseconds.  Returns false if it is not a
 * number, is negative, or does not fit a record.
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
 * Writes start_us and end_us unless they are INT_UNKNOWN, and elapsed_us if
 * both are known.
 */
void put_times(struct buf *, int64_t start_us, int64_t end_us);

/*
 * Writes `status` unless it is empty, `failed` if the status means failure, and
 * `size_bytes` unless it is INT_UNKNOWN.
 */
void put_outcome(struct buf *, struct span status, int64_t size_bytes);

/* The first and last moment of a build.  Initialize with { 0 }. */
struct extent {
	int64_t start_us, end_us;
	bool known;
};

void extent_add(struct extent *, int64_t us);

/* Emits the build record, unless extent_add() was never called. */
void emit_build(struct filter *, const char *format, const struct extent *);

#endif
