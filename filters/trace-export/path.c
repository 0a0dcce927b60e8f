/* path - writes the critical path as a lane and as arrows */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/filter/filter.h"
#include "filters/trace-export/trace-export.h"

/* By start, because a lane must not overlap even if the order is wrong. */
static int
compare_starts(const void *a, const void *b)
{
	const struct slice *x = *(const struct slice *const *)a;
	const struct slice *y = *(const struct slice *const *)b;
	return cmp_i64(x->start, y->start) ?: cmp_u64(x->step, y->step);
}

static const struct slice *
slice_of_step(const struct view *p, size_t step)
{
	return p->slice_of_step[step] == INDEX_NONE ? NULL :
	    &p->slices[p->slice_of_step[step]];
}

void
path_write_lane(const struct tasks *t, struct place place)
{
	const struct view *p = t->p;
	const struct slice **steps = mem_resize(NULL, p->n_steps + 1,
	    sizeof *steps);
	size_t n = 0;

	for (size_t i = 0; i < p->n_steps; i++)
		if (slice_of_step(p, i) != NULL)
			steps[n++] = slice_of_step(p, i);
	sort(steps, n, sizeof *steps, compare_starts);
	for (size_t i = 0; i < n; i++) {
		int64_t end = steps[i]->end;

		if (i + 1 < n && steps[i + 1]->start < end)
			end = steps[i + 1]->start;
		document_begin_task(t->d, place, steps[i]->start, end);
		tasks_put_details(t, steps[i]);
	}
	free(steps);
}

/* One end of an arrow.  Viewers attach it to the slice at this time. */
static void
put_arrow_end(const struct tasks *t, const char *phase, const struct slice *s,
    int64_t us, uint64_t id)
{
	struct buf *b = document_begin(t->d, phase, tasks_place(t, s), us);

	json_word(b, "name", "critical path");
	json_word(b, "cat", "critical");
	json_uint(b, "id", id);
	if (*phase == 'f')
		json_word(b, "bp", "e");
	document_end_event(t->d);
}

uint64_t
path_write_arrows(const struct tasks *t, uint64_t first_id)
{
	const struct slice *last = NULL, *s;
	uint64_t n = 0;

	for (size_t i = 0; i < t->p->n_steps; i++, last = s) {
		s = slice_of_step(t->p, i);
		if (s == NULL || last == NULL || s->start == s->end ||
		    last->start == last->end || s->start < last->end)
			continue;
		put_arrow_end(t, "s", last, last->end - 1, first_id + n);
		put_arrow_end(t, "f", s, s->start, first_id + n);
		n++;
	}
	return n;
}
