#ifndef MALSTAT_EMIT_H
#define MALSTAT_EMIT_H

#include "filters/malstat/answer.h"

struct filter;

/*
 * Writes an answer as records (weir-records(5)), with at most `top` of the
 * costliest instances.
 */
void answer_emit(const struct answer *, struct filter *, uint64_t top);

/* Writes the last record: what was read, and what could not be used. */
void summary_emit(const struct trace *, struct filter *);

/* These functions write the same as text (report.c). */
void answer_report(const struct answer *, struct filter *, uint64_t top);
void summary_report(const struct trace *, struct filter *);

/* part / whole; 0 if the whole is 0. */
static inline double
ratio_of(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* The busy time as a ratio of what this many threads could work in the time. */
static inline double
utilisation(const struct cores *c, int64_t threads)
{
	return threads > 0 ? ratio_of(c->busy_us, cores_wall_us(c)) /
	    (double)threads : 0;
}

#endif
