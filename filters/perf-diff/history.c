/* history - finds the commits at which keys have changed */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/filter/filter-reject.h"
#include "common/stats/changes.h"
#include "common/stats/rankscan.h"
#include "common/stats/twosample.h"
#include "common/stats/values.h"
#include "filters/perf-diff/results.h"
#include "filters/perf-diff/history.h"

#define ALPHA 0.05

/* The smallest effect of a history is for a change with this many points
   after it. */
enum { POINTS_AFTER = 10 };

/* A sample at its position in the order of versions. */
struct placed {
	uint32_t position;
	double value;
};

struct history {
	struct results *answer;
	uint32_t *positions;	/* by version; INDEX_NONE: not in the order */
	struct placed *placed;	/* samples of a key */
	double *room, *after;	/* values of a key */
	struct changes found;
	struct change_point *points;	/* of all series */
	size_t n_points, points_cap;
};

/* --- the order of versions ------------------------------------------------ */

/*
 * With version records, the order follows the first parents of the first one;
 * without, it is that in which the samples came.
 */
static void
find_order(struct history *h)
{
	struct results *a = h->answer;
	const struct version *versions = a->samples->versions;
	size_t n = a->samples->ids.n;
	uint32_t v = a->samples->head, first;
	bool newest_first = v != INDEX_NONE || !a->options->oldest_first;

	h->positions = mem_ones(n, sizeof *h->positions);
	a->order = mem_table(n, sizeof *a->order);
	if (v == INDEX_NONE)
		for (uint32_t i = 0; i < n; i++)
			a->order[a->n_order++] = i;
	/* A version that is already in the order would be a cycle. */
	for (; v != INDEX_NONE && versions[v].is_record &&
	    h->positions[v] == INDEX_NONE; v = versions[v].parent) {
		h->positions[v] = 0;
		a->order[a->n_order++] = v;
	}
	for (size_t i = 0; newest_first && i < a->n_order / 2; i++) {
		first = a->order[i];
		a->order[i] = a->order[a->n_order - 1 - i];
		a->order[a->n_order - 1 - i] = first;
	}

	for (uint32_t i = 0; i < a->n_order; i++)
		h->positions[a->order[i]] = i;
	for (uint32_t i = 0; i < n; i++)
		a->n_ignored += versions[i].has_samples &&
		    h->positions[i] == INDEX_NONE;
}

/* --- the points of a key -------------------------------------------------- */

static int
compare_placed(const void *x, const void *y)
{
	const struct placed *a = x, *b = y;

	return cmp_u64(a->position, b->position);
}

/*
 * Finds the samples of a key that are in the order.  The point of a version is
 * the median of its samples.
 */
static void
make_points(struct history *h, struct series *s, const struct key *k)
{
	const struct placed *p, *end;
	uint32_t position;
	bool is_sorted = true;
	size_t n_placed = 0, n;

	for (size_t i = 0; i < k->n; i++) {
		position = h->positions[k->list[i].version];
		if (position == INDEX_NONE)
			continue;
		is_sorted = is_sorted && (n_placed == 0 ||
		    h->placed[n_placed - 1].position <= position);
		h->placed[n_placed++] = (struct placed){ position,
		    k->list[i].value };
	}
	if (!is_sorted)
		sort(h->placed, n_placed, sizeof *h->placed, compare_placed);

	s->values = mem_table(n_placed, sizeof *s->values);
	s->positions = mem_table(n_placed, sizeof *s->positions);
	end = h->placed + n_placed;
	for (p = h->placed; p < end; p += n) {
		for (n = 0; p + n < end && p[n].position == p->position; n++)
			h->after[n] = p[n].value;
		s->values[s->n] = n == 1 ? p->value :
		    values_median(h->after, n, h->room);
		s->positions[s->n++] = p->position;
	}
}

/* --- the changes of a key ------------------------------------------------- */

/* The segment between two changes of a series. */
static size_t
segment_start(const struct history *h, const struct series *s, size_t i)
{
	return i == 0 ? 0 : h->points[s->first_change + i - 1].at;
}

static size_t
segment_end(const struct history *h, const struct series *s, size_t i)
{
	return i == s->n_changes ? s->n :
	    h->points[s->first_change + i].at;
}

static double
find_effect(double spread, double before, size_t n_before, size_t n_after,
    double factor)
{
	return results_visible(spread, before, n_before, n_after, factor *
	    rankscan_threshold(n_before + n_after, RANKSCAN_001));
}

