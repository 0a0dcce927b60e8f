#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/filter/boundary.h"
#include "filters/weir/file.h"

/* The records that files have; the first type that came decides the role. */
enum { N_RECORD_TYPES = 12 };

extern const struct record_type {
	const char *name, *one, *many;
	enum role role;
} record_types[N_RECORD_TYPES];

/* What the records of a file are.  Start with { 0 }. */
struct tally {
	uint64_t counts[N_RECORD_TYPES];
	uint64_t n_other;	/* of other types */
	uint64_t n_lines, n_bad;	/* bad: no records */
	struct boundaries boundaries;
	struct buf why;		/* the first message of the command */
	char format[32];	/* of a build record, or "" */
	bool has_deps;		/* a task names what it waited for */
	struct buf uids[2];	/* of samples: the first, and one like it */
	struct buf dimension;	/* its unit and subtype */
};

/*
 * Counts the records that a command for sh makes of the text.  Ends the program
 * if it cannot be run.
 */
void tally_run(struct tally *, const char *command, struct span text);

/*
 * Counts the records in the text; a last line without a newline is left out
 * unless is_whole.  Returns false if the first line is not a record.
 */
bool tally_stream(struct tally *, struct span text, bool is_whole);

/* The number of records of record_types. */
uint64_t tally_useful(const struct tally *);
void tally_release(struct tally *);
