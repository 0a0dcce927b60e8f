#ifndef MALSTAT_EMIT_H
#define MALSTAT_EMIT_H

#include "filters/malstat/answer.h"

struct filter;

/* The records of an answer (weir-records(5)), with so many instances. */
void answer_emit(const struct answer *, struct filter *, uint64_t top);

/* The last record: what was read, and what could not be used. */
void emit_summary(const struct trace *, struct filter *);

/* The same for people. */
void answer_report(const struct answer *, struct filter *, uint64_t top);
void report_summary(const struct trace *, struct filter *);

/* What takes part of a whole; 0 of nothing. */
static inline double
part_of(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

static inline int64_t
wall_us(const struct cores *c)
{
	return c->to_us - c->from_us;
}

/* Of the time that so many threads had, how much they worked. */
static inline double
utilisation(const struct cores *c, int64_t threads)
{
	return threads > 0 ? part_of(c->busy_us, wall_us(c)) /
	    (double)threads : 0;
}

#endif
