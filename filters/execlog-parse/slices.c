/* slices - finds which intervals of a trace are within others */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "filters/execlog-parse/slices.h"

/* A moment at which a slice begins or ends. */
struct mark {
	int64_t ns, number;
	sym scope;
	uint32_t slice;		/* that begins; INDEX_NONE: one ends */
};

static void
add_mark(struct slices *s, struct mark mark)
{
	s->marks = mem_grow(s->marks, &s->marks_cap, s->n_marks + 1,
	    sizeof *s->marks);
	s->marks[s->n_marks++] = mark;
}

void
slices_add(struct slices *s, const struct slice *slice, bool has_partner)
{
	s->list = mem_grow(s->list, &s->cap, s->n + 1, sizeof *s->list);
	s->list[s->n] = *slice;
	s->list[s->n].parent = INDEX_NONE;
	s->list[s->n].inner_ns = 0;
	if (has_partner)
		add_mark(s, (struct mark){ slice->start_ns, slice->number,
		    slice->scope, (uint32_t)s->n });
	s->n++;
}

void
slices_add_end(struct slices *s, sym scope, int64_t ns, int64_t number)
{
	add_mark(s, (struct mark){ ns, number, scope, INDEX_NONE });
}

static int
compare_marks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;
	return cmp_u64(x->scope, y->scope) ?: cmp_i64(x->ns, y->ns) ?:
	    cmp_i64(x->number, y->number);
}

/* The slices that are open are a stack, linked by their parents. */
static void
pair(struct slices *s, uint64_t *n_ended)
{
	struct mark *m = s->marks, *end = m + s->n_marks;
	uint32_t open = INDEX_NONE;
	struct slice *slice;

	*n_ended = 0;
	sort(m, s->n_marks, sizeof *m, compare_marks);
	for (; m < end; m++) {
		if (m > s->marks && m->scope != m[-1].scope)
			open = INDEX_NONE;
		if (m->slice != INDEX_NONE) {
			s->list[m->slice].parent = open;
			open = m->slice;
		} else if (open == INDEX_NONE) {
			++*n_ended;
		} else {
			slice = &s->list[open];
			slice->end_ns = m->ns;
			open = slice->parent;
		}
	}
	for (size_t i = 0; i < s->n; i++)
		s->list[i].parent = INDEX_NONE;
}

/* By scope, then by start; a slice before those that are within it. */
static int
compare_slices(const void *a, const void *b, void *context)
{
	const struct slice *list = context;
	const struct slice *x = &list[*(const uint32_t *)a];
	const struct slice *y = &list[*(const uint32_t *)b];
	return cmp_u64(x->scope, y->scope) ?:
	    cmp_i64(x->start_ns, y->start_ns) ?:
	    cmp_i64(y->end_ns, x->end_ns) ?: cmp_i64(x->number, y->number);
}

/*
 * Sets the parent of each of the n slices in the list.  One that begins when
 * another ends is after it, and one that ends later is not within it.  The end
 * of one that has none is INT_UNKNOWN, below all times.
 */
static void
nest(struct slices *s, uint32_t *list, size_t n)
{
	uint32_t top = INDEX_NONE;
	struct slice *slice;

	sort_with(list, n, sizeof *list, compare_slices, s->list);
	for (size_t i = 0; i < n; i++) {
		slice = &s->list[list[i]];
		if (i > 0 && slice->scope != s->list[list[i - 1]].scope)
			top = INDEX_NONE;
		while (top != INDEX_NONE &&
		    (s->list[top].end_ns <= slice->start_ns ||
		    s->list[top].end_ns < slice->end_ns))
			top = s->list[top].parent;
		slice->parent = top;
		top = list[i];
	}
}

/*
 * Moves the asynchronous slices that began and ended within the same outermost
 * slice of their thread to that thread.  The first n_sync slices in the list
 * are those of threads, nested and in order.
 */
static void
move_to_threads(struct slices *s, const uint32_t *list, size_t n_sync, size_t n)
{
	uint32_t *tops = mem_table(n_sync, sizeof *tops);
	size_t n_tops = 0, after;
	struct slice *slice, *top;

	for (size_t i = 0; i < n_sync; i++)
		if (s->list[list[i]].parent == INDEX_NONE)
			tops[n_tops++] = list[i];
	for (size_t i = n_sync; i < n; i++) {
		slice = &s->list[list[i]];
		after = SEARCH_FIRST(j, n_tops,
		    s->list[tops[j]].scope > slice->lane ||
		    (s->list[tops[j]].scope == slice->lane &&
		    s->list[tops[j]].start_ns > slice->start_ns));
		top = after > 0 ? &s->list[tops[after - 1]] : NULL;
		if (top != NULL && top->scope == slice->lane &&
		    top->end_ns >= slice->end_ns)
			slice->scope = slice->lane;
	}
	free(tops);
}

void
slices_resolve(struct slices *s, uint64_t *n_open, uint64_t *n_ended)
{
	uint32_t *list = mem_table(s->n, sizeof *list);
	size_t n_sync = 0, n = 0;
	struct slice *slice;
	bool is_open;

	pair(s, n_ended);
	*n_open = 0;
	for (int async = 0; async < 2; async++) {
		for (uint32_t i = 0; i < s->n; i++) {
			slice = &s->list[i];
			is_open = slice->end_ns == INT_UNKNOWN;
			*n_open += is_open && async == 0;
			if (slice->is_task && slice->scope != SYM_NONE &&
			    (slice->scope != slice->lane) == (async == 1) &&
			    !(is_open && async == 1))
				list[n++] = i;
		}
		if (async == 0)
			n_sync = n;
	}
	nest(s, list, n_sync);
	if (n > n_sync) {
		move_to_threads(s, list, n_sync, n);
		nest(s, list, n);
	}
	for (size_t i = 0; i < n; i++) {
		slice = &s->list[list[i]];
		if (slice->parent != INDEX_NONE &&
		    slice->end_ns != INT_UNKNOWN)
			s->list[slice->parent].inner_ns += slice->end_ns -
			    slice->start_ns;
	}
	free(list);
}

void
slices_clear(struct slices *s)
{
	s->n = s->n_marks = 0;
	s->text.len = 0;
}

void
slices_release(struct slices *s)
{
	free(s->list);
	free(s->marks);
	buf_release(&s->text);
}
