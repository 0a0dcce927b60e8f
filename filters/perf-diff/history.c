/* history - finds the commits at which keys have changed */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/filter/filter-reject.h"
#include "common/stats/twosample.h"
#include "common/stats/values.h"
#include "filters/perf-diff/accept.h"
#include "filters/perf-diff/history.h"

/* Fewer points can never show a change, unless they are exact. */
enum { POINTS_MIN = 14 };

/* A sample at its position in the order of versions. */
struct placed {
	uint32_t position;
	double value;
};

struct history {
	struct results *answer;
	struct placed *placed;	/* samples of a key */
	double *room, *after;	/* values of a key */
	size_t *given;		/* places of accepted changes */
	struct changes found;
	struct tested *tested;
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

	a->positions = mem_ones(n, sizeof *a->positions);
	a->order = mem_table(n, sizeof *a->order);
	if (v == INDEX_NONE)
		for (uint32_t i = 0; i < n; i++)
			a->order[a->n_order++] = i;
	/* A version that is already in the order would be a cycle. */
	while (v != INDEX_NONE && versions[v].is_record &&
	    a->positions[v] == INDEX_NONE) {
		a->positions[v] = 0;
		a->order[a->n_order++] = v;
		v = versions[v].n_parents > 0 ? versions[v].parents[0] :
		    INDEX_NONE;
	}
	for (size_t i = 0; newest_first && i < a->n_order / 2; i++) {
		first = a->order[i];
		a->order[i] = a->order[a->n_order - 1 - i];
		a->order[a->n_order - 1 - i] = first;
	}

	for (uint32_t i = 0; i < a->n_order; i++)
		a->positions[a->order[i]] = i;
	for (uint32_t i = 0; i < n; i++)
		a->n_ignored += versions[i].has_samples &&
		    a->positions[i] == INDEX_NONE;
}

/* --- the points of a key -------------------------------------------------- */

static int
compare_placed(const void *x, const void *y)
{
	const struct placed *a = x, *b = y;

	return cmp_u64(a->position, b->position);
}

/* The value of a point, from n samples of one version. */
static double
value_of_point(const struct history *h, const struct placed *p, size_t n)
{
	double least = p->value;

	for (size_t i = 0; i < n; i++) {
		h->after[i] = p[i].value;
		least = fmin(least, p[i].value);
	}
	return n == 1 || h->answer->options->least ? least :
	    values_median(h->after, n, h->room);
}

/* Finds the samples of a key that are in the order. */
static void
make_points(struct history *h, struct series *s, const struct key *k)
{
	const struct placed *p, *end;
	uint32_t position;
	bool is_sorted = true;
	size_t n_placed = 0, n;

	for (size_t i = 0; i < k->n; i++) {
		position = h->answer->positions[k->list[i].version];
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
		for (n = 1; p + n < end && p[n].position == p->position; n++)
			;
		s->values[s->n] = value_of_point(h, p, n);
		s->positions[s->n++] = p->position;
	}
}

/* --- the changes of a key ------------------------------------------------- */

/* The index of the first point at or after a position. */
static size_t
point_at(const struct series *s, size_t position)
{
	return SEARCH_FIRST(i, s->n, s->positions[i] >= position);
}

/*
 * Lists the places of accepted changes of a series.  A line without a uid is
 * for keys that have a change there: if with_all is set, and one of the changes
 * found until now may be from its commit.
 */
static size_t
list_given(const struct history *h, const struct series *s, bool with_all)
{
	const struct results *a = h->answer;
	const struct accepted *accepted = a->options->accepted;
	struct span uid = samples_part(a->samples,
	    &a->samples->keys[s->key], PART_UID);
	const struct change_point *p, *end = h->found.list + h->found.n;
	size_t n = 0, at;

	for (size_t position = 0; position < a->n_order; position++)
		for (size_t i = 0; i < accepted->n; i++) {
			if (!accepted_is_at(&accepted->list[i],
			    results_version(a, position)))
				continue;
			at = point_at(s, position);
			if (at == 0 || at == s->n || (n > 0 &&
			    h->given[n - 1] == at))
				continue;
			for (p = h->found.list; p < end && !(p->first <= at &&
			    at <= p->last); p++)
				;
			if (accepted->list[i].uid.n > 0 ?
			    span_compare(accepted->list[i].uid, uid) == 0 :
			    with_all && p < end)
				h->given[n++] = at;
		}
	return n;
}

