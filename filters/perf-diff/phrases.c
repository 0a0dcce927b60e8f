/* phrases - what reports and pictures say of keys, changes and commits */

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/hex.h"
#include "common/base/num.h"
#include "common/report/report-values.h"
#include "filters/perf-diff/phrases.h"

enum { ID_DIGITS = 10 };

enum { SECONDS = 3, N_TIME_UNITS = 5 };
static const char *const time_units[N_TIME_UNITS] = { "ns", "us", "ms", "s",
    "min" };

const char *
phrases_text(const struct results *a, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		bug("cannot format '%s'", fmt);
	text = arena_alloc(a->texts, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return text;
}

/* A text of an input. */
static const char *
escaped(const struct results *a, struct span text)
{
	struct buf b = { 0 };
	const char *copy;

	report_text(&b, text);
	copy = arena_text(a->texts, b.data, b.len);
	buf_release(&b);
	return copy;
}

/* Do keys differ in this part?  Only such parts are shown. */
static bool
is_varying(const struct samples *s, unsigned part)
{
	for (size_t i = 1; i < s->n; i++)
		if (s->keys[i].parts[part] != s->keys[0].parts[part])
			return true;
	return false;
}

const char *
phrases_key(const struct results *a, uint32_t key)
{
	const struct key *k = &a->samples->keys[key];
	const char *text = escaped(a, samples_part(a->samples, k, PART_UID));
	const char *before = " (";

	for (unsigned i = PART_RESOURCE_TYPE; i < N_PARTS; i++) {
		if (i == PART_UNIT || k->parts[i] == SYM_NONE ||
		    !is_varying(a->samples, i))
			continue;
		text = phrases_text(a, "%s%s%s", text, before,
		    escaped(a, samples_part(a->samples, k, i)));
		before = ", ";
	}
	return before[0] == ',' ? phrases_text(a, "%s)", text) : text;
}

const char *
phrases_value(const struct results *a, uint32_t key, double value)
{
	struct span unit = samples_part(a->samples, &a->samples->keys[key],
	    PART_UNIT);
	const char *name;
	size_t i = 0;

	if (isnan(value))
		return "";
	while (i < N_TIME_UNITS && !span_eq(unit, time_units[i]))
		i++;
	for (; i < SECONDS && value >= 1000; i++) {
		value /= 1000;
		unit = span_str(time_units[i + 1]);
	}
	/* A unit of letters and digits is no code in Markdown. */
	for (i = 0; i < unit.n && (isalnum((unsigned char)unit.p[i]) ||
	    strchr(" /%", unit.p[i]) != NULL); i++)
		;
	name = i < unit.n ? escaped(a, unit) :
	    arena_text(a->texts, unit.p, unit.n);
	return phrases_text(a, value >= 1e4 && value < 1e15 ? "%.0f%s%s" :
	    "%.4g%s%s", value, unit.n > 0 ? " " : "", name);
}

const char *
phrases_effect(const struct results *a, const struct change *c)
{
	double percent = 100 * (c->step.after / c->step.before - 1);

	if (!isnan(c->share))
		return phrases_text(a, "%.1f %% of all", 100 * c->share);
	if (isfinite(percent))
		return phrases_text(a, "%+.1f %%", percent);
	return c->step.before == 0 && c->step.after > 0 ? "from 0" : "";
}

const char *
phrases_comparative(const struct results *a, const struct result *r,
    const struct change *c)
{
	const struct key *k = &a->samples->keys[r->key];
	bool is_worse = c->by_slow ? c->t.excess > 0 :
	    results_is_worse(a, r, c);

	if (k->unit.is_time && !k->more_is_better)
		return is_worse ? "slower" : "quicker";
	return is_worse ? "worse" : "better";
}

/* --- commits -------------------------------------------------------------- */

const char *
phrases_id(const struct results *a, struct span id)
{
	/* Others, such as dates, are not cut. */
	return escaped(a, hex_is_valid(id) && id.n > ID_DIGITS ?
	    span_of(id.p, ID_DIGITS) : id);
}

const char *
phrases_date(const struct results *a, size_t position)
{
	int64_t time_s = a->samples->versions[a->order[position]].time_s;
	time_t t = (time_t)time_s;
	char text[32];
	struct tm tm;

	if (time_s == INT_UNKNOWN || gmtime_r(&t, &tm) == NULL ||
	    strftime(text, sizeof text, "%Y-%m-%d", &tm) == 0)
		return "";
	return phrases_text(a, "%s", text);
}

const char *
phrases_subject(const struct results *a, size_t position)
{
	const struct version *v = &a->samples->versions[a->order[position]];
	const char *subject = v->subject == SYM_NONE ? "" :
	    escaped(a, samples_text(a->samples, v->subject));

	if (v->author == SYM_NONE)
		return subject;
	return phrases_text(a, "%s%sby %s", subject, *subject != '\0' ? ", " :
	    "", escaped(a, samples_text(a->samples, v->author)));
}

/* "3f2a91cd02 of 2026-10-05 (Use a map, by Jo)"; `what` is the rest. */
static const char *
commit(const struct results *a, size_t position, const char *what)
{
	const char *date = phrases_date(a, position);

	return phrases_text(a, "%s%s%s%s%s%s", phrases_id(a,
	    results_version(a, position)), *date != '\0' ? " of " : "", date,
	    *what != '\0' ? " (" : "", what, *what != '\0' ? ")" : "");
}

/* Since when a key has changed. */
static const char *
since(const struct results *a, const struct change *c)
{
	const char *first = commit(a, c->step.first, "");
	const char *at = commit(a, c->step.at, phrases_subject(a, c->step.at));

	if (c->step.n_steps > 1)
		return phrases_text(a, " than before %s: in %zu steps up to "
		    "%s", first, c->step.n_steps, at);
	if (c->step.n_steps > 0)
		return phrases_text(a, ", growing from %s to %s", first, at);
	if (c->step.first == c->step.last)
		return phrases_text(a, " since %s", at);
	return phrases_text(a, " since a commit from %s to %s, most likely %s",
	    first, commit(a, c->step.last, ""), at);
}

/* --- the answer ----------------------------------------------------------- */

/* "90 % greater" */
static const char *
difference(const struct results *a, double before, double after)
{
	return phrases_text(a, "%.3g %% %s", 100 * fabs(after / before - 1),
	    after < before ? "less" : "greater");
}

/* "45 of 100 runs of sort are slow (above 10.3 ms), 0 of 100 before ..." */
static const char *
slow_runs(const struct results *a, const struct result *r,
    const struct change *c)
{
	const struct twosample *t = &c->t;
	const char *text = phrases_text(a, "%zu of %zu runs of %s %s slow "
	    "(%s %s), %zu of %zu before", t->slow_after, c->step.n_after,
	    phrases_key(a, r->key), plural(t->slow_after, "is", "are"),
	    a->samples->keys[r->key].more_is_better ? "below" : "above",
	    phrases_value(a, r->key, t->limit), t->slow_before,
	    c->step.n_before);

	if (!(t->mean_before > 0 && t->before > 0))
		return text;
	return phrases_text(a, "%s; the mean is %s, the median %s", text,
	    difference(a, t->mean_before, t->mean_after),
	    difference(a, t->before, t->after));
}

/* "14.1 % slower" */
static const char *
by_how_much(const struct results *a, const struct result *r,
    const struct change *c)
{
	double percent = 100 * fabs(c->step.after / c->step.before - 1);
	const char *comparative = phrases_comparative(a, r, c);

	return isfinite(percent) ? phrases_text(a, "%.1f %% %s", percent,
	    comparative) : comparative;
}

/*
 * "sort is 14.1 % slower: 100 ms before, 114 ms after"; in a history also since
 * which commit and, if it was changed again, until which.
 */
static const char *
alarm(const struct results *a, const struct result *r, const struct change *c)
{
	const struct change *next = c + 1;
	bool has_next = next < r->changes + r->n_changes &&
	    next->verdict != VERDICT_SUSPECTED &&
	    next->verdict != VERDICT_GONE;
	bool history = a->options->history;

	if (c->by_slow)
		return slow_runs(a, r, c);
	return phrases_text(a, "%s %s %s%s%s%s: %s before, %s %s",
	    phrases_key(a, r->key), has_next ? "was" : "is",
	    by_how_much(a, r, c), history ? since(a, c) : "",
	    has_next ? ", until " : "",
	    has_next ? commit(a, next->step.at, "") : "",
	    phrases_value(a, r->key, c->step.before),
	    phrases_value(a, r->key, c->step.after),
	    history && !has_next ? "now" : "after");
}

/* The base of the unit that most keys have: that of the total. */
static sym
main_unit(const struct samples *s)
{
	size_t *counts = mem_zero(s->texts.n, sizeof *counts);
	sym unit, best = SYM_NONE;

	for (size_t i = 0; i < s->n; i++) {
		unit = s->keys[i].parts[PART_UNIT];
		if (unit == SYM_NONE)
			continue;
		counts[unit]++;
		if (best == SYM_NONE || counts[unit] > counts[best])
			best = unit;
	}
	free(counts);
	return best;
}

/* By how much of its base a key has changed. */
static double
cost_of(const struct results *a, const struct result *r,
    const struct change *c)
{
	const struct unit *u = &a->samples->keys[r->key].unit;
	double d = c->by_slow ? c->t.mean_after - c->t.mean_before :
	    c->step.after - c->step.before;

	return fabs(d) * u->times / u->per;
}

/*
 * The change with this verdict that cost most, in the unit of the total; NULL
 * if there is none.  Of what is suspected only the worse counts.
 */
static const struct change *
find_headline(const struct results *a, enum verdict verdict,
    const struct result **key)
{
	const struct change *best = NULL, *c;
	sym unit = main_unit(a->samples);
	const struct result *r;
	bool is_main, best_is_main = false;

	for (r = a->list; r < a->list + a->n; r++)
		for (c = r->changes; c < r->changes + r->n_changes; c++) {
			if (c->verdict != verdict || c->accepted || c->is_past ||
			    results_is_note(c) ||
			    (verdict == VERDICT_SUSPECTED &&
			    !results_is_worse(a, r, c)))
				continue;
			is_main = a->samples->keys[r->key].parts[PART_UNIT] ==
			    unit;
			if (best != NULL && (is_main != best_is_main ?
			    best_is_main : cost_of(a, r, c) <=
			    cost_of(a, *key, best)))
				continue;
			best = c;
			*key = r;
			best_is_main = is_main;
		}
	return best;
}

static const char *
found(const struct results *a, enum verdict verdict, const char *word)
{
	size_t n = a->counts[verdict];
	const struct result *r;
	const struct change *c = find_headline(a, verdict, &r);
	const char *what = phrases_text(a, "%s%s", n == 1 ? "" :
	    "above all, ", alarm(a, r, c));

	if (a->options->history)
		return phrases_text(a, "%zu %s for the %s in %zu commits: %s",
		    n, plural(n, "change", "changes"), word, a->n_order,
		    what);
	return phrases_text(a, "%zu of %zu keys %s %s: %s", n, a->n,
	    plural(n, "is", "are"), word, what);
}

/* Why no key could be judged. */
static const char *
why_not_judged(const struct results *a)
{
	if (a->samples->n_samples == 0)
		return "nothing can be said: there are no samples";
	if (a->n == 0)
		return "nothing can be said: no sample is of a commit in the "
		    "line of first parents";
	if (a->options->history)
		return "nothing can be said: no key has 14 commits with "
		    "samples";
	if (a->n_untested == 0)
		return "nothing can be said: no key has samples on both sides";
	return phrases_text(a, "nothing can be said: %zu %s more samples: "
	    "with few on a side, any difference may be due to chance",
	    a->n_untested, plural(a->n_untested, "key needs", "keys need"));
}

/* Nothing was found: what would have been seen? */
static const char *
nothing_found(const struct results *a)
{
	bool history = a->options->history;
	const char *where = history ? phrases_text(a, " in %zu commits",
	    a->n_order) : "";
	const struct result *r;
	const struct change *c = find_headline(a, VERDICT_SUSPECTED, &r);

	if (a->n_tested == 0)
		return why_not_judged(a);
	if (c != NULL)
		return phrases_text(a, "nothing is proven worse; the newest "
		    "%zu commits of %s look %s: measure more",
		    c->step.n_after, phrases_key(a, r->key),
		    by_how_much(a, r, c));
	if (a->n_judged == 0)
		return phrases_text(a, "no change for the worse was found%s, "
		    "but hardly any could have been seen: %zu %s more samples",
		    where, a->n_tested, plural(a->n_tested, "key needs",
		    "keys need"));
	return phrases_text(a, "no change for the worse was found%s. One of "
	    "%.3g %% or more%s would have been seen in %zu of %zu keys%s",
	    where, 100 * fmax(a->smallest_effect, a->options->min_effect),
	    history ? " that lasted 10 commits" : "", a->n_judged, a->n,
	    history ? "; the newest 3 commits are judged only for large ones" :
	    "");
}

/* --- what else must be known ---------------------------------------------- */

enum { NAMES_MAX = 3 };		/* of keys in a list */

/* Adds the n-th name of a key, from 0, to a list. */
static const char *
add_name(const struct results *a, const char *list, uint32_t key, size_t n)
{
	if (n < NAMES_MAX)
		return phrases_text(a, "%s%s%s", list, n > 0 ? ", " : "",
		    phrases_key(a, key));
	return n == NAMES_MAX ? phrases_text(a, "%s ...", list) : list;
}

static const char *
gone(const struct results *a)
{
	const struct result *r;
	const char *list = "";
	size_t n = 0;

	for (r = a->list; r < a->list + a->n; r++)
		if (r->n_changes > 0 && r->changes[r->n_changes - 1].verdict ==
		    VERDICT_GONE)
			list = add_name(a, list, r->key, n++);
	return n == 0 ? "" : phrases_text(a, "%zu %s no samples %s: %s", n,
	    plural(n, "key has", "keys have"), a->options->history ?
	    "at the newest commit" : "on the new side", list);
}

static const char *
apart(const struct results *a, enum part part, const char *what)
{
	const char *names = "";
	size_t n;
	uint32_t *list = results_find_apart(a, part, &n);

	for (size_t i = 0; i < n; i++)
		names = add_name(a, names, list[i], i);
	free(list);
	return n == 0 ? "" : phrases_text(a,
	    "%zu keys differ only in the %s: %s", n, what, names);
}

static const char *
more_is_better(const struct results *a)
{
	const struct result *r;
	const char *list = "";
	size_t n = 0;

	for (r = a->list; r < a->list + a->n; r++)
		if (a->samples->keys[r->key].more_is_better)
			list = add_name(a, list, r->key, n++);
	return n == 0 ? "" : phrases_text(a, "more is better for %s", list);
}

const char *
phrases_sentence(const struct results *a, enum sentence sentence)
{
	switch (sentence) {
	case SENTENCE_ANSWER:
		if (a->counts[VERDICT_DEGRADED] > 0)
			return found(a, VERDICT_DEGRADED, "worse");
		if (a->options->improvements && a->counts[VERDICT_IMPROVED] > 0)
			return found(a, VERDICT_IMPROVED, "better");
		return nothing_found(a);
	case SENTENCE_NEAREST:
		return a->asked_commit == NULL ? "" : phrases_text(a,
		    "'%s' was not measured; its newest ancestor that was is %s",
		    a->asked_commit, phrases_id(a, span_str(a->commits[SIDE_OLD])));
	case SENTENCE_GONE:
		return gone(a);
	case SENTENCE_UNITS:
		return apart(a, PART_UNIT, "unit, which cannot be converted");
	case SENTENCE_MACHINES:
		return apart(a, PART_MACHINE, "machine (profile-make --machine "
		    "NAME joins them)");
	case SENTENCE_UNJUDGED:
		return a->n_tested == 0 || a->n_untested == 0 ? "" :
		    phrases_text(a, "%zu of %zu keys could not be judged: they "
		    "have too few samples", a->n_untested, a->n);
	case SENTENCE_DEPENDENT:
		return !(a->phi > 0) ? "" : phrases_text(a, "the samples "
		    "depend on each other (autocorrelation %.2g), so that "
		    "chance alone makes differences: measure both sides in "
		    "turn", a->phi);
	case SENTENCE_ORDER:
		return !a->options->history || a->n_order == 0 ||
		    a->samples->head != INDEX_NONE ? "" : phrases_text(a,
		    "the commits are in the order of their samples, the %s "
		    "first: without vcs-log no other is known",
		    a->options->oldest_first ? "oldest" : "newest");
	case SENTENCE_MORE:
		return more_is_better(a);
	case N_SENTENCES:
		break;
	}
	return "";
}
