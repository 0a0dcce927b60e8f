/* answer - selections and ratios that both the records and the report need */

#include "common/base/num.h"
#include "filters/callgraph-stat/answer.h"

struct selector {
	uint32_t function;
	bool callers;		/* selects calls of the function, or else
				   calls by it */
};

static bool
is_selected(const struct entry *e, const void *context)
{
	const struct selector *s = context;

	return (s->callers ? e->key.callee : e->key.caller) == s->function;
}

void
answer_call_sites(const struct answer *a, struct order *order,
    uint32_t function, bool callers)
{
	struct selector selector = { function, callers };

	flat_sort(a->profile, order, &a->profile->groups, a->sort_by,
	    false, is_selected, &selector);
}

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

int64_t
answer_per_call(const struct tally *t, unsigned measure)
{
	int64_t calls = measure == TOTAL_NS ? t->outer_calls :
	    t->measures[CALLS];

	if (calls <= 0 || t->measures[measure] == INT_UNKNOWN)
		return INT_UNKNOWN;
	return t->measures[measure] / calls;
}
