/* changes - all changes of level in a series */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/stats/changes.h"
#include "common/stats/rankscan.h"
#include "common/stats/values.h"

enum { WINDOW_MIN = 28 };
#define P_MAX 0.001		/* of a window, times the number of windows */

/* Arrays for a series of up to cap values. */
struct changes_room {
	size_t cap;
	size_t *order;		/* positions in the order of the values; those
				   of a stretch are at its place */
	size_t *spare;		/* positions, while a stretch is split */
	size_t *groups;		/* by position: equal for equal values */
	size_t *slots;		/* for each window of a level its positions, in
				   the order of the values */
	size_t *filled;		/* positions in the slots of each window */
	uint64_t *twice_midranks;	/* of a window */
	double *z, *room, *residuals;
};

struct search {
	struct changes *changes;
	struct changes_room *r;
	const double *values;
	double min_effect;
	bool is_first;		/* the stretch is the whole series */
};

static void
release_room(struct changes_room *r)
{
	free(r->order);
	free(r->spare);
	free(r->groups);
	free(r->slots);
	free(r->filled);
	free(r->twice_midranks);
	free(r->z);
	free(r->room);
	free(r->residuals);
}

void
changes_release(struct changes *c)
{
	if (c->room != NULL)
		release_room(c->room);
	free(c->room);
	free(c->list);
	*c = (struct changes){ 0 };
}

static struct changes_room *
prepare_room(struct changes *c, size_t n)
{
	struct changes_room *r = c->room;

	if (r == NULL)
		c->room = r = mem_zero(1, sizeof *r);
	if (n <= r->cap)
		return r;
	release_room(r);
	r->cap = n;
	r->order = mem_table(n, sizeof *r->order);
	r->spare = mem_table(n, sizeof *r->spare);
	r->groups = mem_table(n, sizeof *r->groups);
	/* The windows of a level overlap by half. */
	r->slots = mem_table(n, 2 * sizeof *r->slots);
	r->filled = mem_table(n, sizeof *r->filled);
	r->twice_midranks = mem_table(n, sizeof *r->twice_midranks);
	r->z = mem_table(n, sizeof *r->z);
	r->room = mem_table(n, sizeof *r->room);
	r->residuals = mem_table(n, sizeof *r->residuals);
	return r;
}

/* Scans the window of w values from `start`, whose positions are sorted. */
static struct rankscan
scan_window(struct changes_room *r, const size_t *sorted, size_t w,
    size_t start)
{
	double ties = 0, t;
	size_t end;

	for (size_t i = 0; i < w; i = end) {
		for (end = i + 1; end < w && r->groups[sorted[end]] ==
		    r->groups[sorted[i]]; end++)
			;
		for (size_t j = i; j < end; j++)
			r->twice_midranks[sorted[j] - start] = i + 1 + end;
		t = (double)(end - i);
		ties += t * t * t - t;
	}
	return rankscan(r->twice_midranks, w, ties, r->z);
}

/* Of n windows of w values in a stretch: where the i-th begins. */
static size_t
window_start(size_t from, size_t w, size_t i)
{
	return from + i * w / 2;
}

/* Distributes the sorted positions of a stretch to its windows. */
static void
fill_windows(struct changes_room *r, size_t from, size_t to, size_t w,
    size_t n_windows)
{
	size_t position, last;

	memset(r->filled, 0, n_windows * sizeof *r->filled);
	for (size_t i = from; i < to; i++) {
		position = r->order[i];
		/* The last window that begins here or before. */
		last = (2 * (position - from) + 1) / w;
		if (last > n_windows - 1)
			last = n_windows - 1;
		for (size_t k = last + 1; k-- > 0 &&
		    position < window_start(from, w, k) + w;)
			r->slots[k * w + r->filled[k]++] = position;
	}
}

/* Do the medians of the two sides of a window differ enough? */
static bool
has_effect(const struct search *s, size_t start, size_t at, size_t end)
{
	double before = values_median(s->values + start, at - start,
	    s->r->room);
	double after = values_median(s->values + at, end - at, s->r->room);

	return changes_is_effect(before, after, s->min_effect);
}

/*
 * The shorter window wins, then the smaller p, then the earlier change.  Equal
 * probabilities may have been rounded differently.
 */
static bool
is_better(const struct change_point *a, const struct change_point *b)
{
	if (b->window == 0 || a->window != b->window)
		return b->window == 0 || a->window < b->window;
	if (fabs(a->p - b->p) > 1e-9 * b->p)
		return a->p < b->p;
	return a->at < b->at;
}

