#pragma once

#include "filters/malstat/costs.h"

struct filter;

/*
 * Writes what the roots used (queries.h): all of them if the answer is about
 * the whole trace, otherwise that of the answer.
 */
void queries_emit(const struct queries *, const struct costs *,
    struct filter *);

/*
 * Writes an answer as records (weir-records(5)), with at most `top` of the
 * costliest instances.
 */
void costs_emit(const struct costs *, struct filter *, uint64_t top);

/* Writes the last record: what was read, and what could not be used. */
void summary_emit(const struct trace *, struct filter *);

/* Whether queries_emit() and queries_report() write what the root used. */
static inline bool
is_listed(const struct costs *a, const struct root_use *u)
{
	return a->root == INDEX_NONE || a->root == u->root;
}

/* The text of a name; empty for SYM_NONE. */
static inline struct span
name_of(const struct costs *a, sym name)
{
	return name == SYM_NONE ? span_of("", 0) :
	    intern_span(&a->trace->names, name);
}

/* part / whole; 0 if the whole is 0. */
static inline double
ratio_of(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* The busy time as a ratio of what this many threads could work in the time. */
static inline double
utilisation(const struct use *u, int64_t threads)
{
	return threads > 0 ? ratio_of(u->busy_us, u->wall_us) /
	    (double)threads : 0;
}
