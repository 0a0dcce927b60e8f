/* say - what reports and pictures say of keys, changes and commits */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/hex.h"
#include "common/base/num.h"
#include "common/report/report-values.h"
#include "filters/perf-diff/perf-diff.h"

enum { ID_DIGITS = 10, SECONDS = 3 };
static const char *const time_units[] = { "ns", "us", "ms", "s" };

/* Copies a text, and frees the buffer. */
static const char *
keep(const struct results *a, struct buf *b)
{
	const char *copy = arena_text(a->texts, b->data, b->len);

	buf_release(b);
	return copy;
}

const char *
say(const struct results *a, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	return keep(a, &b);
}

/* A text of an input. */
static const char *
escaped(const struct results *a, struct span text)
{
	struct buf b = { 0 };

	report_text(&b, text);
	return keep(a, &b);
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
say_key(const struct results *a, uint32_t key)
{
	const struct key *k = &a->samples->keys[key];
	const char *text = escaped(a, samples_part(a->samples, k, PART_UID));
	const char *before = " (";

	for (unsigned i = PART_RESOURCE_TYPE; i < N_PARTS; i++) {
		if (i == PART_UNIT || k->parts[i] == SYM_NONE ||
		    !is_varying(a->samples, i))
			continue;
		text = say(a, "%s%s%s", text, before,
		    escaped(a, samples_part(a->samples, k, i)));
		before = ", ";
	}
	return before[0] == ',' ? say(a, "%s)", text) : text;
}

const char *
say_value(const struct results *a, uint32_t key, double value)
{
	struct span unit = samples_part(a->samples, &a->samples->keys[key],
	    PART_UNIT);
	const char *name;
	size_t i = 0;

	if (isnan(value))
		return "";
	while (i <= SECONDS && !span_eq(unit, time_units[i]))
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
	return say(a, value >= 1e4 && value < 1e15 ? "%.0f%s%s" : "%.4g%s%s",
	    value, unit.n > 0 ? " " : "", name);
}

const char *
say_effect(const struct results *a, const struct change *c)
{
	double percent = 100 * (c->step.after / c->step.before - 1);

	if (!isnan(c->share))
		return say(a, "%.1f %% of all", 100 * c->share);
	if (isfinite(percent))
		return say(a, "%+.1f %%", percent);
	return c->step.before == 0 && c->step.after > 0 ? "from 0" : "";
}

const char *
say_comparative(const struct results *a, const struct change *c)
{
	const struct key *k = &a->samples->keys[c->key];
	bool is_worse = c->by_slow ? c->t.excess > 0 : results_is_worse(a, c);

	if (k->unit.is_time && !k->more_is_better)
		return is_worse ? "slower" : "quicker";
	return is_worse ? "worse" : "better";
}

/* --- commits -------------------------------------------------------------- */

const char *
say_id(const struct results *a, struct span id)
{
	/* Others, such as dates, are not cut. */
	return escaped(a, hex_is_valid(id) && id.n > ID_DIGITS ?
	    span_of(id.p, ID_DIGITS) : id);
}

const char *
say_commit(const struct results *a, size_t position)
{
	return say_id(a, results_version(a, position));
}

const char *
say_date(const struct results *a, size_t position)
{
	int64_t time_s = a->samples->versions[a->order[position]].time_s;
	time_t t = (time_t)time_s;
	char text[32];
	struct tm tm;

	if (time_s == INT_UNKNOWN || gmtime_r(&t, &tm) == NULL ||
	    strftime(text, sizeof text, "%Y-%m-%d", &tm) == 0)
		return "";
	return say(a, "%s", text);
}

const char *
say_subject(const struct results *a, size_t position)
{
	const struct version *v = &a->samples->versions[a->order[position]];
	const char *subject = v->subject == SYM_NONE ? "" :
	    escaped(a, samples_text(a->samples, v->subject));

	if (v->author == SYM_NONE)
		return subject;
	return say(a, "%s%sby %s", subject, *subject != '\0' ? ", " : "",
	    escaped(a, samples_text(a->samples, v->author)));
}

/* "3f2a91cd02 of 2026-10-05" */
static const char *
dated(const struct results *a, size_t position)
{
	const char *id = say_commit(a, position), *date = say_date(a, position);

	return *date == '\0' ? id : say(a, "%s of %s", id, date);
}

/* Since when a key has changed. */
static const char *
since(const struct results *a, const struct change *c)
{
	const char *first = dated(a, c->step.first);
	const char *at = dated(a, c->step.at);
	const char *subject = say_subject(a, c->step.at);

	if (*subject != '\0')
		at = say(a, "%s (%s)", at, subject);
	if (c->step.n_steps > 1)
		return say(a, " than before %s: in %zu steps up to %s", first,
		    c->step.n_steps, at);
	if (c->step.n_steps > 0)
		return say(a, ", growing from %s to %s", first, at);
	if (c->step.first == c->step.last)
		return say(a, " since %s", at);
	/* Those that were not measured are as likely as the others. */
	if (c->step.at - c->last_good > 1)
		return say(a, " since a commit from %s to %s, of which %zu %s "
		    "not measured", first, dated(a, c->step.last),
		    c->step.at - c->last_good - 1, plural(c->step.at -
		    c->last_good - 1, "was", "were"));
	return say(a, " since a commit from %s to %s, most likely %s", first,
	    dated(a, c->step.last), at);
}

/* --- the answer ----------------------------------------------------------- */

/* "90 % greater" */
static const char *
difference(const struct results *a, double before, double after)
{
	return say(a, "%.3g %% %s", 100 * fabs(after / before - 1),
	    after < before ? "less" : "greater");
}

/* "45 of 100 runs of sort are slow (above 10.3 ms), 0 of 100 before ..." */
static const char *
slow_runs(const struct results *a, const struct change *c)
{
	const struct twosample *t = &c->t;
	const char *text = say(a, "%zu of %zu runs of %s %s slow (%s %s), "
	    "%zu of %zu before", t->slow_after, c->step.n_after,
	    say_key(a, c->key), plural(t->slow_after, "is", "are"),
	    a->samples->keys[c->key].more_is_better ? "below" : "above",
	    say_value(a, c->key, t->limit), t->slow_before, c->step.n_before);

	if (!(t->mean_before > 0 && t->before > 0))
		return text;
	return say(a, "%s; the mean is %s, the median %s", text,
	    difference(a, t->mean_before, t->mean_after),
	    difference(a, t->before, t->after));
}

/* "14.1 % slower" */
static const char *
by_how_much(const struct results *a, const struct change *c)
{
	double percent = 100 * fabs(c->step.after / c->step.before - 1);

	return isfinite(percent) ? say(a, "%.1f %% %s", percent,
	    say_comparative(a, c)) : say_comparative(a, c);
}

/*
 * "sort is 14.1 % slower: 100 ms before, 114 ms after"; in a history also since
 * which commit and, if it was changed again, until which.
 */
static const char *
alarm(const struct results *a, const struct change *c)
{
	const char *since_when = a->options->history ? since(a, c) : "";
	bool is_over = c->has_next && results_is_worse(a, c) !=
	    results_is_worse(a, &c[1]);

	if (c->by_slow)
		return slow_runs(a, c);
	if (c->has_next)
		since_when = say(a, "%s, %s %s", since_when, is_over ?
		    "until" : "and again since", dated(a, c[1].step.at));
	return say(a, "%s %s %s%s: %s before, %s %s", say_key(a, c->key),
	    is_over ? "was" : "is", by_how_much(a, c), since_when,
	    say_value(a, c->key, c->step.before),
	    say_value(a, c->key, c->step.after),
	    a->options->history && !c->has_next ? "now" : "after");
}

/* By how much of its base a key has changed. */
static double
cost_of(const struct results *a, const struct change *c)
{
	const struct unit *u = &a->samples->keys[c->key].unit;
	double d = c->by_slow ? c->t.mean_after - c->t.mean_before :
	    c->step.after - c->step.before;

	return fabs(d) * u->times / u->per;
}

/*
 * The change with this verdict that cost most; NULL if there is none.  Times
 * come first, then the unit that most keys have, which is that of the total.
 * Of what is suspected only the worse counts.
 */
static const struct change *
find_headline(const struct results *a, enum verdict verdict)
{
	const struct samples *s = a->samples;
	size_t *counts = mem_zero(s->texts.n + 1, sizeof *counts), n;
	const struct change *best = NULL, *c;
	const struct result *r;
	size_t n_best = 0;

	for (size_t i = 0; i < s->n; i++)
		counts[samples_unit(&s->keys[i])]++;
	counts[0] = 0;
	for (r = a->list; r < a->list + a->n; r++)
		for (c = r->changes; c < r->changes + r->n_changes; c++) {
			if (c->verdict != verdict || c->accepted ||
			    c->is_past || results_is_note(c) ||
			    (verdict == VERDICT_SUSPECTED &&
			    !results_is_worse(a, c)))
				continue;
			n = s->keys[c->key].unit.is_time ? SIZE_MAX :
			    counts[samples_unit(&s->keys[c->key])];
			if (best == NULL || n > n_best || (n == n_best &&
			    cost_of(a, c) > cost_of(a, best))) {
				best = c;
				n_best = n;
			}
		}
	free(counts);
	return best;
}

/* " in 30 measured commits of 42" */
static const char *
in_commits(const struct results *a)
{
	return a->n_measured == a->n_order ? say(a, " in %zu commits",
	    a->n_order) : say(a, " in %zu measured commits of %zu",
	    a->n_measured, a->n_order);
}

static const char *
found(const struct results *a, enum verdict verdict, const char *word)
{
	size_t n = a->counts[verdict];
	const char *how_many = a->options->history ?
	    say(a, "%zu %s for the %s%s", n, plural(n, "change",
	    "changes"), word, in_commits(a)) : say(a, "%zu of %zu keys %s %s",
	    n, a->n, plural(n, "is", "are"), word);

	return say(a, "%s: %s%s", how_many, n == 1 ? "" : "above all, ",
	    alarm(a, find_headline(a, verdict)));
}

/* Why no key could be judged. */
static const char *
why_not_judged(const struct results *a)
{
	if (a->samples->n_samples == 0)
		return "there are no samples";
	if (a->n == 0)
		return "no sample is of a commit in the line of first parents";
	if (a->options->history)
		return "no key has 14 commits with samples";
	if (a->n_untested == 0)
		return a->options->uids || a->counts[VERDICT_NEW] == 0 ||
		    a->counts[VERDICT_GONE] == 0 ?
		    "no key has samples on both sides" : "the sides have no "
		    "key in common (--uids compares two of one input)";
	return say(a, "%zu %s more samples: with few on a side, any "
	    "difference may be due to chance", a->n_untested,
	    plural(a->n_untested, "key needs", "keys need"));
}

/* Nothing was found: what would have been seen? */
static const char *
nothing_found(const struct results *a)
{
	bool history = a->options->history;
	size_t rest = a->n_order - a->newest - 1;
	const char *where = "";
	const struct change *c = find_headline(a, VERDICT_SUSPECTED);

	if (a->n_tested == 0)
		return say(a, "nothing can be said: %s", why_not_judged(a));
	if (history)
		where = in_commits(a);
	if (history && rest > 0)
		where = say(a, "%s, of which the newest %zu %s not measured",
		    where, rest, plural(rest, "was", "were"));
	if (c != NULL && c->step.kind != CHANGE_NEWEST)
		return say(a, "nothing is proven worse, but %s looks %s%s: "
		    "with %zu keys that may be chance; measure more",
		    say_key(a, c->key), by_how_much(a, c), since(a, c),
		    a->n_tested);
	if (c != NULL)
		return say(a, "nothing is proven worse; the newest %zu commits "
		    "of %s look %s: measure more", c->step.n_after,
		    say_key(a, c->key), by_how_much(a, c));
	if (a->n_judged == 0)
		return say(a, "nothing is proven%s, and a change may have been "
		    "missed: %s", where, history ?
		    "no key has been steady for 22 commits" :
		    "the samples are too few, or 0");
	return say(a, "no change%s was found%s. One of %.3g %% or more%s would "
	    "have been seen in %zu of %zu keys%s",
	    a->options->improvements ? "" : " for the worse", where,
	    100 * fmax(a->smallest_effect, a->options->min_effect),
	    history ? " that lasted 10 commits" : "", a->n_judged, a->n,
	    history ? "; the newest 3 commits are judged only for large ones" :
	    "");
}

/* --- what else must be known ---------------------------------------------- */

enum { NAMES_MAX = 3 };		/* of keys in a list */

/* A key as a sentence names it: with its unit, if that is what is at fault. */
static const char *
name_in(const struct results *a, enum sentence sentence, uint32_t key)
{
	const char *name = say_key(a, key);

	return sentence != SENTENCE_UNITS ? name : say(a, "%s in %s", name,
	    escaped(a, samples_part(a->samples, &a->samples->keys[key],
	    PART_UNIT)));
}

/* Lists the keys that a sentence names; makes only the names that it shows. */
static const char *
list_keys(const struct results *a, enum sentence sentence, size_t *n)
{
	const struct result *r;
	const char *list = "";

	*n = 0;
	for (r = a->list; r < a->list + a->n; r++) {
		if ((r->sentences & 1U << sentence) == 0)
			continue;
		if (*n < NAMES_MAX)
			list = say(a, "%s%s%s", list, *n > 0 ? ", " : "",
			    name_in(a, sentence, r->key));
		else if (*n == NAMES_MAX)
			list = say(a, "%s ...", list);
		++*n;
	}
	return list;
}

const char *
say_sentence(const struct results *a, enum sentence sentence)
{
	size_t n;
	const char *list = list_keys(a, sentence, &n);

	switch (sentence) {
	case SENTENCE_ANSWER:
		if (a->counts[VERDICT_DEGRADED] > 0)
			return found(a, VERDICT_DEGRADED, "worse");
		if (a->options->improvements && a->counts[VERDICT_IMPROVED] > 0)
			return found(a, VERDICT_IMPROVED, "better");
		return nothing_found(a);
	case SENTENCE_NEAREST:
		return a->asked_commit == NULL ? "" : say(a, "'%s' was not "
		    "measured; its newest ancestor that was is %s",
		    a->asked_commit, say_id(a, span_str(
		    a->commits[SIDE_OLD])));
	case SENTENCE_GONE:
		return n == 0 ? "" : say(a, "%zu %s no samples %s: %s", n,
		    plural(n, "key has", "keys have"), a->options->history ?
		    "at the newest commit" : "on the new side", list);
	case SENTENCE_UNITS:
		return n == 0 ? "" : say(a, "%zu keys differ only in the unit, "
		    "which cannot be converted: %s", n, list);
	case SENTENCE_MACHINES:
		return n == 0 ? "" : say(a, "%zu keys differ only in the "
		    "machine (profile-make --machine NAME joins them): %s", n,
		    list);
	case SENTENCE_UNMEASURED:
		n = a->n_order - a->newest - 1;
		return !a->options->history || a->n_tested == 0 || n == 0 ?
		    "" : say(a, "the newest %zu %s not measured", n,
		    plural(n, "commit was", "commits were"));
	case SENTENCE_UNJUDGED:
		return a->n_tested == 0 || a->n_untested == 0 ? "" :
		    say(a, "%zu of %zu keys could not be judged: they have too "
		    "few samples", a->n_untested, a->n);
	case SENTENCE_DEPENDENT:
		return !(a->phi > 0) ? "" : say(a, "the samples depend on each "
		    "other (autocorrelation %.2g), so that chance alone makes "
		    "differences: measure both sides in turn", a->phi);
	case SENTENCE_ORDER:
		return !a->options->history || a->n_order == 0 || a->by_date ||
		    a->samples->head != INDEX_NONE ? "" : say(a, "the commits "
		    "are in the order of their samples, the %s first: without "
		    "vcs-log no other is known", a->options->oldest_first ?
		    "oldest" : "newest");
	case SENTENCE_MORE:
	case N_SENTENCES:
		break;
	}
	return n == 0 ? "" : say(a, "more is better for %s", list);
}
