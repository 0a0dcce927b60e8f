#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/base/text.h"

/* A task of an application of Spark, and its record: see spark.c. */
struct buf;
struct filter;
struct rec;

struct task {
	int64_t id, stage, stage_attempt, index;
	int64_t launch_us, finish_us, getting_us;	/* or INT_UNKNOWN */
	sym executor;		/* or SYM_NONE */
	int64_t retry_of, fetch_failure;	/* that it waited for */
	uint32_t next;		/* of free ones */
	bool is_running;
};

/*
 * Begins the record of a task with what start and end events show, and returns
 * the buffer.  executor.p is NULL if the executor is not known.
 */
struct buf *task_begin(struct filter *, const struct task *,
    struct span executor);

/* Writes where the time went, from a record with the keys task_metrics_keys. */
void task_put_metrics(struct buf *, const struct task *, const struct rec *);

extern const char *const task_metrics_keys[];