static void
find_changes(struct history *h, struct series *s)
{
	const struct results *a = h->answer;
	double effect = a->options->min_effect;
	void (*find)(struct changes *, const double *, size_t, const size_t *,
	    size_t, double) = results_is_exact(a, s->key) ?
	    changes_find_exact : changes_find;
	size_t n = 0, n_all;

	h->found.n = 0;
	if (a->options->accepted != NULL)
		n = list_given(h, s, false);
	find(&h->found, s->values, s->n, h->given, n, effect);
	if (a->options->accepted == NULL)
		return;
	n_all = list_given(h, s, true);
	if (n_all > n)
		find(&h->found, s->values, s->n, h->given, n_all, effect);
}

/* Keeps what is drawn of a series: the levels between its splits. */
static void
keep_levels(struct history *h, struct series *s, bool is_exact)
{
	const struct changes *found = &h->found;
	size_t n = is_exact ? found->n : found->splits.n, end;

	s->n_levels = n + 1;
	s->levels = mem_table(n + 1, sizeof *s->levels);
	s->noise = mem_zero(n + 1, sizeof *s->noise);
	s->starts = mem_zero(n + 1, sizeof *s->starts);
	for (size_t i = 0; i < n; i++)
		s->starts[i + 1] = is_exact ? found->list[i].at :
		    found->splits.list[i].at;
	for (size_t i = 0; i <= n; i++) {
		end = i < n ? s->starts[i + 1] : s->n;
		s->levels[i] = s->values[s->starts[i]];
		if (is_exact)
			continue;
		s->levels[i] = values_median(s->values + s->starts[i],
		    end - s->starts[i], h->room);
		for (size_t j = s->starts[i]; j < end; j++)
			h->room[j - s->starts[i]] = fabs(s->values[j] -
			    s->levels[i]);
		s->noise[i] = splits_sigma(h->room, end - s->starts[i], 1);
	}
}

/* Adds a change of a series; p and the verdict are set when all are known. */
static void
add_change(struct history *h, const struct series *s,
    const struct change_point *p, bool is_exact)
{
	struct results *a = h->answer;
	struct change *c = results_add(a, s->key);
	struct twosample t;

	c->series = (size_t)(s - a->series);
	c->kind = p->kind;
	c->accepted = p->is_accepted;
	c->is_exact = is_exact;
	c->at = s->positions[p->at];
	c->last_good = s->positions[p->at - 1];
	c->first = s->positions[p->first - 1] + 1;
	c->last = s->positions[p->last];
	c->before = p->before;
	c->after = p->after;
	c->p = is_exact ? NAN : p->p;
	c->n_before = p->n_before;
	c->n_after = p->n_after;
	c->n_steps = p->n_steps;
	c->steps = mem_table(p->n_steps, sizeof *c->steps);
	for (size_t i = 0; i < p->n_steps; i++)
		c->steps[i] = s->positions[p->steps[i]];
	if (p->n_before == 0)
		return;
	c->size = p->size;
	memcpy(h->room, s->values + p->at - p->n_before,
	    p->n_before * sizeof *h->room);
	memcpy(h->after, s->values + p->at, p->n_after * sizeof *h->after);
	twosample_compare(&t, h->room, p->n_before, h->after, p->n_after,
	    false);
	c->shift = t.shift;
	c->low = t.low;
	c->high = t.high;
}

