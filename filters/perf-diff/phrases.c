/* phrases - how reports and pictures name keys, numbers and commits */

#include <ctype.h>
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
phrases_comparative(const struct results *a, const struct change *c)
{
	const struct key *k = &a->samples->keys[c->key];
	bool is_worse = c->by_slow ? c->excess > 0 : results_is_worse(a, c);

	if (k->unit.is_time && !k->more_is_better)
		return is_worse ? "slower" : "quicker";
	return is_worse ? "worse" : "better";
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

void
phrases_key(struct buf *b, const struct results *a, uint32_t key)
{
	const struct key *k = &a->samples->keys[key];
	const char *before = " (";

	report_text(b, samples_part(a->samples, k, PART_UID));
	for (unsigned i = PART_RESOURCE_TYPE; i < N_PARTS; i++) {
		if (i == PART_UNIT || k->parts[i] == SYM_NONE ||
		    !is_varying(a->samples, i))
			continue;
		buf_str(b, before);
		report_text(b, samples_part(a->samples, k, i));
		before = ", ";
	}
	if (before[0] == ',')
		buf_char(b, ')');
}

/* A unit of letters and digits is no code in Markdown. */
static void
put_unit(struct buf *b, struct span unit)
{
	size_t i = 0;

	while (i < unit.n && (isalnum((unsigned char)unit.p[i]) ||
	    strchr(" /%", unit.p[i]) != NULL))
		i++;
	if (i == unit.n)
		buf_add(b, unit.p, unit.n);
	else
		report_text(b, unit);
}

void
phrases_value(struct buf *b, const struct results *a, uint32_t key,
    double value)
{
	struct span unit = samples_part(a->samples, &a->samples->keys[key],
	    PART_UNIT);
	size_t i = 0;

	if (isnan(value))
		return;
	while (i < N_TIME_UNITS && !span_eq(unit, time_units[i]))
		i++;
	for (; i < SECONDS && value >= 1000; i++) {
		value /= 1000;
		unit = span_str(time_units[i + 1]);
	}
	buf_printf(b, value >= 1e4 && value < 1e15 ? "%.0f" : "%.4g", value);
	if (unit.n > 0) {
		buf_char(b, ' ');
		put_unit(b, unit);
	}
}

void
phrases_effect(struct buf *b, const struct change *c)
{
	double percent = 100 * (c->after / c->before - 1);

	if (isfinite(percent))
		buf_printf(b, "%+.1f %%", percent);
	else if (c->before == 0 && c->after > 0)
		buf_str(b, "from 0");
}

void
phrases_id(struct buf *b, struct span id)
{
	/* Others, such as dates, are not cut. */
	report_text(b, hex_is_valid(id) && id.n > ID_DIGITS ?
	    span_of(id.p, ID_DIGITS) : id);
}

void
phrases_date(struct buf *b, const struct results *a, size_t position)
{
	int64_t time_s = a->samples->versions[a->order[position]].time_s;
	time_t t = (time_t)time_s;
	char text[32];
	struct tm tm;

	if (time_s != INT_UNKNOWN && gmtime_r(&t, &tm) != NULL &&
	    strftime(text, sizeof text, "%Y-%m-%d", &tm) > 0)
		buf_str(b, text);
}

void
phrases_subject(struct buf *b, const struct results *a, size_t position)
{
	const struct version *v = &a->samples->versions[a->order[position]];
	struct span author = samples_text(a->samples, v->author);

	report_text(b, samples_text(a->samples, v->subject));
	if (author.n > 0) {
		buf_str(b, v->subject == SYM_NONE ? "by " : ", by ");
		report_text(b, author);
	}
}

/* --- the first sentence --------------------------------------------------- */

/* "3f2a91cd02 of 2026-10-05 (Use a map, by Jo)" */
static void
put_commit(struct buf *b, const struct results *a, size_t position, bool whole)
{
	const struct version *v = &a->samples->versions[a->order[position]];

	phrases_id(b, results_version(a, position));
	if (v->time_s != INT_UNKNOWN) {
		buf_str(b, " of ");
		phrases_date(b, a, position);
	}
	if (whole && (v->subject != SYM_NONE || v->author != SYM_NONE)) {
		buf_str(b, " (");
		phrases_subject(b, a, position);
		buf_char(b, ')');
	}
}

/* Since when a key has changed. */
static void
put_since(struct buf *b, const struct results *a, const struct change *c)
{
	if (c->kind == CHANGE_GRADUAL) {
		buf_str(b, c->n_steps > 1 ? " than before " :
		    ", growing from ");
		put_commit(b, a, c->first, false);
		if (c->n_steps > 1)
			buf_printf(b, ": in %zu steps", c->n_steps);
		buf_str(b, c->n_steps > 1 ? " up to " : " to ");
		put_commit(b, a, c->at, true);
	} else if (c->first == c->last) {
		buf_str(b, " since ");
		put_commit(b, a, c->at, true);
	} else {
		buf_str(b, " since a commit from ");
		put_commit(b, a, c->first, false);
		buf_str(b, " to ");
		put_commit(b, a, c->last, false);
		buf_str(b, ", most likely ");
		put_commit(b, a, c->at, true);
	}
}

/* "90 % greater" */
static void
put_difference(struct buf *b, double before, double after)
{
	buf_printf(b, "%.3g %% %s", 100 * fabs(after / before - 1),
	    after < before ? "less" : "greater");
}

/* "45 of 100 runs of sort are slow (above 10.3 ms), 0 of 100 before ..." */
static void
put_slow_runs(struct buf *b, const struct results *a, const struct change *c)
{
	bool more = a->samples->keys[c->key].more_is_better;

	buf_printf(b, "%zu of %zu runs of ", c->slow_after, c->n_after);
	phrases_key(b, a, c->key);
	buf_printf(b, " %s slow (%s ", plural(c->slow_after, "is", "are"),
	    more ? "below" : "above");
	phrases_value(b, a, c->key, c->limit);
	buf_printf(b, "), %zu of %zu before", c->slow_before, c->n_before);
	if (c->mean_before > 0 && c->before > 0) {
		buf_str(b, "; the mean is ");
		put_difference(b, c->mean_before, c->mean_after);
		buf_str(b, ", the median ");
		put_difference(b, c->before, c->after);
	}
}

/*
 * "sort is 14.1 % slower: 100 ms before, 114 ms after"; in a history also since
 * which commit and, if it was changed again, until which.
 */
static void
put_alarm(struct buf *b, const struct results *a, const struct change *c)
{
	double percent = 100 * fabs(c->after / c->before - 1);
	const struct change *next = NULL;

	if (c->by_slow) {
		put_slow_runs(b, a, c);
		return;
	}
	/* The next change of the same series. */
	if (a->options->history && c + 1 < a->changes + a->n &&
	    c[1].key == c->key && c[1].verdict != VERDICT_SUSPECTED &&
	    c[1].verdict != VERDICT_GONE)
		next = c + 1;
	phrases_key(b, a, c->key);
	buf_str(b, next != NULL ? " was " : " is ");
	if (isfinite(percent))
		buf_printf(b, "%.1f %% ", percent);
	buf_str(b, phrases_comparative(a, c));
	if (a->options->history)
		put_since(b, a, c);
	if (next != NULL) {
		buf_str(b, ", until ");
		put_commit(b, a, next->at, false);
	}
	buf_str(b, ": ");
	phrases_value(b, a, c->key, c->before);
	buf_str(b, " before, ");
	phrases_value(b, a, c->key, c->after);
	buf_str(b, a->options->history && next == NULL ? " now" : " after");
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
cost_of(const struct results *a, const struct change *c)
{
	const struct unit *u = &a->samples->keys[c->key].unit;
	double d = c->by_slow ? c->mean_after - c->mean_before :
	    c->after - c->before;

	return fabs(d) * u->times / u->per;
}

const struct change *
phrases_headline(const struct results *a, enum verdict verdict)
{
	const struct change *best = NULL, *c;
	sym unit = main_unit(a->samples);
	bool is_main, best_is_main = false;

	for (c = a->changes; c < a->changes + a->n; c++) {
		if (c->verdict != verdict || c->accepted || c->is_past)
			continue;
		if (verdict == VERDICT_SUSPECTED && (c->n_after < 2 ||
		    !results_is_worse(a, c)))
			continue;
		is_main = a->samples->keys[c->key].parts[PART_UNIT] == unit;
		if (best != NULL && (is_main != best_is_main ? best_is_main :
		    cost_of(a, c) <= cost_of(a, best)))
			continue;
		best = c;
		best_is_main = is_main;
	}
	return best;
}

static void
put_found(struct buf *b, const struct results *a, enum verdict verdict,
    const char *word)
{
	size_t n = a->counts[verdict];

	if (a->options->history)
		buf_printf(b, "%zu %s for the %s in %zu commits", n,
		    plural(n, "change", "changes"), word, a->n_order);
	else
		buf_printf(b, "%zu of %zu keys %s %s", n, a->n_keys,
		    plural(n, "is", "are"), word);
	buf_str(b, n == 1 ? ": " : ": above all, ");
	put_alarm(b, a, phrases_headline(a, verdict));
}

/* Why no key could be judged. */
static void
put_not_judged(struct buf *b, const struct results *a)
{
	buf_str(b, "nothing can be said: ");
	if (a->samples->n_samples == 0)
		buf_str(b, "there are no samples");
	else if (a->n_keys == 0)
		buf_str(b, "no sample is of a commit in the line of first "
		    "parents");
	else if (a->options->history)
		buf_str(b, "no key has 14 commits with samples");
	else if (a->n_untested == 0)
		buf_str(b, "no key has samples on both sides");
	else
		buf_printf(b, "%zu %s more samples: with few on a side, any "
		    "difference may be due to chance", a->n_untested,
		    plural(a->n_untested, "key needs", "keys need"));
}

/* Nothing was found: what would have been seen? */
static void
put_nothing(struct buf *b, const struct results *a)
{
	const struct change *c = phrases_headline(a, VERDICT_SUSPECTED);

	if (a->n_tested == 0) {
		put_not_judged(b, a);
		return;
	}
	if (a->options->history && c != NULL && a->n_worse_suspected > 0) {
		buf_printf(b, "nothing is proven worse; the newest %zu commits "
		    "of ", c->n_after);
		phrases_key(b, a, c->key);
		buf_printf(b, " look %.1f %% %s: measure more", 100 *
		    fabs(c->after / c->before - 1), phrases_comparative(a, c));
		return;
	}
	buf_str(b, "no change for the worse was found");
	if (a->options->history)
		buf_printf(b, " in %zu commits", a->n_order);
	if (a->n_judged == 0) {
		buf_printf(b, ", but hardly any could have been seen: %zu %s "
		    "more samples", a->n_tested, plural(a->n_tested,
		    "key needs", "keys need"));
		return;
	}
	buf_printf(b, ". One of %.3g %% or more", 100 *
	    fmax(a->smallest_effect, a->options->min_effect));
	if (a->options->history)
		buf_str(b, " that lasted 10 commits");
	buf_printf(b, " would have been seen in %zu of %zu keys", a->n_judged,
	    a->n_keys);
	if (a->options->history)
		buf_str(b, "; the newest 3 commits are judged only for large "
		    "ones");
}

void
phrases_sentence(const struct results *a, struct buf *b)
{
	if (a->counts[VERDICT_DEGRADED] > 0)
		put_found(b, a, VERDICT_DEGRADED, "worse");
	else if (a->options->improvements && a->counts[VERDICT_IMPROVED] > 0)
		put_found(b, a, VERDICT_IMPROVED, "better");
	else
		put_nothing(b, a);
}

/* --- notes ---------------------------------------------------------------- */

enum { NAMES_MAX = 3 };		/* of keys in a note */

/* Appends the name of another key to a list; returns how many it has. */
static size_t
put_name(struct buf *b, const struct results *a, uint32_t key, size_t n)
{
	if (n < NAMES_MAX) {
		buf_str(b, n > 0 ? ", " : "");
		phrases_key(b, a, key);
	} else if (n == NAMES_MAX) {
		buf_str(b, " ...");
	}
	return n + 1;
}

static void
note_gone(const struct results *a, struct buf *b)
{
	size_t n = a->counts[VERDICT_GONE], named = 0;
	const struct change *c;

	if (n == 0)
		return;
	buf_printf(b, "%zu %s no samples %s: ", n, plural(n, "key has",
	    "keys have"), a->options->history ? "at the newest commit" :
	    "on the new side");
	for (c = a->changes; c < a->changes + a->n; c++)
		if (c->verdict == VERDICT_GONE)
			named = put_name(b, a, c->key, named);
}

static void
note_part(const struct results *a, struct buf *b, enum part part,
    const char *what)
{
	size_t n, named = 0;
	uint32_t *list = results_find_apart(a, part, &n);

	if (n > 0)
		buf_printf(b, "%zu keys differ only in the %s: ", n, what);
	for (size_t i = 0; i < n; i++)
		named = put_name(b, a, list[i], named);
	free(list);
}

static void
note_more(const struct results *a, struct buf *b)
{
	const struct key *k = a->samples->keys;
	size_t n = 0;

	for (uint32_t i = 0; i < a->samples->n; i++) {
		if (k[i].n == 0 || !k[i].more_is_better)
			continue;
		buf_str(b, n > 0 ? "" : "more is better for ");
		n = put_name(b, a, i, n);
	}
}

void
phrases_note(const struct results *a, struct buf *b, enum note note)
{
	switch (note) {
	case NOTE_NEAREST:
		if (a->asked_commit == NULL)
			break;
		buf_printf(b, "'%s' was not measured; its newest ancestor that "
		    "was is ", a->asked_commit);
		phrases_id(b, span_str(a->old_commit));
		break;
	case NOTE_GONE:
		note_gone(a, b);
		break;
	case NOTE_UNITS:
		note_part(a, b, PART_UNIT, "unit, which cannot be converted");
		break;
	case NOTE_MACHINES:
		note_part(a, b, PART_MACHINE, "machine (profile-make --machine "
		    "NAME joins them)");
		break;
	case NOTE_UNJUDGED:
		if (a->n_tested > 0 && a->n_untested > 0)
			buf_printf(b, "%zu of %zu keys could not be judged: "
			    "they have too few samples", a->n_untested,
			    a->n_keys);
		break;
	case NOTE_DEPENDENT:
		if (a->phi > 0)
			buf_printf(b, "the samples depend on each other "
			    "(autocorrelation %.2g), so that chance alone "
			    "makes differences: measure both sides in turn",
			    a->phi);
		break;
	case NOTE_ORDER:
		if (a->options->history && a->samples->head == INDEX_NONE &&
		    a->n_order > 0)
			buf_printf(b, "the commits are in the order of their "
			    "samples, the %s first: without vcs-log no other "
			    "is known", a->options->oldest_first ? "oldest" :
			    "newest");
		break;
	case NOTE_MORE:
		note_more(a, b);
		break;
	case N_NOTES:
		break;
	}
}
