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

static struct {
	struct sample *placed;	/* samples of a key, by position */
	double *room;		/* for values of a key */
	struct levels found;

	/* The lines of the file of accepted changes that name a commit of the
	   history, and its position. */
	struct given {
		size_t position;
		const struct accepted_change *line;
	} *given;
	size_t n_given, given_cap;
} work;

/* --- the order of versions ------------------------------------------------ */

/* "2026-11-26", with or without a time? */
static bool
is_date(struct span id)
{
	for (size_t i = 0; i < strlen("2026-11-26"); i++)
		if (i >= id.n || (i == 4 || i == 7 ? id.p[i] != '-' :
		    !text_is_digit(id.p[i])))
			return false;
	return true;
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
 * samples came, from whichever end an option says.
 */
static void
find_order(struct results *a)
{
	const struct version *versions = a->samples->versions;
	size_t n = a->samples->ids.n;
	uint32_t v = a->samples->head;
	bool by_date = v == INDEX_NONE && n > 0;

	for (sym i = 0; i < n && by_date; i++)
		by_date = is_date(intern_span(&a->samples->ids, i));
	a->is_ordered = v != INDEX_NONE || by_date ||
	    a->options->oldest_first || a->options->newest_first;
	a->positions = mem_ones(n, sizeof *a->positions);
	a->order = mem_table(n, sizeof *a->order);
	if (v == INDEX_NONE)
		for (uint32_t i = 0; i < n; i++)
			a->order[a->n_order++] = a->options->newest_first ?
			    (uint32_t)n - 1 - i : i;
	if (by_date)
		sort_with(a->order, n, sizeof *a->order, compare_ids,
		    &a->samples->ids);
	/* From the newest on; one that is already in it would be a cycle. */
	while (v != INDEX_NONE && versions[v].is_record &&
	    a->positions[v] == INDEX_NONE) {
		a->positions[v] = 0;
		a->n_order++;
		a->order[n - a->n_order] = v;
		v = versions[v].n_parents > 0 ? versions[v].parents[0] :
		    INDEX_NONE;
	}
	a->order += n - a->n_order;

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

/* Makes the points of a key from its samples that are in the order. */
static void
make_points(struct results *a, struct result *r)
{
	const struct key *k = &a->samples->keys[r->key];
	const struct options *o = a->options;
	const struct sample *p, *end;
	uint32_t position;
	size_t n_placed = 0, n, n_runs;

	for (size_t i = 0; i < k->n; i++) {
		position = a->positions[k->list[i].version];
		if (position != INDEX_NONE)
			work.placed[n_placed++] = (struct sample){
			    k->list[i].value, position, k->list[i].run };
	}
	sort(work.placed, n_placed, sizeof *work.placed, compare_placed);

	r->values = arena_array(&a->room, n_placed, sizeof *r->values);
	r->positions = arena_array(&a->room, n_placed, sizeof *r->positions);
	end = work.placed + n_placed;
	for (p = work.placed; p < end; p += n) {
		for (n = 1; p + n < end && p[n].version == p->version; n++)
			;
		n_runs = n == 1 ? 1 : samples_find_runs(k, p, n, o->best,
		    o->within_run, work.room);
		r->values[r->n] = n == 1 ? p->value : samples_value(k,
		    work.room, n_runs, o->best);
		r->positions[r->n++] = p->version;
	}
}

/* --- accepted changes ----------------------------------------------------- */

static void
find_given(const struct results *a)
{
	const struct accepted *accepted = &a->options->accepted;
	const struct accepted_change *c;

	for (size_t i = 0; i < a->n_order; i++)
		for (c = accepted->list; c < accepted->list + accepted->n;
		    c++) {
			if (!span_begins_with(results_version(a, i), c->commit))
				continue;
			work.given = mem_grow(work.given, &work.given_cap,
			    work.n_given + 1, sizeof *work.given);
			work.given[work.n_given++] = (struct given){ i, c };
		}
}

/* Is there a change that the commit before this point may have caused? */
static bool
has_change_at(const struct levels *l, const struct yardstick *y, size_t point)
{
	for (size_t i = 1; i < l->n; i++)
		if (l->list[i].first <= point && point <= l->list[i].last &&
		    levels_differ(y, l->list[i - 1].value, l->list[i].value))
			return true;
	return l->newest.n > 1 && point == l->n_points - l->newest.n;
}

/*
 * How many points of a key are before the newest commit that is accepted: by
 * its uid or, without one, if something changed there.
 */
static size_t
find_accepted(const struct results *a, const struct result *r,
    const struct yardstick *y)
{
	struct span uid = samples_part(a->samples, r->key, PART_UID);
	const struct given *g;
	size_t accepted = 0, before;

	for (g = work.given; g < work.given + work.n_given; g++) {
		before = SEARCH_FIRST(i, r->n, r->positions[i] >= g->position);
		if (before > accepted && (*g->line->uid != '\0' ?
		    span_eq(uid, g->line->uid) :
		    has_change_at(&work.found, y, before)))
			accepted = before;
	}
	return accepted;
}

/* --- the changes of a key ------------------------------------------------- */

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
	const struct version *merge = &versions[a->order[c->at]];
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

/* Sets the places of a change, from those of its first and its last step. */
static void
set_places(struct results *a, const struct result *r, struct change *c,
    const struct level *first, const struct level *last)
{
	c->at = r->positions[last->at];
	c->last_good = r->positions[last->at - 1];
	c->first = r->positions[first->first - 1] + 1;
	c->last = r->positions[last->last];
	c->grows = last->grows;
	c->size = first->size;
	find_merged(a, c);
}

/* The changes that reach the effect, of which a later level undid some. */
static void
add_changes(struct results *a, struct result *r, const struct yardstick *y)
{
	const struct levels *l = &work.found;
	const struct level *v;
	struct change *c;
	size_t end;

	for (size_t i = 1; i < l->n; i++) {
		v = &l->list[i];
		if (!levels_differ(y, v[-1].value, v->value))
			continue;
		c = results_add_change(r);
		c->before = v[-1].value;
		c->after = v->value;
		c->p = v->p;
		c->verdict = results_is_worse(a, c) ?
		    VERDICT_DEGRADED : VERDICT_IMPROVED;
		c->accepted = i < l->n_accepted;
		c->is_past = levels_is_past(l, y, i);
		set_places(a, r, c, v, v);
		c->is_today = r->today.n_steps == 1 && c->at == r->today.at;
		if (v->grows)
			continue;
		end = i + 1 < l->n ? v[1].at : r->n;
		c->n_before = v->at - v[-1].at;
		c->n_after = end - v->at;
		memcpy(work.room, r->values + v[-1].at,
		    (c->n_before + c->n_after) * sizeof *work.room);
		twosample_find_shift(&c->t, work.room, c->n_before,
		    work.room + c->n_before, c->n_after);
	}
}

/* Searches a key; one that has too few points is not tested. */
static void
search_key(struct results *a, struct result *r)
{
	static const enum verdict verdicts[] = { VERDICT_SAME, VERDICT_DEGRADED,
	    VERDICT_IMPROVED, VERDICT_SUSPECTED };
	struct yardstick y = results_yardstick(a, r);
	struct levels *found = &work.found;
	const struct today *t = &found->today;
	struct change *c = &r->today;
	size_t size;

	levels_find(found, r->values, r->n, &y);
	levels_judge(found, &y, find_accepted(a, r, &y));
	if (r->n >= (r->is_exact ? 2 : POINTS_MIN))
		r->p = 1;

	c->verdict = verdicts[t->state];
	if (t->state != STATE_SAME) {
		c->before = t->before;
		c->after = t->after;
		c->p = t->p;
		set_places(a, r, c, &t->steps[0], &t->steps[t->n_steps - 1]);
		c->n_steps = t->n_steps;
		c->steps = arena_array(&a->room, c->n_steps, sizeof *c->steps);
		for (size_t i = 0; i < c->n_steps; i++) {
			c->steps[i] = r->positions[t->steps[i].at];
			c->size = fmax(c->size, t->steps[i].size);
		}
		r->is_repairing = t->is_repairing;
	}
	if (t->state == STATE_DEGRADED)
		r->p = t->p;

	r->newest = found->newest;
	r->visible = r->p <= 1 ? found->visible : NAN;
	if (!r->is_exact) {
		add_changes(a, r, &y);
		r->phi = found->splits.phi;
		r->factor_f = found->splits.factor;
	}
	size = found->n * sizeof *r->levels;
	r->levels = arena_array(&a->room, 1, size);
	r->n_levels = found->n;
	memcpy(r->levels, found->list, size);
}

/*
 * Adds that the key has no samples at the newest commit that was measured.  Its
 * uid may accept that.
 */
static void
add_gone(const struct results *a, struct result *r)
{
	struct span uid = samples_part(a->samples, r->key, PART_UID);
	struct change *c = results_add_change(r);
	const struct given *g;

	c->verdict = VERDICT_GONE;
	c->before = r->levels[r->n_levels - 1].value;
	c->last_good = r->positions[r->n - 1];
	for (g = work.given; g < work.given + work.n_given; g++)
		c->accepted |= g->position > c->last_good &&
		    span_eq(uid, g->line->uid);
}

void
history_find(struct results *a, struct filter *f)
{
	bool *measured;
	struct result *r;

	find_order(a);
	if (!a->is_ordered)
		return;
	if (a->n_ignored > 0)
		filter_warn(f, "commits with samples that are not in the line "
		    "of first parents, and are ignored: %zu", a->n_ignored);
	find_given(a);

	work.placed = arena_array(&a->room, a->samples->n_samples,
	    sizeof *work.placed);
	work.room = arena_array(&a->room, a->samples->n_samples,
	    sizeof *work.room);
	measured = mem_zero(a->n_order, sizeof *measured);
	for (uint32_t key = 0; key < a->samples->n; key++) {
		r = results_add(a, key);
		make_points(a, r);
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
		search_key(a, r);
		if (r->positions[r->n - 1] < a->newest)
			add_gone(a, r);
	}
	results_adjust(a);
	for (r = a->list; r < a->list + a->n_tested; r++)
		if (r->today.verdict == VERDICT_DEGRADED) {
			r->today.q = r->q;
			if (r->q > ALPHA)
				r->today.verdict = VERDICT_SUSPECTED;
		}
	clusters_find(a);
}
