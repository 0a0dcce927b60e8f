/* phrases - how reports and pictures name keys, numbers and commits */

#include <time.h>

#include "common/base/num.h"
#include "common/report/report-values.h"
#include "filters/perf-diff/phrases.h"

enum { ID_DIGITS = 10 };

enum { SECONDS = 3, N_TIME_UNITS = 5 };
static const char *const time_units[N_TIME_UNITS] = { "ns", "us", "ms", "s",
    "min" };

/* The index of a key's unit in time_units, or N_TIME_UNITS. */
static size_t
time_unit(const struct results *a, uint32_t key)
{
	struct span unit = samples_part(a->samples, &a->samples->keys[key],
	    PART_UNIT);
	size_t i = 0;

	while (i < N_TIME_UNITS && !span_eq(unit, time_units[i]))
		i++;
	return i;
}

const char *
phrases_comparative(const struct results *a, const struct change *c)
{
	bool is_better = c->verdict == VERDICT_IMPROVED;

	if (time_unit(a, c->key) < N_TIME_UNITS && !c->more_is_better)
		return is_better ? "quicker" : "slower";
	return is_better ? "better" : "worse";
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

void
phrases_value(struct buf *b, const struct results *a, uint32_t key,
    double value)
{
	struct span unit = samples_part(a->samples, &a->samples->keys[key],
	    PART_UNIT);

	if (isnan(value))
		return;
	for (size_t i = time_unit(a, key); i < SECONDS && value >= 1000; i++) {
		value /= 1000;
		unit = span_str(time_units[i + 1]);
	}
	buf_printf(b, value >= 1e4 && value < 1e15 ? "%.0f" : "%.4g", value);
	if (unit.n > 0) {
		buf_char(b, ' ');
		report_text(b, unit);
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
	report_text(b, span_of(id.p, id.n < ID_DIGITS ? id.n : ID_DIGITS));
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

/* --- the first sentence --------------------------------------------------- */

/* "3f2a91cd02 of 2026-10-05" */
static void
put_commit(struct buf *b, const struct results *a, const struct change *c)
{
	phrases_id(b, results_version(a, c->at));
	if (a->samples->versions[a->order[c->at]].time_s != INT_UNKNOWN) {
		buf_str(b, " of ");
		phrases_date(b, a, c->at);
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

	/* The next change of the same series. */
	if (a->options->history && c + 1 < a->changes + a->n &&
	    c[1].key == c->key)
		next = c + 1;
	phrases_key(b, a, c->key);
	buf_str(b, next != NULL ? " was " : " is ");
	if (isfinite(percent))
		buf_printf(b, "%.1f %% ", percent);
	buf_str(b, phrases_comparative(a, c));
	if (a->options->history) {
		buf_str(b, next != NULL ? " from " : " since ");
		put_commit(b, a, c);
	}
	if (next != NULL) {
		buf_str(b, " until ");
		put_commit(b, a, next);
	}
	buf_str(b, ": ");
	phrases_value(b, a, c->key, c->before);
	buf_str(b, " before, ");
	phrases_value(b, a, c->key, c->after);
	buf_str(b, a->options->history && next == NULL ? " now" : " after");
}

/* How great a change is, whatever its direction. */
static double
size_of(const struct change *c)
{
	double ratio = c->after > c->before ? c->after / c->before :
	    c->before / c->after;

	return isnan(ratio) ? 0 : ratio;
}

static void
put_found(struct buf *b, const struct results *a, enum verdict verdict,
    const char *word)
{
	size_t n = a->counts[verdict];
	const struct change *greatest = NULL, *c;

	for (c = a->changes; c < a->changes + a->n; c++)
		if (c->verdict == verdict && !c->accepted &&
		    (greatest == NULL || size_of(c) > size_of(greatest)))
			greatest = c;
	if (a->options->history)
		buf_printf(b, "%zu %s for the %s in %zu commits", n,
		    plural(n, "change", "changes"), word, a->n_order);
	else
		buf_printf(b, "%zu of %zu keys %s %s", n, a->n_keys,
		    plural(n, "is", "are"), word);
	buf_str(b, n == 1 ? ": " : ": above all, ");
	put_alarm(b, a, greatest);
}

/* Nothing was found: what was tested, and what could have been missed? */
static void
put_nothing(struct buf *b, const struct results *a)
{
	const char *few = a->options->history ? "14 commits with samples" :
	    "10 samples on each side";

	if (a->n_keys == 0) {
		buf_str(b, "nothing can be said: there are no samples");
	} else if (a->n_tested == 0) {
		buf_printf(b, "nothing can be said: no key has %s", few);
	} else {
		buf_printf(b, "nothing is worse by %.3g %% or more",
		    100 * a->options->min_effect);
		if (a->options->history)
			buf_printf(b, " in %zu commits", a->n_order);
		if (a->n_tested < a->n_keys)
			buf_printf(b, ", as far as %zu of %zu keys show",
			    a->n_tested, a->n_keys);
		if (isinf(a->smallest_effect))
			buf_printf(b, ", but hardly any change could have "
			    "been seen: %zu keys need more samples",
			    a->n_tested);
	}
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
