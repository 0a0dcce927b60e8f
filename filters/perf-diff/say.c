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
enum { NAMES_MAX = 3 };		/* of keys, or clusters, in a list */
#define SIZE_CLEAR 10.0		/* a D that is no chance */
static const char *const time_units[] = { "ns", "us", "ms", "s" };

static struct arena texts;

/* Copies a text, and frees the buffer. */
static const char *
keep(struct buf *b)
{
	const char *copy = arena_text(&texts, b->data, b->len);

	buf_release(b);
	return copy;
}

const char *
say(const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	return keep(&b);
}

/* A text of an input. */
static const char *
escaped(struct span text)
{
	struct buf b = { 0 };

	report_text(&b, text);
	return keep(&b);
}

/* Do keys differ in this part?  Only such parts are shown. */
static bool
is_varying(const struct samples *s, unsigned part)
{
	const struct key *first = NULL, *k;

	for (k = s->keys; k < s->keys + s->n; k++) {
		if (first != NULL && k->n > 0 &&
		    k->parts[part] != first->parts[part])
			return true;
		first = first == NULL && k->n > 0 ? k : first;
	}
	return false;
}

const char *
say_key(const struct results *a, uint32_t key)
{
	const struct key *k = &a->samples->keys[key];
	const char *text = escaped(samples_part(a->samples, key, PART_UID));
	const char *before = " (";

	for (unsigned i = PART_RESOURCE_TYPE; i < N_PARTS; i++) {
		if (i == PART_UNIT || k->parts[i] == SYM_NONE ||
		    !is_varying(a->samples, i))
			continue;
		text = say("%s%s%s", text, before,
		    escaped(samples_part(a->samples, key, i)));
		before = ", ";
	}
	return before[0] == ',' ? say("%s)", text) : text;
}

const char *
say_value(const struct results *a, uint32_t key, double value)
{
	const struct key *k = &a->samples->keys[key];
	struct span unit = samples_part(a->samples, key, PART_UNIT);
	const char *name;
	size_t i = 0;

	if (isnan(value))
		return "";
	unit.n = unit.n < k->unit.shown ? unit.n : k->unit.shown;
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
	name = i < unit.n ? escaped(unit) :
	    arena_text(&texts, unit.p, unit.n);
	return say(value >= 1e4 && value < 1e15 ? "%.0f%s%s" : "%.4g%s%s",
	    value, unit.n > 0 ? " " : "", name);
}

