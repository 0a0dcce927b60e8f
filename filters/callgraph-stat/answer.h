#ifndef CALLGRAPH_STAT_ANSWER_H
#define CALLGRAPH_STAT_ANSWER_H

#include "filters/callgraph-stat/profile.h"

/* What is shown of a profile, as records (emit.h) or as a report (report.h). */
struct answer {
	const struct profile *profile;
	unsigned by;		/* a measure; N_MEASURES: names */
	unsigned shown;		/* by, or what is measured if that is names */
	uint64_t top;		/* entries of each list; 0: the default */
};

/*
 * The call sites at which a function is called, or those at which it calls
 * others, in the order in which they are shown.  The caller frees the list.
 */
void answer_calls(const struct answer *, struct order *, uint32_t function,
    bool callers);

/* How many of n entries are shown: --top, or by default at most so many. */
size_t answer_shown(const struct answer *, size_t n, size_t by_default);

/* The part as a ratio of the whole; 0 if the whole is. */
double answer_share(int64_t part, int64_t whole);

/*
 * The average time of a call, or INT_UNKNOWN.  The time of a recursive call
 * is a part of the outermost call's total time, and so it does not count as a
 * call there.
 */
int64_t answer_per_call(const struct tally *, unsigned measure);

#endif
