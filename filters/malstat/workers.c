/* workers - counts the threads that have work within a session or block */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "filters/malstat/malstat.h"

/* Work of a lane, in the order of starts. */
struct work {
	int64_t start_us;
	int64_t first_end_us;	/* of this and all later work of the lane */
};

/*
 * A session or block from s to e has as many threads as there are lanes with a
 * work instance that starts at s or later and ends at e or earlier.
 */
void
cores_count_threads(struct cores *cores, size_t n_cores,
    const struct trace *t, const struct scope *scope)
{
	struct work *work = mem_resize(NULL, scope->n_instances, sizeof *work);
	const struct instance *i;
	size_t n, next, at;

	for (size_t c = 0; c < n_cores; c++)
		cores[c].use.n_threads = 0;
	/* The instances of a lane are adjacent, and in the order of starts. */
	for (size_t k = 0; k < scope->n_instances; k = next) {
		n = 0;
		for (next = k; next < scope->n_instances; next++) {
			i = &t->instances[scope->instances[next]];
			if (i->lane != t->instances[scope->instances[k]].lane)
				break;
			if (i->kind == KIND_WORK && !i->is_untimed)
				work[n++] = (struct work){ i->start_us,
				    i->end_us };
		}
		for (size_t w = n; w-- > 1;)
			work[w - 1].first_end_us = time_earlier(
			    work[w - 1].first_end_us, work[w].first_end_us);
		for (size_t c = 0; c < n_cores && n > 0; c++) {
			at = SEARCH_FIRST(w, n, work[w].start_us >=
			    cores[c].start_us);
			cores[c].use.n_threads += at < n &&
			    work[at].first_end_us <= cores[c].end_us;
		}
	}
	free(work);
}
