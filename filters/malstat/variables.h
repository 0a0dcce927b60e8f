#pragma once

#include "common/base/intern.h"

/*
 * How many rows instructions read and produce.  An event names the variables
 * that are its results and its arguments, and a row of each variable has its
 * number of rows, if it is a BAT, and perhaps the server's estimate of it.  The
 * rows of events, uses and variables may come in any order.
 */
struct variables {
	struct intern events, names;	/* pairs */
	struct variable_use *uses;
	size_t n_uses, uses_cap;
	struct variable *list;		/* by number in names */
	size_t n, cap;
	struct rows *rows;		/* by number in events */
};

/* Rows, or -1 if they are not known; of several BATs, those of the greatest. */
struct rows {
	double in, out, estimate;
};
extern const struct rows variables_no_rows;

/* For example, the number of a trace and an id in it. */
struct pair {
	uint64_t a;
	int64_t b;
};

/* The number of a pair, from 0 in the order in which they are added. */
static inline uint32_t
intern_pair(struct intern *pairs, uint64_t a, int64_t b)
{
	const struct pair pair = { a, b };

	return intern_add(pairs, span_bytes(&pair, sizeof pair));
}

void variables_init(struct variables *);
void variables_release(struct variables *);

/* Ids are those of the rows of one trace, which has a number. */
void variables_add_use(struct variables *, uint64_t trace, int64_t event_id,
    int64_t variable_id, bool is_result);
void variables_add(struct variables *, uint64_t trace, int64_t variable_id,
    double rows, double estimate);

/* Call this when all have been added, and before variables_add_rows(). */
void variables_finish(struct variables *);

/* Adds the rows of an event, times `share`, to a sum. */
void variables_add_rows(const struct variables *, uint64_t trace,
    int64_t event_id, double share, struct rows *sum);
