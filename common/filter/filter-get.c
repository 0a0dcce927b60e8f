/* filter-get - rejects records for values of another kind */

#include "common/filter/filter-get.h"
#include "common/filter/filter-reject.h"

void
filter_reject_value(struct filter *f, const struct rec *r, unsigned key,
    enum rec_found found, const char *kind)
{
	if (found == REC_ABSENT)
		filter_reject(f, "%.*s is missing", SPAN_ARG(r->keys[key]));
	else
		filter_reject(f, "%.*s is not %s", SPAN_ARG(r->keys[key]),
		    kind);
}
