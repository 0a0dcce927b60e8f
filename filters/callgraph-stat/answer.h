#pragma once

#include "filters/callgraph-stat/flat.h"

/* What to write about a profile, as records (emit.h) or a report (report.h). */
struct answer {
	const struct flat *profile;
	unsigned sort_by;	/* a measure, or N_MEASURES: by name */
	unsigned measure;	/* the main one: sort_by or, if that is
				   N_MEASURES, the default measure */
	uint64_t top;		/* rows of each list; 0: the default */
};

/* How many of n entries to write: at most --top or, without it, by_default. */
size_t answer_n_rows(const struct answer *, size_t n, size_t by_default);

/* The ratio of a part to the whole; 0 if the whole is 0. */
double answer_share(int64_t part, int64_t whole);

/*
 * Whether most of what was measured was the time of measuring, as in a program
 * that spends its time in very short calls.  Then an error of a tenth in the
 * estimate that is subtracted is larger than the times of most functions.
 */
bool answer_is_rough(const struct totals *);

/*
 * Whether only some of the calls were timed, since records without times were
 * added to records with them.
 */
bool answer_lacks_times(const struct totals *);

/*
 * The average self or total time of a call, or INT_UNKNOWN.  For total time
 * only outermost calls count, since the time of a recursive call is part of the
 * outermost one's.
 */
int64_t answer_per_call(const struct tally *, unsigned measure);