/* Adds what is not proven: the newest points look different. */
static void
add_suspected(struct history *h, const struct series *s)
{
	const struct changes *f = &h->found;
	struct results *a = h->answer;
	struct change *c;

	if (f->n_newest == 0)
		return;
	c = results_add(a, s->key);
	c->series = (size_t)(s - a->series);
	c->verdict = VERDICT_SUSPECTED;
	c->at = s->positions[s->n - f->n_newest];
	c->last_good = s->positions[s->n - f->n_newest - 1];
	c->first = c->last_good + 1;
	c->last = c->at;
	c->before = f->newest_before;
	c->after = f->newest_after;
	c->size = f->newest_size;
	c->n_before = s->n - f->n_newest;
	if (f->splits.n > 0)
		c->n_before -= f->splits.list[f->splits.n - 1].at;
	c->n_after = f->n_newest;
}

/* Adds a key that has no samples at the newest commit that was measured. */
static void
add_gone(struct history *h, const struct series *s, size_t newest)
{
	struct results *a = h->answer;
	struct change *c;

	if (s->positions[s->n - 1] == newest)
		return;
	c = results_add(a, s->key);
	c->series = (size_t)(s - a->series);
	c->verdict = VERDICT_GONE;
	c->last_good = s->positions[s->n - 1];
	c->at = c->first = c->last_good + 1;
	c->last = newest;
	c->n_before = s->n;
	c->before = s->n_levels > 0 ? s->levels[s->n_levels - 1] :
	    s->values[s->n - 1];
}

/*
 * Searches the series of each key; a key that has too few points is unverified.
 * The changes of a key follow each other.
 */
static void
search_keys(struct history *h, size_t newest)
{
	struct results *a = h->answer;
	struct series *s;
	struct tested *t;
	size_t first;
	bool is_exact;

	for (s = a->series; s < a->series + a->n_series; s++) {
		is_exact = results_is_exact(a, s->key);
		if (s->n < (is_exact ? 2 : POINTS_MIN)) {
			a->counts[VERDICT_UNVERIFIED]++;
			a->n_untested++;
			add_gone(h, s, newest);
			continue;
		}
		find_changes(h, s);
		keep_levels(h, s, is_exact);
		s->phi = is_exact ? NAN : h->found.splits.phi;
		s->factor = is_exact ? NAN : h->found.splits.factor;
		s->visible = h->found.visible;
		if (!isnan(s->visible)) {
			a->n_judged++;
			a->smallest_effect = fmax(a->smallest_effect,
			    s->visible);
		}
		first = a->n;
		t = &h->tested[a->n_tested++];
		*t = (struct tested){ .key = s->key, .p = 1, .index = first };
		for (size_t i = 0; i < h->found.n; i++) {
			add_change(h, s, &h->found.list[i], is_exact);
			t->p = fmin(t->p, is_exact ? 0 : h->found.list[i].p);
		}
		add_suspected(h, s);
		add_gone(h, s, newest);
	}
}

/* --- verdicts ------------------------------------------------------------- */

/* --now: the changes of a key count only if it is now worse than it was. */
static void
judge_now(const struct results *a, struct change *first, size_t n)
{
	struct change *c, net;
	enum verdict verdict;

	for (c = first; c < first + n && c->at <= a->now; c++)
		c->is_past = true;
	if (c == first + n)
		return;
	net = *c;
	net.after = first[n - 1].after;
	verdict = results_judge(a, &net);
	for (; c < first + n; c++)
		c->is_past = c->verdict != verdict;
}

static void
judge_changes(struct history *h)
{
	struct results *a = h->answer;
	const struct tested *t = h->tested;
	struct change *c, *first;
	size_t n;

	for (; t < h->tested + a->n_tested; t++) {
		first = &a->changes[t->index];
		for (n = 0, c = first; c < a->changes + a->n &&
		    c->key == t->key && c->verdict == VERDICT_UNVERIFIED; c++) {
			n++;
			c->q = c->is_exact ? t->q : fmax(t->q,
			    fmin(1, t->factor * c->p));
			c->fdr = t->fdr;
			if (c->q <= ALPHA || c->accepted)
				c->verdict = results_is_worse(a, c) ?
				    VERDICT_DEGRADED : VERDICT_IMPROVED;
		}
		if (a->options->now != NULL)
			judge_now(a, first, n);
	}
}

