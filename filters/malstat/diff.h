#ifndef MALSTAT_DIFF_H
#define MALSTAT_DIFF_H

#include "common/base/intern.h"
#include "filters/malstat/queries.h"

/*
 * What became slower from one trace to another.  Queries are the same if their
 * texts without constants are the same (common/mal/fingerprint.h), and plans
 * that are linked to no query if their names are.  If each trace has one query
 * only, the two are compared, whatever their texts are.  Instructions are the
 * same if they are the k-th with their operation in the n-th plan of a query.
 *
 * All amounts are those of one run: sums divided by the number of runs.
 */
enum { NOW, BEFORE, N_SIDES };
enum change_kind { CHANGE_QUERY, CHANGE_OPERATION, CHANGE_INSTRUCTION,
    N_CHANGES };

/* An amount, and how many rows there were, on each side. */
struct change {
	enum change_kind kind;
	uint32_t query;		/* index of its change; of an operation,
				   INDEX_NONE */
	sym operation;		/* of an operation or instruction */
	struct side {
		sym name;	/* of a query, its text without constants; of
				   an instruction, its statement */
		double n;	/* runs of a query; instances; 0: absent */
		double us;	/* elapsed time of a query, or self time */
		double busy_us;	/* of a query */
		int64_t pc;	/* of an instruction */
		struct rows rows;	/* likewise */
	} sides[N_SIDES];
};

struct diff {
	struct intern texts;
	struct intern keys;
	struct change *list;	/* by symbol in keys */
	size_t n, cap;
	uint32_t *orders[N_CHANGES];	/* the greatest change first */
	size_t n_of[N_CHANGES];
};

void diff_init(struct diff *);
void diff_release(struct diff *);

/*
 * Adds a trace, which trace_measure() has measured.  is_single: each trace has
 * one query only.
 */
void diff_add(struct diff *, const struct trace *, const struct scopes *,
    const struct queries *, int side, bool is_single);

/* After both sides. */
void diff_finish(struct diff *);

/* The change in microseconds, from 0 or to 0 if it is absent on a side. */
static inline double
diff_us(const struct change *c)
{
	return c->sides[NOW].us - c->sides[BEFORE].us;
}

#endif
