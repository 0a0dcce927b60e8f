#ifndef CALLGRAPH_STAT_ANSWER_H
#define CALLGRAPH_STAT_ANSWER_H

#include "filters/callgraph-stat/profile.h"

struct filter;

/* What is to be shown of a profile, as records or as a report. */
struct answer {
	const struct profile *profile;
	unsigned by;		/* a measure; N_MEASURES: names */
	unsigned shown;		/* by, or what is measured if that is names */
	uint64_t top;		/* of each list; 0: as many as is good */
};

/* The entries of the level that was asked for. */
void emit_profile(const struct answer *, struct filter *);
void report_profile(const struct answer *, struct filter *);

/* What has changed since before. */
void emit_changes(const struct answer *, struct filter *);
void report_changes(const struct answer *, struct filter *);

/* A function, who calls it and what it calls. */
void emit_calls(const struct answer *, struct filter *, uint32_t function);
void report_calls(const struct answer *, struct filter *, uint32_t function);

/* The program as a whole; the reports say it themselves. */
void emit_program(const struct answer *, struct filter *, bool before);

/* Call sites by which a function is called, or at which it calls others. */
void calls_sort(const struct answer *, struct order *, uint32_t function,
    bool callers);

/* So many of n are shown, if it is `good` unless told. */
static inline size_t
shown_of(const struct answer *a, size_t n, size_t good)
{
	uint64_t top = a->top != 0 ? a->top : good;

	return n < top ? n : (size_t)top;
}

static inline double
part_of(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/*
 * What a call takes on average.  A call from within itself is a part of the
 * outer one's total time, and no call for that.  MEASURE_NONE if not known.
 */
static inline int64_t
per_call(const struct tally *t, unsigned measure)
{
	int64_t calls = measure == TOTAL_NS ? t->outer_calls :
	    t->measures[CALLS];

	if (calls <= 0 || t->measures[measure] == MEASURE_NONE)
		return MEASURE_NONE;
	return t->measures[measure] / calls;
}

#endif
