/* history - finds the commits at which keys have changed */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/filter/filter-reject.h"
#include "common/stats/values.h"
#include "filters/perf-diff/perf-diff.h"

/* Fewer points can never show a change, unless they are exact. */
enum { POINTS_MIN = 14 };

enum { NOW_POINTS = 5 };	/* whose median is the level at --now */

struct history {
	struct results *answer;
	struct sample *placed;	/* samples of a key, by position */
	double *room;		/* for values of a key */
	struct changes found;
	size_t now;		/* the position of --now */

	/* The positions of the commits that lines of the file of accepted
	   changes name, ascending, and the places of those of a series. */
	struct given {
		size_t position;
		struct span uid;	/* empty: all */
	} *given;
	size_t n_given, given_cap;
	size_t *places;
};

/* --- the order of versions ------------------------------------------------ */

/* "2026-11-26", with or without a time? */
static bool
is_date(struct span id)
{
	static const char form[] = "dddd-dd-dd";
	size_t i = 0;

	for (; i < id.n && form[i] != '\0'; i++)
		if (form[i] == 'd' ? !text_is_digit(id.p[i]) :
		    id.p[i] != form[i])
			return false;
	return form[i] == '\0';
}

static int
compare_ids(const void *x, const void *y, void *ids)
{
	return span_compare(intern_span(ids, *(const uint32_t *)x),
	    intern_span(ids, *(const uint32_t *)y));
}

/*
 * With version records, the order follows the first parents of the first one;
 * without, it is that of the dates if all ids are dates, else that in which the
 * samples came.
 */
