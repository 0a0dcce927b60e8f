#pragma once

#include "filters/malstat/queries.h"

/*
 * What became slower from one trace to another.  Queries are the same if their
 * texts without constants are the same (common/mal/fingerprint.h), and plans
 * that are linked to no query if their names are.  If each trace has one query
 * only, the two are compared, whatever their texts are.  Instructions are the
 * same if they are the k-th with their operation in the n-th plan of a query.
 *
 * All amounts are those of one run: sums divided by the number of runs.  Runs
 * that did not end, that failed, or that have no instance in their session are
 * left out.
 */
enum { NOW, BEFORE, N_SIDES };
enum change_kind { CHANGE_QUERY, CHANGE_OPERATION, CHANGE_INSTRUCTION,
    N_CHANGES };

/* A trace, what it is divided into, and how long its parts took. */
struct measured {
	struct trace trace;
	struct scopes scopes;
	struct queries queries;
};

/* An amount, and how many rows there were, on each side. */
struct change {
	enum change_kind kind;
	bool is_query;		/* and not a plan that is linked to none */
	uint32_t query;		/* of an instruction: index of its change */
	struct span operation;	/* of an operation or instruction */
	struct side {
		struct span name;	/* of a query, its text without
					   constants; of an instruction, its
					   statement; empty if absent */
		double n;	/* runs of a query; instances; 0: absent */
		double us;	/* elapsed time of a query, or self time */
		double busy_us;	/* of a query */
		uint64_t left_out;	/* runs of a query, not in n */
		int64_t pc;	/* of an instruction */
		struct rows rows;	/* likewise */
	} sides[N_SIDES];
};

struct diff {
	struct intern keys;
	struct change *list;	/* by symbol in keys */
	size_t n, cap;
	size_t n_queries[N_SIDES];	/* without plans linked to none */
	uint32_t last_query[N_SIDES];	/* index of the change of one */
	/* By kind, the greatest change first. */
	struct changes {
		const struct change **list;
		size_t n;
	} of[N_CHANGES];
};

/* The names are those of the traces, which must not be released before. */
void diff_make(struct diff *, const struct measured[N_SIDES]);
void diff_release(struct diff *);

/* Whether all runs of a query are left out on a side that has any. */
static inline bool
diff_is_unknown(const struct change *c)
{
	const struct side *s = c->sides;

	return (s[NOW].n == 0 && s[NOW].left_out > 0) ||
	    (s[BEFORE].n == 0 && s[BEFORE].left_out > 0);
}

static inline bool
diff_is_on_both(const struct change *c)
{
	return c->sides[NOW].n > 0 && c->sides[BEFORE].n > 0;
}

/*
 * The change in microseconds, from 0 or to 0 if it is absent on a side; 0 if it
 * is not known, or below a nanosecond.
 */
double diff_us(const struct change *);
