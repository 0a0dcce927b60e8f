/* answer - selections and ratios that both the records and the report need */

#include "common/base/num.h"
#include "filters/callgraph-stat/callgraph-stat.h"

size_t
answer_n_rows(const struct answer *a, size_t n, size_t by_default)
{
	uint64_t top = a->top != 0 ? a->top : by_default;

	return n < top ? n : (size_t)top;
}

double
answer_share(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

bool
answer_is_rough(const struct totals *totals)
{
	return totals->probe_ns > 0 &&
	    totals->probe_ns > totals->measures[SELF_NS];
}

bool
answer_lacks_times(const struct totals *totals)
{
	return totals->measures[TIMED_CALLS] != INT_UNKNOWN &&
	    totals->measures[TIMED_CALLS] < totals->measures[CALLS];
}

int64_t
answer_per_call(const struct tally *t, unsigned measure)
{
	int64_t calls = measure == TOTAL_NS ? t->timed_outer_calls :
	    t->measures[TIMED_CALLS];

	if (calls <= 0 || t->measures[measure] == INT_UNKNOWN)
		return INT_UNKNOWN;
	return t->measures[measure] / calls;
}
