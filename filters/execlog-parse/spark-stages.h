#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/base/text.h"

/*
 * The stages of an application of Spark, the attempts at them, and the
 * partitions of stages that have not ended.  A node is written for each attempt
 * when it ends: see spark.c.  Pointers to stages, attempts and partitions are
 * valid until the next one is added.
 */
struct filter;

enum { NO_TASK = -1, NO_ATTEMPT = -1, NO_RDD = -1 };

struct stage {
	int64_t id;
	sym name;		/* or SYM_NONE: see stage_name() */
	size_t first_parent, n_parents;	/* private to spark-stages.c */
	int64_t attempt;	/* the last one submitted, or NO_ATTEMPT */
	int64_t rdd;		/* what it computes, or NO_RDD */
	bool has_placeholder;	/* the node of the skipped stage is written, or
				   will be */
	uint32_t next_skipped;	/* private to spark-stages.c */
	int64_t fetch_failure;	/* the last task that could not fetch the
				   output of this stage, or NO_TASK */
	int64_t fetch_failed_us;
	uint32_t first_partition, last_partition;	/* or INDEX_NONE */
};

/* One attempt at a stage. */
struct attempt {
	struct { int64_t stage, number; } key;
	int64_t previous;	/* attempt at the stage, or NO_ATTEMPT */
	struct span deps;	/* what its tasks wait for: the items of a JSON
				   array */
	bool ended;
};

/* The tasks of a stage that have computed, or tried to, the same partition. */
struct partition {
	struct { int64_t stage, index; } key;
	int64_t done;		/* the first task that succeeded, or NO_TASK */
	int64_t done_attempt;	/* the attempt at the stage that it is of */
	bool is_written;	/* `done` is in the node of an attempt */
	int64_t failed;		/* the last task that did not, or NO_TASK */
	int64_t failed_us;
	uint32_t next;		/* of the same stage, or of free ones */
};

/*
 * Begin and end an application, whose nodes are written to the filter.
 * stages_end() writes the nodes of the attempts that have not ended, and adds
 * to the build record of how many skipped stages nothing shows when their
 * output was made.
 */
void stages_begin(struct filter *);
void stages_end(void);

/* Finds a stage; stages_get() adds it if it is not known. */
struct stage *stages_find(int64_t id);
struct stage *stages_get(int64_t id);

void stage_set_name(struct stage *, struct span);
struct span stage_name(const struct stage *);

/* Adds a parent.  The parents of a stage are added one after the other. */
void stage_add_parent(struct stage *, int64_t id);

/*
 * Adds an attempt, which must be later than the last one.  It waits for the
 * parents that have been submitted.
 */
void stage_add_attempt(struct stage *, int64_t number);
struct attempt *attempt_find(int64_t stage, int64_t number);

/* Ends an attempt, and writes its node. */
void attempt_write(struct attempt *);

/* Finds a partition of a stage; partition_get() adds it if it is not known. */
struct partition *partition_find(int64_t stage, int64_t index);
struct partition *partition_get(struct stage *, int64_t index);

/* Forgets the partitions of a stage. */
void stage_free_partitions(struct stage *);

/* Notes that a task of a stage could not fetch the output of its parents. */
void stage_note_fetch_failure(const struct stage *, int64_t task,
    int64_t failed_us);
