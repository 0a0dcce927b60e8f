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
 * Reads a number of milliseconds as microseconds.  False if it is not a number,
 * or too large for a record.
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

/* Writes start_us, end_us and elapsed_us, those that are known. */
void put_times(struct buf *, int64_t start_us, int64_t end_us);

/*
 * Writes status, unless it is empty, failed, if the status is not one of
 * success, and size_bytes, unless it is INT_UNKNOWN.
 */
void put_outcome(struct buf *, struct span status, int64_t size_bytes);

/* The first and last moment of a build.  Start with { 0 }. */
struct extent {
	int64_t start_us, end_us;
	bool known;
};

void extent_add(struct extent *, int64_t us);

/* Emits the build record, unless no moment is known. */
void emit_build(struct filter *, const char *format, const struct extent *);

#endif