/* Finds the change at which the stretch is split; false if there is none. */
static bool
find_split(struct search *s, size_t from, size_t to, struct change_point *best)
{
	size_t n_all = 0, n_windows, w, start;
	unsigned levels = 1;
	struct rankscan scan;
	struct change_point c;
	double z;

	*best = (struct change_point){ 0 };
	/* Each level halves the length of the windows. */
	while ((to - from) >> levels >= WINDOW_MIN)
		levels++;
	for (unsigned level = 0; level < levels; level++)
		n_all += ((size_t)2 << level) - 1;

	for (unsigned level = 0; level < levels; level++) {
		n_windows = ((size_t)2 << level) - 1;
		w = (to - from) >> level;
		fill_windows(s->r, from, to, w, n_windows);
		for (size_t k = 0; k < n_windows; k++) {
			start = window_start(from, w, k);
			scan = scan_window(s->r, s->r->slots + k * w, w, start);
			if (scan.z == 0)
				continue;
			z = scan.z / s->changes->factor;
			c = (struct change_point){ .at = start + scan.at,
			    .p = fmin(1, rankscan_p(w, z) * (double)n_all),
			    .window = w };
			if (s->is_first)
				s->changes->p = fmin(s->changes->p, c.p);
			if (c.p <= P_MAX && rankscan_is_change(w, z) &&
			    is_better(&c, best) &&
			    has_effect(s, start, c.at, start + w))
				*best = c;
		}
	}
	return best->window > 0;
}

/*
 * Finds the changes within a stretch.  The recursion is into the shorter part,
 * so that it is not deep.
 */
static void
search_stretch(struct search *s, size_t from, size_t to)
{
	struct changes *c = s->changes;
	size_t *order = s->r->order, low, n_high;
	struct change_point best;

	while (to - from >= 2 * RANKSCAN_MARGIN &&
	    find_split(s, from, to, &best)) {
		s->is_first = false;
		c->list = mem_grow(c->list, &c->cap, c->n + 1,
		    sizeof *c->list);
		c->list[c->n++] = best;

		/* The positions of each part keep their order. */
		low = from;
		n_high = 0;
		for (size_t i = from; i < to; i++) {
			if (order[i] < best.at)
				order[low++] = order[i];
			else
				s->r->spare[n_high++] = order[i];
		}
		memcpy(order + best.at, s->r->spare, n_high * sizeof *order);

		if (best.at - from < to - best.at) {
			search_stretch(s, from, best.at);
			from = best.at;
		} else {
			search_stretch(s, best.at, to);
			to = best.at;
		}
	}
	s->is_first = false;
}

static int
compare_points(const void *a, const void *b)
{
	const struct change_point *x = a, *y = b;

	return cmp_u64(x->at, y->at);
}

static void
search_series(struct search *s, size_t n)
{
	struct changes *c = s->changes;
	struct changes_room *r = s->r;

	c->n = 0;
	c->p = 1;
	s->is_first = true;
	/* Sorted once: windows and parts keep that order. */
	values_order(s->values, n, r->order);
	for (size_t i = 0, group = 0; i < n; i++) {
		group += i > 0 && s->values[r->order[i]] !=
		    s->values[r->order[i - 1]];
		r->groups[r->order[i]] = group;
	}
	search_stretch(s, 0, n);
	sort(c->list, c->n, sizeof *c->list, compare_points);
}

/*
 * Autocorrelation of the ranks of n residuals, with lag 1, at least 0.  The
 * residual of a value is its difference from the median of its segment.
 */
static double
autocorrelation(const struct search *s, size_t n)
{
	const struct changes *c = s->changes;
	struct changes_room *r = s->r;
	double *ranks = r->room, sum = 0, squares = 0, d, previous = 0, median;
	size_t from = 0, to;

	for (size_t i = 0; i <= c->n && from < n; i++, from = to) {
		to = i < c->n ? c->list[i].at : n;
		median = values_median(s->values + from, to - from, r->room);
		for (size_t j = from; j < to; j++)
			r->residuals[j] = s->values[j] - median;
	}

	values_midranks(r->residuals, n, r->spare, ranks);
	for (size_t i = 0; i < n; i++) {
		d = ranks[i] - ((double)n + 1) / 2;
		sum += i > 0 ? previous * d : 0;
		squares += d * d;
		previous = d;
	}
	return squares > 0 ? fmax(0, sum / squares) : 0;
}

void
changes_find(struct changes *c, const double *values, size_t n,
    double min_effect)
{
	struct search s = { .changes = c, .r = prepare_room(c, n),
	    .values = values, .min_effect = min_effect };

	c->factor = 1;
	c->phi = 0;
	search_series(&s, n);
	if (n == 0)
		return;
	c->phi = autocorrelation(&s, n);
	if (c->phi <= 2 / sqrt((double)n))
		return;
	c->factor = sqrt((1 + c->phi) / (1 - c->phi));
	search_series(&s, n);
}
