#ifndef EXECLOG_FORMATS_H
#define EXECLOG_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"

struct buf;
struct filter;

/*
 * The three kinds of execution log, and what their readers share.  Each
 * reader takes the filter's whole input, of which the first file has begun,
 * and emits `task` records and a `build` record (weir-records(5)).
 */
void distbuild_read(struct filter *);
void ninja_read(struct filter *, bool all_outputs);
void local_read(struct filter *);

extern const char *const local_keys[];

/* First and last moment of a build. */
struct extent {
	int64_t start_us, end_us;
	bool known;
};

void extent_add(struct extent *, int64_t us);

/* Writes start_us, end_us and elapsed_us, as far as they are known. */
void put_times(struct buf *, int64_t start_us, int64_t end_us);

/* Writes status, failed and size_bytes, as far as they are known. */
void put_outcome(struct buf *, struct span status, int64_t size_bytes);

/* Emits the build record, unless the log had no event. */
void emit_build(struct filter *, const char *format, const struct extent *);

#endif
