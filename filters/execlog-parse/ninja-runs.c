/* ninja-runs - finds out which lines of a .ninja_log are of the same run */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "filters/execlog-parse/ninja-runs.h"

/*
 * Start and end are counted from the moment T at which a run began, and lines
 * are appended as commands end.  Two facts show to which run a line belongs:
 *
 * - The file time of a line, which the log calls mtime, was taken between the
 *   start and the end of the command, so T lies between mtime - end and
 *   mtime - start.  This interval is the line's bracket.  The brackets of one
 *   run have a point in common; see TOLERANCE_US.
 * - In a log that was only appended to, the lines of a run are in the order of
 *   their ends: a line with an earlier end than the previous line begins a run.
 *   The lines from one such line to the next are called a segment here.  It may
 *   contain several runs, because the beginning of a run cannot be seen if its
 *   first end is not before the last end of the previous run.
 *
 * The file time may be useless: it is 0 if a command made no file, and before
 * ninja 1.12 it is that of an input if the command left its output unchanged,
 * or whatever a command like "cp -p" set.
 *
 * Sometimes ninja recompacts the log: it writes the last line of each output in
 * the order of a hash table.  Then the order of these lines is useless.  Each
 * output is among them once, so they end before the first output that is there
 * for a second time: from there on, lines were appended.
 */

/*
 * How far a bracket is extended at either end.  File times come from a clock
 * that may be 10 ms late, and start and end are truncated to milliseconds (12
 * ms in all); old versions of ninja wrote file times in whole seconds.
 */
enum { TOLERANCE_US = 12000, TOLERANCE_OF_SECONDS_US = 1000000 };

/* What precedes an entry in a log that has not been recompacted, and itself. */
struct places {
	size_t segment;		/* index of the first entry of its segment */
	int64_t low_us;		/* the greatest of all entries so far */
	int64_t high_us;	/* the greatest of its segment so far */
};

void
ninja_set_bracket(struct entry *e, int64_t mtime)
{
	/* Seconds, units of 100 ns since 2001 (Windows), or nanoseconds:
	   present times are about 2e9, 1e16 and 2e18. */
	bool is_seconds = mtime < INT64_C(100000000000);
	int64_t tolerance_us = is_seconds ? TOLERANCE_OF_SECONDS_US :
	    TOLERANCE_US, us;

	e->low_us = e->high_us = INT_UNKNOWN;
	if (mtime <= 0 || e->end_us < e->start_us)
		return;
	us = is_seconds ? mtime * 1000000 :
	    mtime < INT64_C(100000000000000000) ? mtime / 10 : mtime / 1000;
	e->low_us = us - e->end_us - tolerance_us;
	e->high_us = us - e->start_us + tolerance_us;
	/* Since version 6 the file time is that of the command's start. */
	e->ended_us = us - tolerance_us +
	    (e->version > 5 ? e->end_us - e->start_us : 0);
}

static bool
has_bracket(const struct entry *e)
{
	return e->low_us != INT_UNKNOWN;
}

/*
 * Discards the brackets of commands that would have ended after the log was
 * last written: their file times are of the future.  If that holds for all, the
 * time of the log is wrong (some archives store 1980), and none is discarded.
 */
static void
discard_later_than_log(struct entry *entries, size_t n, int64_t log_us)
{
	struct entry *e, *end = entries + n;
	size_t n_brackets = 0, n_later = 0;

	if (log_us == INT_UNKNOWN)
		return;
	for (e = entries; e < end; e++) {
		n_brackets += has_bracket(e);
		n_later += has_bracket(e) && e->ended_us > log_us;
	}
	if (n_later == n_brackets)
		return;
	for (e = entries; e < end; e++)
		if (has_bracket(e) && e->ended_us > log_us)
			e->low_us = INT_UNKNOWN;
}

/* The entry whose bracket begins last; NULL if there is no bracket. */
static struct entry *
find_latest(struct entry *entries, size_t n)
{
	struct entry *latest = NULL, *e, *end = entries + n;

	for (e = entries; e < end; e++)
		if (has_bracket(e) &&
		    (latest == NULL || e->low_us > latest->low_us))
			latest = e;
	return latest;
}

/*
 * In a log that has not been recompacted, few lines contradict the order of the
 * lines, because they are of an earlier run than the line above them: at most
 * one, and one more for every ten lines.  Fewer lines begin a segment, and so a
 * run that began before the command of the line above them had ended, because a
 * strange file time that makes them so would have to be of the run before: at
 * most one for every ten lines.
 */