/* By q, then the greatest change of the key first. */
static int
compare_ranks(const void *x, const void *y, void *context)
{
	const struct tested *t = x, *u = y;

	if (t->q != u->q)
		return t->q < u->q ? -1 : 1;
	if (t->size != u->size)
		return t->size > u->size ? -1 : 1;
	return samples_compare(context, t->key, u->key);
}

/* Sorts the changes by key; those of a key follow each other as before. */
static void
sort_changes(struct history *h)
{
	struct results *a = h->answer;
	struct change *sorted = mem_table(a->n, sizeof *sorted), *c;
	struct change *end = a->changes + a->n;
	struct tested *t;
	size_t n = 0;

	for (t = h->tested; t < h->tested + a->n_tested; t++)
		for (c = a->changes + t->index; c < end && c->key == t->key;
		    c++)
			if (c->verdict != VERDICT_GONE)
				t->size = fmax(t->size, results_size(c));
	sort_with(h->tested, a->n_tested, sizeof *h->tested, compare_ranks,
	    a->samples);
	for (t = h->tested; t < h->tested + a->n_tested; t++)
		for (c = a->changes + t->index; c < end && c->key == t->key;
		    c++)
			sorted[n++] = *c;
	/* Keys that have too few points, but have gone. */
	for (c = a->changes; c < end; c++)
		if (a->series[c->series].n_levels == 0)
			sorted[n++] = *c;
	free(a->changes);
	a->changes = sorted;
	a->cap = a->n;
}

/* The position of a commit, given by its id or the beginning of it. */
static size_t
find_position(const struct results *a, const char *commit)
{
	const struct accepted_change wanted = { .commit = span_str(commit) };

	for (size_t i = 0; i < a->n_order; i++)
		if (accepted_is_at(&wanted, results_version(a, i)))
			return i;
	die("--now: '%s' is not a commit of the history", commit);
}

void
history_find(struct results *a, struct filter *f)
{
	struct history h = { .answer = a };
	const struct samples *samples = a->samples;
	size_t n_max = 0, newest = 0;
	struct series *s;

	find_order(&h);
	if (a->n_ignored > 0)
		filter_warn(f, "commits with samples that are not in the line "
		    "of first parents, and are ignored: %zu", a->n_ignored);

	if (a->options->now != NULL)
		a->now = find_position(a, a->options->now);

	for (size_t i = 0; i < samples->n; i++)
		if (samples->keys[i].n > n_max)
			n_max = samples->keys[i].n;
	h.placed = mem_table(n_max, sizeof *h.placed);
	h.room = mem_table(n_max, sizeof *h.room);
	h.after = mem_table(n_max, sizeof *h.after);
	h.given = mem_table(a->n_order, sizeof *h.given);
	h.tested = mem_table(samples->n, sizeof *h.tested);

	a->series = mem_zero(samples->n, sizeof *a->series);
	for (uint32_t key = 0; key < samples->n; key++) {
		s = &a->series[a->n_series];
		s->key = key;
		make_points(&h, s, &samples->keys[key]);
		if (s->n > 0) {
			a->n_series++;
			if (s->positions[s->n - 1] > newest)
				newest = s->positions[s->n - 1];
		} else {
			free(s->values);
			free(s->positions);
		}
	}
	a->n_keys = a->n_series;
	search_keys(&h, newest);
	results_adjust(a, h.tested, a->n_tested);
	judge_changes(&h);
	sort_changes(&h);

	free(h.placed);
	free(h.room);
	free(h.after);
	free(h.given);
	free(h.tested);
	changes_release(&h.found);
}