const char *
say_effect(const struct change *c)
{
	double percent = 100 * (c->after / c->before - 1);

	if (!isnan(c->share))
		return say("%.1f %% of all", 100 * c->share);
	if (isfinite(percent))
		return say("%+.1f %%", percent);
	return c->before == 0 && c->after > 0 ? "from 0" : "";
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
say_id(struct span id)
{
	/* Others, such as dates, are not cut. */
	return escaped(hex_is_valid(id) && id.n > ID_DIGITS ?
	    span_of(id.p, ID_DIGITS) : id);
}

const char *
say_commit(const struct results *a, size_t position)
{
	return say_id(results_version(a, position));
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
	return say("%s", text);
}

const char *
say_subject(const struct results *a, size_t position)
{
	const struct version *v = &a->samples->versions[a->order[position]];
	const char *subject = v->subject == SYM_NONE ? "" :
	    escaped(samples_text(a->samples, v->subject));

	if (v->author == SYM_NONE)
		return subject;
	return say("%s%sby %s", subject, *subject != '\0' ? ", " : "",
	    escaped(samples_text(a->samples, v->author)));
}

/* "3f2a91cd02 of 2026-10-05" */
static const char *
dated(const struct results *a, size_t position)
{
	const char *id = say_commit(a, position), *date = say_date(a, position);

	return *date == '\0' ? id : say("%s of %s", id, date);
}

/* Since when a key has changed. */
static const char *
since(const struct results *a, const struct change *c)
{
	const char *first = dated(a, c->first), *at = dated(a, c->at);
	const char *subject = say_subject(a, c->at);
	size_t untested = c->at - c->last_good - 1;

	if (*subject != '\0')
		at = say("%s (%s)", at, subject);
	if (c->n_steps > 1)
		return say(" than before %s: in %zu steps up to %s", first,
		    c->n_steps, at);
	if (c->grows)
		return say(", growing from %s to %s", first, dated(a, c->last));
	if (c->first == c->last)
		return say(" since %s", at);
	/* Those that were not measured are as likely as the others. */
	if (untested > 0)
		return say(" since a commit from %s to %s, of which %zu %s "
		    "not measured", first, dated(a, c->last), untested,
		    plural(untested, "was", "were"));
	return say(" since a commit from %s to %s, most likely %s", first,
	    dated(a, c->last), at);
}

/* --- the answer ----------------------------------------------------------- */

/* "90 % greater" */
static const char *
difference(double before, double after)
{
	return after == before ? "the same" : say("%.3g %% %s", 100 *
	    fabs(after / before - 1), after < before ? "less" : "greater");
}

/* "45 of 100 runs of sort are slow (above 10.3 ms), 0 of 100 before ..." */
static const char *
slow_runs(const struct results *a, const struct change *c)
{
	const struct twosample *t = &c->t;
	const char *text = say("%zu of %zu runs of %s %s slow (%s %s), "
	    "%zu of %zu before", t->slow_after, c->n_after,
	    say_key(a, c->key), plural(t->slow_after, "is", "are"),
	    a->samples->keys[c->key].more_is_better ? "below" : "above",
	    say_value(a, c->key, t->limit), t->slow_before, c->n_before);

	if (!(t->mean_before > 0 && t->before > 0))
		return text;
	return say("%s; the mean is %s, the median %s", text,
	    difference(t->mean_before, t->mean_after),
	    difference(t->before, t->after));
}

/* "14.1 % slower" */
static const char *
by_how_much(const struct results *a, const struct change *c)
{
	double percent = 100 * fabs(c->after / c->before - 1);

	return isfinite(percent) ? say("%.1f %% %s", percent,
	    say_comparative(a, c)) : say_comparative(a, c);
}

/* Was the step of the state greater when it came? */
static bool
is_part_repaired(const struct results *a, const struct result *r)
{
	const struct yardstick y = results_yardstick(a, r);
	const struct change *c = r->changes, *now = &r->today;

	for (; c < r->changes + r->n_changes; c++)
		if (c->is_today && fabs(c->after - c->before) >
		    fabs(now->after - now->before) &&
		    levels_differ(&y, c->after, now->after))
			return true;
	return false;
}

/*
 * "sort is 14.1 % slower since 3f2a91cd02: 100 ms before, 114 ms now", of a key
 * of which nothing else is said.
 */
static const char *
alarm(const struct results *a, const struct result *r)
{
	const struct change *c = &r->today;
	bool history = a->options->history;
	const char *text;

	if (c->by_slow)
		return slow_runs(a, c);
	text = say("%s %s %s%s%s: %s before, %s %s", say_key(a, c->key),
	    c->verdict == VERDICT_SUSPECTED ? "looks" : "is", by_how_much(a, c),
	    history ? since(a, c) : "",
	    is_part_repaired(a, r) ? ", of which part was repaired" : "",
	    say_value(a, c->key, c->before), say_value(a, c->key, c->after),
	    history ? "now" : "after");
	return !r->is_repairing ? text : say("%s; the newest %zu commits "
	    "look repaired", text, r->newest.n);
}

/* By how much of its base a key has changed. */
static double
cost_of(const struct results *a, const struct change *c)
{
	const struct unit *u = &a->samples->keys[c->key].unit;
	double d = c->by_slow ? c->t.mean_after - c->t.mean_before :
	    c->after - c->before;

	return fabs(d) * u->times / u->per;
}

/* Are all steps of the state at commits where many keys changed? */
static bool
is_in_cluster(const struct result *r)
{
	const struct change *c;
	size_t n = 0;

	for (c = r->changes; c < r->changes + r->n_changes; c++)
		for (size_t i = 0; i < r->today.n_steps; i++)
			n += c->cluster > 0 && c->at == r->today.steps[i];
	return n > 0 && n == r->today.n_steps;
}

/*
 * The key with this verdict that costs most; NULL if there is none.  Keys that
 * are in a cluster come last; then times come first, then the unit that most
 * keys have, which is that of the total.  Of what is suspected only the worse
 * counts.
 */
static const struct result *
find_headline(const struct results *a, enum verdict verdict)
{
	const struct samples *s = a->samples;
	size_t *counts = mem_zero(s->texts.n + 1, sizeof *counts), n;
	const struct result *best = NULL, *r;
	const struct change *c;
	size_t n_best = 0;

	for (size_t i = 0; i < s->n; i++)
		counts[samples_unit(&s->keys[i])]++;
	counts[0] = 0;
	for (r = a->list; r < a->list + a->n; r++) {
		c = &r->today;
		if (c->verdict != verdict || c->accepted ||
		    (verdict == VERDICT_SUSPECTED && !results_is_worse(a, c)))
			continue;
		n = is_in_cluster(r) ? 0 : s->keys[c->key].unit.is_time ?
		    SIZE_MAX : 1 + counts[samples_unit(&s->keys[c->key])];
		if (best == NULL || n > n_best || (n == n_best &&
		    cost_of(a, c) > cost_of(a, &best->today))) {
			best = r;
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
	return a->n_measured == a->n_order ? say(" in %zu commits",
	    a->n_order) : say(" in %zu measured commits of %zu",
	    a->n_measured, a->n_order);
}

/* The command or the machine of a side. */
static const char *
place(const struct results *a, sym text)
{
	return text == PLACE_SEVERAL ? "several" : text == SYM_NONE ?
	    "unknown" : escaped(samples_text(a->samples, text));
}

/* "30 of 40 keys of host changed at 3f2a91cd02 (25 worse): the machine?" */
static const char *
those_clustered(const struct results *a)
{
	const char *list = "";
	const struct cluster *c;

	for (size_t i = 0; i < a->n_clusters && i < NAMES_MAX; i++) {
		c = &a->clusters[i];
		list = say("%s%s%zu of %zu keys%s changed at %s (%zu worse): "
		    "the machine?", list, i > 0 ? " " : "", c->n, c->n_keys,
		    c->machine == SYM_NONE ? "" :
		    say(" of %s", place(a, c->machine)), dated(a, c->at),
		    c->n_worse);
	}
	return list;
}

static const char *
found(const struct results *a, enum verdict verdict, const char *word)
{
	const struct result *r = find_headline(a, verdict);
	size_t n = a->counts[verdict];
	const char *how_many = say("%zu of %zu keys %s %s%s", n, a->n,
	    plural(n, "is", "are"), word, a->options->history ?
	    say(" now than before%s", in_commits(a)) : "");
	bool is_clustered = is_in_cluster(r);

	return say("%s: %s%s%s", how_many, is_clustered ?
	    those_clustered(a) : "", is_clustered ? " Above all, " :
	    n == 1 ? "" : "above all, ", alarm(a, r));
}

/* What must be measured, if the runs on a side are too few. */
static const char *
what_is_needed(const struct results *a)
{
	size_t n = a->n_untested;

	return say("%zu %s %zu runs of the program on each side, in turn", n,
	    plural(n, "key needs", "keys need"), compare_runs_needed(n));
}

/* Why no key could be judged; r is one that is suspected, or NULL. */
static const char *
why_not_judged(const struct results *a, const struct result *r)
{
	if (a->samples->n_samples == 0)
		return "there are no samples";
	if (a->options->history && !a->is_ordered)
		return "the order of the commits is not known "
		    "(--oldest-first, --newest-first or vcs-log gives it)";
	if (a->n == 0)
		return "no sample is of a commit in the line of first parents";
	if (a->options->history)
		return say("no key has %d commits with samples; compare two "
		    "commits", POINTS_MIN);
	if (a->n_untested == 0)
		return a->options->uids || a->counts[VERDICT_NEW] == 0 ||
		    a->counts[VERDICT_GONE] == 0 ?
		    "no key has samples on both sides" : "the sides have no "
		    "key in common (--uids compares two of one input)";
	if (a->n_within == 0)
		return say("%s: with few, any difference may be due to "
		    "chance", what_is_needed(a));
	return say("%s, since how runs differ is not known%s%s",
	    what_is_needed(a), r == NULL ? "" : "; within its runs ",
	    r == NULL ? "" : alarm(a, r));
}

/* Why the difference of a key is only suspected. */
static const char *
suspicion(const struct results *a, const struct result *r)
{
	const struct change *c = &r->today;

	if (!a->options->history)
		return say("%s; %s", alarm(a, r), what_is_needed(a));
	if (isnan(c->q) && r->newest.n > 1 && !r->is_repairing)
		return say("the newest %zu commits of %s look %s: measure more",
		    r->newest.n, say_key(a, c->key), by_how_much(a, c));
	return say("%s looks %s%s: %smeasure more", say_key(a, c->key),
	    by_how_much(a, c), since(a, c), isnan(c->q) ? "" :
	    !(c->size > SIZE_CLEAR) ? "that may be chance; " :
	    say("with %zu keys the commits are too few; ", a->n_tested));
}

/*
 * Of two sides: a key whose distributions differ, though neither its median nor
 * its slow runs do so by the effect.
 */
static const char *
those_different(const struct results *a)
{
	const struct result *r = a->list;
	const struct change *c;

	while (r < a->list + a->n && (r->today.verdict != VERDICT_SAME ||
	    !(r->q <= ALPHA)))
		r++;
	if (r == a->list + a->n || r->is_exact)
		return "";
	c = &r->today;
	return say(", but the runs of %s differ: the median is %s, the "
	    "mean %s", say_key(a, r->key), difference(c->before, c->after),
	    difference(c->t.mean_before, c->t.mean_after));
}

/* Nothing was found: what would have been seen?  past: keys that were worse. */
static const char *
nothing_found(const struct results *a, const char *past)
{
	const struct result *r = find_headline(a, VERDICT_SUSPECTED);
	bool history = a->options->history, both = a->options->improvements;
	size_t n = a->n_past, rest = a->n_order - a->newest - 1;
	const char *what;

	if (a->n_tested == 0)
		return say("nothing can be said: %s", why_not_judged(a, r));
	if (r != NULL)
		return say("nothing is proven worse; %s", suspicion(a, r));
	if (!history)
		what = say("no change%s was found", both ? "" :
		    " for the worse");
	else
		what = say("no key is worse%s now than before%s%s%s",
		    both ? " or better" : "", in_commits(a), rest == 0 ? "" :
		    say(" up to %s; the newest %zu %s not measured",
		    say_commit(a, a->newest), rest,
		    plural(rest, "was", "were")), n == 0 ? "" :
		    say(" (%zu %s and %s not: %s)", n, plural(n, "was", "were"),
		    plural(n, "is", "are"), past));
	if (a->n_judged == 0)
		return say("%s. What would have been seen is not known: "
		    "the values vary too much, or not at all, or are 0%s",
		    what, history ? ", or changed lately" : "");
	return say("%s%s. One of %.3g %% or more%s would have been seen in "
	    "%zu of %zu keys", what, history ? "" : those_different(a),
	    100 * a->smallest_effect, history && a->n_exact < a->n_judged ?
	    " that lasted 10 commits" : "", a->n_judged, a->n);
}

/* --- what else must be known ---------------------------------------------- */

/* A key as a sentence names it: with what is at fault. */
static const char *
name_in(const struct results *a, enum sentence sentence, uint32_t key)
{
	const struct key *k = &a->samples->keys[key];
	const char *name = say_key(a, key);
	const sym *places = sentence == SENTENCE_COMMANDS ? k->commands :
	    k->machines;

	if (sentence == SENTENCE_UNITS)
		return say("%s in %s", name,
		    escaped(samples_part(a->samples, key, PART_UNIT)));
	if (sentence == SENTENCE_COMMANDS || (sentence == SENTENCE_MACHINES &&
	    !a->options->history))
		return say("%s (%s, then %s)", name,
		    place(a, places[SIDE_OLD]), place(a, places[SIDE_NEW]));
	return name;
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
			list = say("%s%s%s", list, *n > 0 ? ", " : "",
			    name_in(a, sentence, r->key));
		else if (*n == NAMES_MAX)
			list = say("%s ...", list);
		++*n;
	}
	return list;
}

const char *
say_sentence(const struct results *a, enum sentence sentence)
{
	size_t n;
	const char *list = list_keys(a, sentence, &n);
	const struct result *r;

	switch (sentence) {
	case SENTENCE_ANSWER:
		if (a->counts[VERDICT_DEGRADED] > 0)
			return found(a, VERDICT_DEGRADED, "worse");
		if (a->options->improvements && a->counts[VERDICT_IMPROVED] > 0)
			return found(a, VERDICT_IMPROVED, "better");
		return nothing_found(a, list);
	case SENTENCE_CLUSTERS:
		/* It may be in the answer. */
		r = find_headline(a, VERDICT_DEGRADED);
		return r != NULL && is_in_cluster(r) ? "" : those_clustered(a);
	case SENTENCE_NEAREST:
		return a->asked_commit == NULL ? "" : say("'%s' was not "
		    "measured; its newest ancestor that was is %s",
		    a->asked_commit, say_id(span_str(a->commits[SIDE_OLD])));
	case SENTENCE_GONE:
		return n == 0 ? "" : say("%zu %s no samples %s: %s", n,
		    plural(n, "key has", "keys have"), a->options->history ?
		    "at the newest commit" : "on the new side", list);
	case SENTENCE_UNITS:
		return n == 0 ? "" : say("%zu keys differ only in the unit, "
		    "which cannot be converted: %s", n, list);
	case SENTENCE_MACHINES:
		return n == 0 ? "" : a->options->history ?
		    say("%zu keys differ only in the machine (profile-make "
		    "--machine NAME joins them): %s", n, list) :
		    say("the sides are of different machines: %s", list);
	case SENTENCE_COMMANDS:
		return n == 0 ? "" : say("the sides are of different "
		    "commands: %s", list);
	case SENTENCE_UNMEASURED:
		n = a->n_order - a->newest - 1;
		return !a->options->history || a->n_tested == 0 || n == 0 ?
		    "" : say("the newest %zu %s not measured", n,
		    plural(n, "commit was", "commits were"));
	case SENTENCE_UNJUDGED:
		return a->n_tested == 0 || a->n_untested == 0 ? "" :
		    say("%zu of %zu keys could not be judged: they have too "
		    "few samples", a->n_untested, a->n);
	case SENTENCE_DEPENDENT:
		return !(a->phi > 0) ? "" : say("the samples depend on each "
		    "other (autocorrelation %.2g), so that chance alone makes "
		    "differences: measure both sides in turn", a->phi);
	case SENTENCE_MORE:
	case N_SENTENCES:
		break;
	}
	return n == 0 ? "" : say("more is better for %s", list);
}