static bool
is_recompacted(const struct entry *entries, size_t n)
{
	const struct entry *above = NULL, *e, *end = entries + n;
	size_t n_brackets = 0, n_older = 0, n_early = 0;

	for (e = entries; e < end; e++) {
		if (!has_bracket(e))
			continue;
		if (above != NULL && e->high_us < above->low_us)
			n_older++;
		else if (above != NULL && e->end_us < above->end_us &&
		    e->high_us < above->ended_us)
			n_early++;
		n_brackets++;
		above = e;
	}
	return n_older + n_early > n_brackets / 10 + 1 ||
	    n_early > n_brackets / 10;
}

/*
 * In a log that has not been recompacted, discards brackets that file times in
 * the future have made.  Most lines decide: those below the latest bracket L
 * whose brackets end before L begins disagree with L, because they were
 * appended later; all lines whose brackets end at or after that time agree with
 * L, as L itself does.  While more lines disagree than agree, the brackets of
 * the lines that agree are discarded.
 */
static void
discard_future(struct entry *entries, size_t n)
{
	struct entry *latest, *e, *end = entries + n;
	size_t n_agree, n_disagree;
	int64_t low_us;

	while ((latest = find_latest(entries, n)) != NULL) {
		low_us = latest->low_us;
		n_agree = n_disagree = 0;
		for (e = entries; e < end; e++) {
			n_agree += has_bracket(e) && e->high_us >= low_us;
			n_disagree += has_bracket(e) && e->high_us < low_us &&
			    e > latest;
		}
		if (n_disagree <= n_agree)
			return;
		for (e = entries; e < end; e++)
			if (has_bracket(e) && e->high_us >= low_us)
				e->low_us = INT_UNKNOWN;
	}
}

/*
 * In a log that has not been recompacted, discards each bracket that ends
 * before the bracket of some line above it begins.
 */
static void
discard_past(struct entry *entries, size_t n)
{
	struct entry *e, *end = entries + n;
	int64_t low_us = INT64_MIN;

	for (e = entries; e < end; e++) {
		if (!has_bracket(e))
			continue;
		if (e->high_us < low_us)
			e->low_us = INT_UNKNOWN;
		else if (e->low_us > low_us)
			low_us = e->low_us;
	}
}

/*
 * Where the last run begins among the first n entries of a log that has not
 * been recompacted: at the beginning of its segment, but after the lines there
 * that are of an earlier run.  The brackets of those end before the latest
 * bracket begins; lines without a bracket above such a line are of the earlier
 * run, too.
 */
static size_t
find_start(const struct entry *entries, const struct places *places, size_t n)
{
	size_t segment = places[n - 1].segment, i;
	int64_t low_us = places[n - 1].low_us;

	i = SEARCH_FIRST(j, n - segment,
	    places[segment + j].high_us >= low_us) + segment;
	while (i > segment && !has_bracket(&entries[i - 1]))
		i--;
	return i < n ? i : segment;
}

/* Sets the place of each entry.  The caller frees the result. */
static struct places *
find_places(const struct entry *e, size_t n)
{
	struct places *places = mem_zero(n, sizeof *places), *p;
	bool begins;

	for (size_t i = 0; i < n; i++, e++) {
		begins = i == 0 || e->end_us < e[-1].end_us;
		p = &places[i];
		p->segment = begins ? i : p[-1].segment;
		p->low_us = i == 0 ? INT64_MIN : p[-1].low_us;
		p->high_us = begins ? INT64_MIN : p[-1].high_us;
		if (!has_bracket(e))
			continue;
		p->low_us = e->low_us > p->low_us ? e->low_us : p->low_us;
		p->high_us = e->high_us > p->high_us ? e->high_us : p->high_us;
	}
	return places;
}

/* Numbers the runs of a log that has not been recompacted. */
static size_t
number_appended(struct entry *entries, size_t n)
{
	struct places *places;
	size_t n_runs = 0, first;

	discard_future(entries, n);
	discard_past(entries, n);
	places = find_places(entries, n);
	for (; n > 0; n = first, n_runs++) {
		first = find_start(entries, places, n);
		for (size_t i = first; i < n; i++)
			entries[i].run = n_runs;
	}
	free(places);
	return n_runs;
}

/* The latest first. */
static int
compare_low(const void *a, const void *b, void *context)
{
	const struct entry *entries = context;

	return cmp_i64(entries[*(const size_t *)b].low_us,
	    entries[*(const size_t *)a].low_us);
}

/*
 * Numbers the runs of lines that ninja has recompacted, by the brackets alone.
 * The last run is every line whose bracket contains the point at which the
 * latest bracket begins; the others follow from the remaining lines in the same
 * way.  If there is only one, lines without a bracket are of it, too.
 */