static void
find_order(struct history *h)
{
	struct results *a = h->answer;
	const struct version *versions = a->samples->versions;
	size_t n = a->samples->ids.n;
	uint32_t v = a->samples->head, first;

	a->by_date = v == INDEX_NONE && n > 0;
	for (sym i = 0; i < n && a->by_date; i++)
		a->by_date = is_date(intern_span(&a->samples->ids, i));
	a->positions = mem_ones(n, sizeof *a->positions);
	a->order = mem_table(n, sizeof *a->order);
	if (v == INDEX_NONE)
		for (uint32_t i = 0; i < n; i++)
			a->order[a->n_order++] = a->options->oldest_first ? i :
			    (uint32_t)n - 1 - i;
	if (a->by_date)
		sort_with(a->order, n, sizeof *a->order, compare_ids,
		    &a->samples->ids);
	/* A version that is already in the order would be a cycle. */
	while (v != INDEX_NONE && versions[v].is_record &&
	    a->positions[v] == INDEX_NONE) {
		a->positions[v] = 0;
		a->order[a->n_order++] = v;
		v = versions[v].n_parents > 0 ? versions[v].parents[0] :
		    INDEX_NONE;
	}
	for (size_t i = 0; a->samples->head != INDEX_NONE &&
	    i < a->n_order / 2; i++) {
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
	const struct sample *a = x, *b = y;

	return cmp_u64(a->version, b->version);
}

/* The value of a point, from n samples of one version. */
static double
value_of_point(const struct history *h, const struct sample *list, size_t n)
{
	if (n == 1)
		return list->value;
	for (size_t i = 0; i < n; i++)
		h->room[i] = list[i].value;
	values_sort(h->room, n);
	return h->answer->options->least ? h->room[0] :
	    values_median_sorted(h->room, n);
}

/* Makes the points of a key from its samples that are in the order. */
static void
make_points(struct history *h, struct result *r)
{
	const struct key *k = &h->answer->samples->keys[r->key];
	const struct sample *p, *end;
	uint32_t position;
	size_t n_placed = 0, n;

	for (size_t i = 0; i < k->n; i++) {
		position = h->answer->positions[k->list[i].version];
		if (position != INDEX_NONE)
			h->placed[n_placed++] = (struct sample){
			    k->list[i].value, position };
	}
	sort(h->placed, n_placed, sizeof *h->placed, compare_placed);

	r->values = arena_array(&h->answer->room, n_placed, sizeof *r->values);
	r->positions = arena_array(&h->answer->room, n_placed,
	    sizeof *r->positions);
	end = h->placed + n_placed;
	for (p = h->placed; p < end; p += n) {
		for (n = 1; p + n < end && p[n].version == p->version; n++)
			;
		r->values[r->n] = value_of_point(h, p, n);
		r->positions[r->n++] = p->version;
	}
}

/* --- accepted changes ----------------------------------------------------- */

static void
find_given(struct history *h)
{
	const struct results *a = h->answer;
	const struct accepted *accepted = &a->options->accepted;
	const struct accepted_change *c;

	for (size_t i = 0; i < a->n_order; i++)
		for (c = accepted->list; c < accepted->list + accepted->n;
		    c++) {
			if (!accepted_is_at(c, results_version(a, i)))
				continue;
			h->given = mem_grow(h->given, &h->given_cap,
			    h->n_given + 1, sizeof *h->given);
			h->given[h->n_given++] = (struct given){ i, c->uid };
		}
	h->places = arena_array(&h->answer->room, h->n_given,
	    sizeof *h->places);
}

/*
 * Is a change that is accepted at this place among those that were found
 * without it?  A line with a uid may also accept one that was not found, but
 * not so near to one that was that the points between would not be a segment:
 * it would hide the other one.
 */
static bool
is_accepted_at(const struct changes *found, size_t at, bool is_named,
    bool is_exact)
{
	const struct change_point *c = found->list;
	bool is_near = false;

	for (; c < found->list + found->n; c++) {
		if (c->first <= at && at <= c->last)
			return true;
		is_near |= c->at < at + SPLIT_SIDE && at < c->at + SPLIT_SIDE;
	}
	return is_named && (is_exact || !is_near);
}

/* Lists the places of accepted changes of a series. */
static size_t
list_places(const struct history *h, const struct result *r)
{
	const struct samples *s = h->answer->samples;
	struct span uid = samples_part(s, &s->keys[r->key], PART_UID);
	const struct given *g;
	size_t n = 0, at;

	for (g = h->given; g < h->given + h->n_given; g++) {
		/* The first point at or after the commit. */
		at = SEARCH_FIRST(i, r->n, r->positions[i] >= g->position);
		if (at == 0 || at == r->n || (n > 0 && h->places[n - 1] == at))
			continue;
		if (g->uid.n > 0 && span_compare(g->uid, uid) != 0)
			continue;
		if (is_accepted_at(&h->found, at, g->uid.n > 0, r->is_exact))
			h->places[n++] = at;
	}
	return n;
}

/* --- the changes of a key ------------------------------------------------- */

static void
find_changes(struct history *h, struct result *r)
{
	double effect = h->answer->options->min_effect;
	void (*find)(struct changes *, const double *, size_t, const size_t *,
	    size_t, double) = r->is_exact ? changes_find_exact : changes_find;
	size_t n;

	find(&h->found, r->values, r->n, NULL, 0, effect);
	n = list_places(h, r);
	if (n > 0)
		find(&h->found, r->values, r->n, h->places, n, effect);
}

/* Appends the parents of a version from the first on that are not seen. */
static size_t
add_parents(const struct version *v, size_t first, bool *seen, uint32_t *list,
    size_t n)
{
	for (size_t i = first; i < v->n_parents; i++)
		if (!seen[v->parents[i]]) {
			seen[v->parents[i]] = true;
			list[n++] = v->parents[i];
		}
	return n;
}

/*
 * Lists the versions that the merge at a change brings in: the ancestors of its
 * other parents that are not ancestors of its first.
 */
static void
find_merged(struct results *a, struct change *c)
{
	const struct version *versions = a->samples->versions;
	const struct version *merge = &versions[a->order[c->step.at]];
	uint32_t *list;
	bool *seen;
	size_t n, n_first, i;

	if (merge->n_parents < 2)
		return;
	list = mem_table(a->samples->ids.n, sizeof *list);
	seen = mem_zero(a->samples->ids.n, sizeof *seen);
	list[0] = merge->parents[0];
	seen[list[0]] = true;
	for (i = 0, n = 1; i < n; i++)
		n = add_parents(&versions[list[i]], 0, seen, list, n);
	n_first = n;
	n = add_parents(merge, 1, seen, list, n);
	for (; i < n; i++)
		n = add_parents(&versions[list[i]], 0, seen, list, n);
	c->n_merged = n - n_first;
	c->merged = arena_array(&a->room, c->n_merged, sizeof *c->merged);
	for (i = 0; i < c->n_merged; i++)
		c->merged[i] = list[n_first + i];
	free(list);
	free(seen);
}

/* Adds a change of a series; the verdict is set when all are known. */
static void
add_change(struct history *h, struct result *r, const struct change_point *p)
{
	struct change *c = results_add_change(r, *p);

	if (p->kind == CHANGE_NEWEST)
		c->verdict = VERDICT_SUSPECTED;
	c->accepted = p->is_accepted;
	c->last_good = r->positions[p->at - 1];
	c->step.at = r->positions[p->at];
	c->step.first = r->positions[p->first - 1] + 1;
	c->step.last = r->positions[p->last];
	c->steps = arena_array(&h->answer->room, p->n_steps, sizeof *c->steps);
	for (size_t i = 0; i < p->n_steps; i++)
		c->steps[i] = r->positions[p->steps[i].at];
	c->step.steps = NULL;	/* those of h->found do not last */
	find_merged(h->answer, c);
	if (p->kind != CHANGE_STEP || p->n_before == 0)
		return;
	memcpy(h->room, r->values + p->at - p->n_before,
	    (p->n_before + p->n_after) * sizeof *h->room);
	twosample_compare(&c->t, h->room, p->n_before, h->room + p->n_before,
	    p->n_after, false);
}

/* Searches a key; one that has too few points is not tested. */
static void
search_key(struct history *h, struct result *r)
{
	const struct changes *found = &h->found;
	size_t size;

	if (r->n < (r->is_exact ? 2 : POINTS_MIN))
		return;
	find_changes(h, r);
	r->p = 1;
	for (size_t i = 0; i < found->n; i++) {
		add_change(h, r, &found->list[i]);
		r->p = fmin(r->p, found->list[i].p);
		r->changes[i].has_next = i + 1 < found->n;
	}
	if (found->newest.n_after > 0)
		add_change(h, r, &found->newest);

	r->visible = found->visible;
	if (!r->is_exact) {
		r->phi = found->splits.phi;
		r->dependence = found->splits.factor;
	}
	size = found->n_segments * sizeof *r->segments;
	r->segments = arena_array(&h->answer->room, 1, size);
	r->n_segments = found->n_segments;
	memcpy(r->segments, found->segments, size);
}

/* Is it accepted by its uid that the key has ended? */
static bool
is_end_accepted(const struct history *h, const struct result *r)
{
	const struct samples *s = h->answer->samples;
	struct span uid = samples_part(s, &s->keys[r->key], PART_UID);
	const struct given *g;

	for (g = h->given; g < h->given + h->n_given; g++)
		if (g->position > r->positions[r->n - 1] &&
		    span_compare(g->uid, uid) == 0)
			return true;
	return false;
}

/* Adds that the key has no samples at the newest commit that was measured. */
static void
add_gone(const struct history *h, struct result *r)
{
	struct change *c = results_add_change(r, (struct change_point){
	    .before = r->n_segments > 0 ?
	    r->segments[r->n_segments - 1].level : r->values[r->n - 1],
	    .after = NAN, .p = NAN, .size = NAN, .n_before = r->n });

	c->verdict = VERDICT_GONE;
	c->accepted = is_end_accepted(h, r);
	c->last_good = r->positions[r->n - 1];
}

/* --- verdicts ------------------------------------------------------------- */

/*
 * Cuts off what was before --now from a gradual change that was under way then:
 * its level was that of the last points until then.
 */
static void
cut_at_now(const struct history *h, const struct result *r, struct change *c)
{
	size_t i = SEARCH_FIRST(k, r->n, r->positions[k] > h->now);
	size_t n = i < NOW_POINTS ? i : NOW_POINTS;

	c->step.before = values_median(r->values + i - n, n, h->room);
	c->step.first = h->now + 1;
	for (; c->step.n_steps > 1 && *c->steps <= h->now; c->steps++)
		c->step.n_steps--;
}

/* --now: the changes of a key count only if it is now worse than it was. */
static void
judge_now(const struct history *h, struct result *r, size_t n)
{
	struct change *c = r->changes, *end = c + n, net;
	enum verdict verdict;

	for (; c < end && c->step.at <= h->now; c++)
		c->is_past = true;
	if (c == end)
		return;
	if (c->step.n_steps > 0 && c->step.first <= h->now)
		cut_at_now(h, r, c);
	net = *c;
	net.step.after = end[-1].step.after;
	verdict = results_judge(h->answer, &net);
	for (; c < end; c++)
		c->is_past = verdict == VERDICT_SAME || results_is_worse(
		    h->answer, c) != (verdict == VERDICT_DEGRADED);
}

static void
judge_changes(const struct history *h, struct result *r)
{
	struct change *c = r->changes, *end = c + r->n_changes;

	for (; c < end && c->verdict == VERDICT_UNVERIFIED; c++) {
		c->q = results_adjusted(r, c->step.p);
		c->verdict = c->q > ALPHA && !c->accepted ? VERDICT_SUSPECTED :
		    results_is_worse(h->answer, c) ? VERDICT_DEGRADED :
		    VERDICT_IMPROVED;
	}
	if (h->answer->options->now != NULL)
		judge_now(h, r, (size_t)(c - r->changes));
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
	bool *measured;
	struct result *r;

	find_order(&h);
	if (a->n_ignored > 0)
		filter_warn(f, "commits with samples that are not in the line "
		    "of first parents, and are ignored: %zu", a->n_ignored);
	if (a->options->now != NULL)
		h.now = find_position(a, a->options->now);
	find_given(&h);

	h.placed = arena_array(&a->room, a->samples->n_samples,
	    sizeof *h.placed);
	h.room = arena_array(&a->room, a->samples->n_samples, sizeof *h.room);
	measured = mem_zero(a->n_order, sizeof *measured);
	for (uint32_t key = 0; key < a->samples->n; key++) {
		r = results_add(a, key);
		make_points(&h, r);
		if (r->n == 0)
			a->n--;
		for (size_t i = 0; i < r->n; i++)
			measured[r->positions[i]] = true;
	}
	for (size_t i = 0; i < a->n_order; i++)
		if (measured[i]) {
			a->n_measured++;
			a->newest = i;
		}
	free(measured);
	for (r = a->list; r < a->list + a->n; r++) {
		search_key(&h, r);
		if (r->positions[r->n - 1] < a->newest)
			add_gone(&h, r);
	}
	results_adjust(a);
	for (r = a->list; r < a->list + a->n_tested; r++)
		judge_changes(&h, r);
	free(h.given);
	changes_release(&h.found);
}