static void
search_series(struct history *h, struct series *s)
{
	size_t n_after = s->n / 2 < POINTS_AFTER ? s->n / 2 : POINTS_AFTER;
	size_t from, to;
	double median, spread;

	changes_find(&h->found, s->values, s->n,
	    h->answer->options->min_effect);
	s->first_change = h->n_points;
	s->n_changes = h->found.n;
	s->phi = h->found.phi;
	s->factor = h->found.factor;
	h->points = mem_grow(h->points, &h->points_cap, h->n_points +
	    h->found.n, sizeof *h->points);
	for (size_t i = 0; i < h->found.n; i++)
		h->points[h->n_points++] = h->found.list[i];

	/* The spread of the points around the medians of their segments. */
	for (size_t i = 0; i <= s->n_changes; i++) {
		from = segment_start(h, s, i);
		to = segment_end(h, s, i);
		median = values_median(s->values + from, to - from, h->room);
		for (size_t j = from; j < to; j++)
			h->after[j] = fabs(s->values[j] - median);
	}
	spread = TWOSAMPLE_MAD_TO_SD * values_median(h->after, s->n, h->room);

	/* What a change near the end of the series would need. */
	s->smallest_effect = find_effect(spread, median, s->n - n_after,
	    n_after, s->factor);
}

/* Adds the i-th change of a series, compared with the segment before it. */
static void
add_change(struct history *h, const struct series *s, const struct tested *t,
    size_t i)
{
	const struct change_point *point = &h->points[s->first_change + i];
	size_t from = segment_start(h, s, i), to = segment_end(h, s, i + 1);
	struct results *a = h->answer;
	struct change *c = results_add(a, s->key);
	double spread;

	c->n_before = point->at - from;
	c->n_after = to - point->at;
	memcpy(h->room, s->values + from, c->n_before * sizeof *h->room);
	memcpy(h->after, s->values + point->at, c->n_after * sizeof *h->after);
	spread = results_compare(c, h->room, h->after);
	c->smallest_effect = find_effect(spread, c->before, c->n_before,
	    c->n_after, s->factor);
	c->p = point->p;
	c->q = t->q;
	c->fdr = t->fdr;
	c->phi = s->phi;
	c->factor = s->factor;
	c->window = point->window;
	c->at = s->positions[point->at];
	c->last_good = s->positions[point->at - 1];
	/* The medians of the segments may differ less than those of the
	   window: the change is then reported, but not judged. */
	c->verdict = c->q <= ALPHA ? results_judge(a, c) : VERDICT_UNVERIFIED;
	if (c->verdict == VERDICT_SAME)
		c->verdict = VERDICT_UNVERIFIED;
}

/* Makes a series of each key that has enough points to be tested. */
static struct tested *
make_series(struct history *h)
{
	struct results *a = h->answer;
	const struct samples *samples = a->samples;
	struct tested *list = mem_table(samples->n, sizeof *list);
	struct series *s;
	size_t n_max = 0;

	for (size_t i = 0; i < samples->n; i++)
		if (samples->keys[i].n > n_max)
			n_max = samples->keys[i].n;
	h->placed = mem_table(n_max, sizeof *h->placed);
	h->room = mem_table(n_max, sizeof *h->room);
	h->after = mem_table(n_max, sizeof *h->after);

	a->series = mem_zero(samples->n, sizeof *a->series);
	for (uint32_t key = 0; key < samples->n; key++) {
		s = &a->series[a->n_series];
		*s = (struct series){ .key = key };
		make_points(h, s, &samples->keys[key]);
		a->n_keys += s->n > 0;
		if (!isfinite(rankscan_threshold(s->n, RANKSCAN_001))) {
			a->counts[VERDICT_UNVERIFIED] += s->n > 0;
			free(s->values);
			free(s->positions);
			continue;
		}
		search_series(h, s);
		list[a->n_series] = (struct tested){ .key = key,
		    .p = h->found.p };
		a->n_series++;
	}
	return list;
}

void
history_find(struct results *a, struct filter *f)
{
	struct history h = { .answer = a };
	struct tested *list;
	const struct series *s;
	double *effects;
	size_t n = 0, blind;

	find_order(&h);
	if (a->n_ignored > 0)
		filter_warn(f, "commits with samples that are not in the line "
		    "of first parents, and are ignored: %zu", a->n_ignored);

	list = make_series(&h);
	a->n_tested = a->n_series;
	results_adjust(a, list, a->n_series);
	for (size_t i = 0; i < a->n_series; i++) {
		s = results_series(a, list[i].key);
		for (size_t j = 0; j < s->n_changes; j++)
			add_change(&h, s, &list[i], j);
	}

	effects = mem_table(a->n_series, sizeof *effects);
	for (s = a->series; s < a->series + a->n_series; s++) {
		blind = rankscan_blind(s->n, s->factor);
		a->blind = blind > a->blind ? blind : a->blind;
		if (!isnan(s->smallest_effect))
			effects[n++] = s->smallest_effect;
	}
	values_sort(effects, n);
	a->smallest_effect = n == 0 ? NAN : values_median_sorted(effects, n);

	free(effects);
	free(list);
	free(h.positions);
	free(h.placed);
	free(h.room);
	free(h.after);
	free(h.points);
	changes_release(&h.found);
}