static size_t
number_recompacted(struct entry *entries, size_t n)
{
	size_t *order = mem_zero(n, sizeof *order), n_order = 0, n_runs = 0;
	int64_t *points_us = mem_zero(n, sizeof *points_us);
	struct entry *e;

	for (size_t i = 0; i < n; i++)
		if (has_bracket(&entries[i]))
			order[n_order++] = i;
	sort_with(order, n_order, sizeof *order, compare_low, entries);
	for (size_t i = 0; i < n_order; i++) {
		e = &entries[order[i]];
		e->run = SEARCH_FIRST(j, n_runs, points_us[j] <= e->high_us);
		if (e->run == n_runs)
			points_us[n_runs++] = e->low_us;
	}
	free(order);
	free(points_us);
	for (size_t i = 0; i < n && n_runs == 1; i++)
		entries[i].run = 0;
	return n_runs;
}

/* The index of the first line whose output a line above it has, too, or n. */
static size_t
find_repeat(const struct entry *entries, size_t n)
{
	size_t n_names = 0, i;
	bool *is_seen;

	for (i = 0; i < n; i++)
		if (entries[i].output >= n_names)
			n_names = (size_t)entries[i].output + 1;
	is_seen = mem_zero(n_names, sizeof *is_seen);
	for (i = 0; i < n && !is_seen[entries[i].output]; i++)
		is_seen[entries[i].output] = true;
	free(is_seen);
	return i;
}

/*
 * Where the run of which the selected lines are begins: lines above them are of
 * it, too, if their brackets have a point in common with its brackets, and
 * their ends are not later.  Lines without a bracket may be between them.
 */
static size_t
extend_run(const struct entry *entries, size_t first, size_t n, size_t run)
{
	int64_t low_us = INT64_MIN, high_us = INT64_MAX, end_us = INT64_MAX;
	const struct entry *e;
	size_t begin = first;

	for (size_t i = first; i < n; i++) {
		e = &entries[i];
		if (!has_bracket(e) || e->run != run)
			continue;
		low_us = e->low_us > low_us ? e->low_us : low_us;
		high_us = e->high_us < high_us ? e->high_us : high_us;
		end_us = e->end_us < end_us ? e->end_us : end_us;
	}
	for (size_t i = first; i-- > 0;) {
		e = &entries[i];
		if (!has_bracket(e))
			continue;
		if (low_us == INT64_MIN || e->low_us > high_us ||
		    e->high_us < low_us || e->end_us > end_us)
			break;
		end_us = e->end_us;
		begin = i;
	}
	return begin;
}

/*
 * Numbers the runs of a log that begins with recompacted lines.  What follows
 * them was appended in later runs.
 */
static size_t
number_both(struct filter *f, struct entry *entries, size_t n_recompacted,
    size_t n, bool *is_known)
{
	size_t n_later, n_runs, n_unknown = 0;

	n_later = number_appended(entries + n_recompacted, n - n_recompacted);
	if (n_later > 0) {
		n_recompacted = extend_run(entries, n_recompacted, n,
		    n_later - 1);
		n_later = number_appended(entries + n_recompacted,
		    n - n_recompacted);
	}
	n_runs = number_recompacted(entries, n_recompacted);
	for (size_t i = 0; i < n_recompacted; i++) {
		n_unknown += entries[i].run == NO_RUN;
		if (entries[i].run != NO_RUN)
			entries[i].run += n_later;
	}
	*is_known = n_unknown == 0;
	if (n_unknown > 0 && f != NULL)
		filter_warn(f, "ninja has recompacted the log, and %zu "
		    "output%s no file time that tells of which run %s: left "
		    "out", n_unknown, plural(n_unknown, " has", "s have"),
		    plural(n_unknown, "it is", "they are"));
	return n_later + n_runs;
}

size_t
ninja_number_runs(struct filter *f, struct entry *entries, size_t n,
    int64_t log_modified_us, bool *in_order, bool *is_known)
{
	size_t n_recompacted = find_repeat(entries, n), n_runs;

	discard_later_than_log(entries, n, log_modified_us);
	*in_order = find_latest(entries, n_recompacted) == NULL ||
	    !is_recompacted(entries, n_recompacted);
	if (!*in_order)
		return number_both(f, entries, n_recompacted, n, is_known);
	n_runs = number_appended(entries, n);
	*is_known = n == 0 || find_latest(entries, n) != NULL;
	if (!*is_known && f != NULL)
		filter_warn(f, "the log has no file times, so two runs may be "
		    "taken for one");
	return n_runs;
}
