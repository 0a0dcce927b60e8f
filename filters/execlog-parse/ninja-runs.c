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
 * are appended as commands end.  Three facts show to which run a line belongs:
 *
 * - In a log that was only appended to, the lines of a run are in the order of
 *   their ends, and no output is there twice.  So the last run cannot begin
 *   above an end that is greater than the next one.
 * - A command starts when ninja does, or when another one ends: a line that
 *   starts when one above it ends joins all lines between; see join_lines().
 * - The file time of a line, which the log calls mtime, was taken between the
 *   start and the end of the command, so T lies between mtime - end and
 *   mtime - start.  This interval is the line's bracket.  The brackets of one
 *   run have a point in common; see TOLERANCE_US.
 *
 * The file time may be useless: it is 0 if a command made no file, and before
 * ninja 1.12 it is that of an input if the command left its output unchanged,
 * whatever a command like "cp -p" set, or by the clock of another file system.
 * So brackets only divide lines that nothing else joins, and if no three lines
 * confirm them, that is a guess.
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

/* A command that starts at most so long after an event starts at once. */
enum { AT_ONCE_US = 10000 };

/* A run starts its first command at most this much after twice the time that
   another run took to start its first one. */
enum { LOAD_US = 50000 };

/* How far the clocks of two file systems differ at most. */
enum { CLOCKS_US = 10000000 };

/* So many lines whose brackets begin at the same time are surely of a run. */
enum { CONFIRMED = 3 };

/* How far around a time set_peers() looks. */
enum { AROUND_US = 2000000 };

/* Of an entry in a log that has not been recompacted */
struct place {
	size_t first;		/* the run of this entry cannot begin above */
	bool is_joined;		/* of the same run as the entry above */
	int64_t low_us;		/* the greatest of all entries so far */
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
}

static bool
has_bracket(const struct entry *e)
{
	return e->low_us != INT_UNKNOWN;
}

/* The file time of an entry with a bracket, at the earliest. */
static int64_t
file_time_us(const struct entry *e)
{
	return e->low_us + e->end_us;
}

/* Whether a bracket is surely of an earlier run than one that begins then. */
static bool
is_earlier(const struct entry *e, int64_t low_us)
{
	return e->n_peers >= CONFIRMED && low_us > e->high_us + CLOCKS_US;
}

/*
 * Discards the brackets of file times after the log was last written: they are
 * of the future.  If that holds for all, the time of the log is wrong (some
 * archives store 1980), and none is discarded.
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
		n_later += has_bracket(e) && file_time_us(e) > log_us;
	}
	if (n_later == n_brackets)
		return;
	for (e = entries; e < end; e++)
		if (has_bracket(e) && file_time_us(e) > log_us)
			e->low_us = INT_UNKNOWN;
}

/* The latest first. */
static int
compare_low(const void *a, const void *b, void *context)
{
	const struct entry *entries = context;

	return cmp_i64(entries[*(const size_t *)b].low_us,
	    entries[*(const size_t *)a].low_us);
}

/* Of equal starts the last line first. */
static int
compare_starts(const void *a, const void *b, void *context)
{
	const struct entry *entries = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return cmp_i64(entries[x].start_us, entries[y].start_us) ?:
	    cmp_u64(y, x);
}

/* One more than the greatest output. */
static size_t
count_names(const struct entry *entries, size_t n)
{
	size_t n_names = 0;

	for (size_t i = 0; i < n; i++)
		if (entries[i].output >= n_names)
			n_names = (size_t)entries[i].output + 1;
	return n_names;
}

/*
 * Of the entries that order[from, to) lists, whose brackets begin at about the
 * same time, sets the last one and their number, which counts only if their
 * file times differ, and if there are not more lines around them.
 */
static void
set_peers(struct entry *entries, const size_t *order, size_t n, size_t from,
    size_t to)
{
	int64_t first_us = entries[order[from]].low_us + AROUND_US;
	int64_t last_us = entries[order[to - 1]].low_us - AROUND_US;
	const struct entry *last_peer = NULL;
	size_t begin = from, end = to;
	bool differs = false;
	struct entry *e;

	for (size_t i = from; i < to; i++) {
		e = &entries[order[i]];
		differs |= file_time_us(e) !=
		    file_time_us(&entries[order[from]]);
		last_peer = last_peer == NULL || e > last_peer ? e : last_peer;
	}
	while (begin > 0 && entries[order[begin - 1]].low_us <= first_us &&
	    from - begin <= to - from)
		begin--;
	while (end < n && entries[order[end]].low_us >= last_us &&
	    end - to <= to - from)
		end++;
	differs &= (end - to) + (from - begin) <= to - from;
	for (size_t i = from; i < to; i++) {
		e = &entries[order[i]];
		e->last_peer = last_peer;
		e->n_peers = e->version > 5 ? CONFIRMED : differs ? to - from :
		    1;
	}
}

/*
 * Lists the entries with a bracket, those whose bracket begins last first, and
 * sets their peers.  The caller frees the result.
 */
static size_t *
list_brackets(struct entry *entries, size_t n, size_t *n_order)
{
	size_t *order = mem_zero(n, sizeof *order), from = 0;

	*n_order = 0;
	for (size_t i = 0; i < n; i++)
		if (has_bracket(&entries[i]))
			order[(*n_order)++] = i;
	sort_with(order, *n_order, sizeof *order, compare_low, entries);
	for (size_t i = 1; i <= *n_order; i++)
		if (i == *n_order || entries[order[i - 1]].low_us -
		    entries[order[i]].low_us > 2 * TOLERANCE_US) {
			set_peers(entries, order, *n_order, from, i);
			from = i;
		}
	return order;
}

/* Whether a line ended before the one above it, and so begins a block. */
static bool
begins_block(const struct entry *entries, size_t i)
{
	return i > 0 && entries[i].end_us < entries[i - 1].end_us;
}

/*
 * Whether blocks and file times agree: the brackets of each block have a point
 * in common, and show that it began after all above.  So it is in most logs,
 * which then need neither peers nor joins.
 */
static bool
agrees(const struct entry *entries, size_t n)
{
	int64_t ended_us = INT64_MIN, above_us = INT64_MIN;
	int64_t low_us = INT64_MIN, high_us = INT64_MAX;
	const struct entry *e;

	for (size_t i = 0; i < n; i++) {
		e = &entries[i];
		if (begins_block(entries, i)) {
			ended_us = low_us + e[-1].end_us;
			above_us = low_us + 2 * TOLERANCE_US;
			high_us = INT64_MAX;
		}
		if (!has_bracket(e) || e->high_us < ended_us ||
		    e->low_us <= above_us)
			return false;
		low_us = e->low_us > low_us ? e->low_us : low_us;
		high_us = e->high_us < high_us ? e->high_us : high_us;
		if (high_us < low_us)
			return false;
	}
	return true;
}

/*
 * In a log that has not been recompacted, a block begins a run, and so after
 * all commands above have ended.  Of the file times that agree with others, few
 * show that it began before.  Sets *in_doubt if any does, or if the lines may
 * be in random order and not all blocks have a file time that shows that they
 * are later.
 */
static bool
is_recompacted(const struct entry *entries, size_t n, bool *in_doubt)
{
	int64_t ended_us = INT64_MIN, low_us = INT64_MIN;
	const struct entry *last_peer = NULL, *e;
	size_t n_shared = 0, n_early = 0, n_blocks = 0;
	bool is_later = false, are_later = true;

	*in_doubt = false;
	for (size_t i = 0; i < n; i++) {
		e = &entries[i];
		if (begins_block(entries, i)) {
			n_blocks++;
			are_later &= is_later;
			is_later = false;
			if (low_us != INT64_MIN &&
			    low_us + e[-1].end_us > ended_us)
				ended_us = low_us + e[-1].end_us;
			low_us = INT64_MIN;
			*in_doubt |= last_peer >= e;
		}
		if (!has_bracket(e))
			continue;
		if (last_peer == NULL || e->last_peer > last_peer)
			last_peer = e->last_peer;
		is_later |= e->low_us > ended_us;
		*in_doubt |= e->high_us < ended_us;
		n_shared += e->n_peers > 1;
		n_early += e->n_peers > 1 && e->high_us < ended_us;
		if (e->low_us > low_us)
			low_us = e->low_us;
	}
	*in_doubt |= !(are_later && is_later) && n_blocks > n / 8;
	return n_early > n_shared / 8;
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
 * Sets, for each line, whether it must be of the same run as the line above it:
 * joined[i] for lines i and i - 1.  The n lines are in the order of their ends.
 *
 * A command starts when ninja does, or at once when another one ends.  If line
 * k started when line j above it ended, and no line from i on started just
 * before, the lines from i on cannot be a run of their own, for all i in
 * (j, k].  But if k started early and before all these, it may have started
 * when ninja did.
 */
static void
join_lines(struct entry *entries, size_t n, bool *joined)
{
	size_t *order = mem_zero(n, sizeof *order), *recent;
	size_t head = 0, tail = 0, k, above, n_before = 0, before = 0, last;
	int64_t first_us, start_us, sum = 0, *ends;

	for (k = 0; k < n; k++)
		order[k] = k;
	sort_with(order, n, sizeof *order, compare_starts, entries);
	first_us = entries[order[0]].start_us;
	/* Those that started just before, by decreasing index. */
	recent = mem_zero(n, sizeof *recent);
	/* How many more, or fewer, pairs (j, k) join this line than the one
	   above it. */
	ends = mem_zero(n + 1, sizeof *ends);
	for (size_t i = 0; i < n; i++) {
		k = order[i];
		start_us = entries[k].start_us;
		while (head < tail && entries[recent[head]].start_us <
		    start_us - AT_ONCE_US)
			head++;
		/* The last of those that started longer before. */
		for (; entries[order[n_before]].start_us < start_us -
		    AT_ONCE_US; n_before++)
			if (order[n_before] > before)
				before = order[n_before];
		last = before > k || start_us > 2 * first_us + LOAD_US ? k :
		    before;
		above = SEARCH_FIRST(j, n, entries[j].end_us > start_us);
		if (n_before > 0 && above > 0 &&
		    entries[above - 1].end_us >= start_us - AT_ONCE_US) {
			if (head < tail && recent[head] >= above)
				above = recent[head] + 1;
			if (above <= last) {
				ends[above]++;
				ends[last + 1]--;
			}
		}
		while (head < tail && recent[tail - 1] < k)
			tail--;
		recent[tail++] = k;
	}
	for (size_t i = 0; i < n; i++) {
		sum += ends[i];
		joined[i] = sum > 0;
	}
	free(order);
	free(recent);
	free(ends);
}

/* Sets the place of each entry.  The caller frees the result. */
static struct place *
find_places(struct entry *entries, size_t n, bool needs_joins)
{
	struct place *places = mem_zero(n, sizeof *places), *p;
	bool *joined = mem_zero(n, sizeof *joined);
	size_t *seen = mem_zero(count_names(entries, n), sizeof *seen);
	size_t first = 0, block = 0, last;
	int64_t low_us = INT64_MIN;
	const struct entry *e;

	for (size_t i = 0; i < n; i++) {
		e = &entries[i];
		if (begins_block(entries, i)) {
			if (needs_joins)
				join_lines(entries + block, i - block,
				    joined + block);
			first = block = i;
		}
		last = seen[e->output];
		if (last > first && (entries[last - 1].end_us != e->end_us ||
		    entries[last - 1].start_us != e->start_us))
			first = last;
		seen[e->output] = i + 1;
		if (has_bracket(e) && e->low_us > low_us)
			low_us = e->low_us;
		p = &places[i];
		p->first = first;
		p->low_us = low_us;
	}
	if (needs_joins)
		join_lines(entries + block, n - block, joined + block);
	for (size_t i = 0; i < n; i++)
		places[i].is_joined = joined[i];
	free(joined);
	free(seen);
	return places;
}

/*
 * Where the last run begins among the first n entries of a log that has not
 * been recompacted: below the last line whose bracket ends before the latest
 * bracket begins, unless joined lines or another line with the same file time
 * show that it is of the run.  Sets *in_doubt if it may also begin elsewhere.
 * begins_log: the first entry is the first of the log.
 */
static size_t
find_start(const struct entry *entries, const struct place *places, size_t n,
    bool begins_log, bool *in_doubt)
{
	const struct place *last = &places[n - 1];
	bool may_be_all = begins_log && last->first == 0;
	size_t first = n - 1, split = 0, n_agree = 0, i;
	int64_t low_us = last->low_us;
	const struct entry *e = NULL;

	*in_doubt = false;
	for (; first > last->first; first--) {
		e = &entries[first - 1];
		if (!places[first].is_joined)
			split = first;
		if (!has_bracket(e)) {
			*in_doubt |= !may_be_all && e->n_peers >= CONFIRMED;
			continue;
		}
		if (e->high_us < low_us) {
			if (split > 0 && e->last_peer < entries + first)
				break;
			*in_doubt |= !may_be_all;
			low_us = e->low_us;
		}
		split = 0;
	}
	if (first > last->first) {
		first = split;
		/* Peers above the block are of another run than e. */
		for (i = last->first; i < first; i++)
			n_agree += has_bracket(&entries[i]) &&
			    llabs(entries[i].low_us - e->low_us) <
			    2 * TOLERANCE_US;
		/* Else it may be an old file time, or of another clock. */
		if (!is_earlier(e, low_us) ||
		    (n_agree < CONFIRMED && e->version < 6)) {
			*in_doubt = true;
			if (may_be_all && e->version < 6)
				first = 0;
		}
	}
	for (i = first + 1; i < n && !has_bracket(&entries[i - 1]); i++)
		*in_doubt |= !places[i].is_joined;
	for (i = n - 1; i > first && !has_bracket(&entries[i]); i--)
		*in_doubt |= !places[i].is_joined;
	return first;
}

/* Numbers the runs of a log that has not been recompacted. */
static size_t
number_appended(struct entry *entries, size_t n, bool begins_log,
    bool needs_joins)
{
	struct place *places;
	bool begin_in_doubt, end_in_doubt = false;
	size_t n_runs = 0, first;

	discard_past(entries, n);
	places = find_places(entries, n, needs_joins);
	for (; n > 0; n = first, n_runs++) {
		first = find_start(entries, places, n, begins_log,
		    &begin_in_doubt);
		for (size_t i = first; i < n; i++) {
			entries[i].run = n_runs;
			entries[i].in_doubt = begin_in_doubt || end_in_doubt;
		}
		end_in_doubt = begin_in_doubt;
	}
	free(places);
	return n_runs;
}

/*
 * Numbers the runs of lines that ninja has recompacted, by the brackets alone.
 * The last run is every line whose bracket contains the point at which the
 * latest bracket begins; the others follow from the remaining lines in the same
 * way.  Lines that are not surely of an earlier run may be of the last one: if
 * that is larger than the earlier ones together, they are.
 */
static size_t
number_recompacted(struct entry *entries, size_t n)
{
	size_t n_order, n_runs = 0, n_last = 0, n_earlier = 0;
	size_t *order = list_brackets(entries, n, &n_order);
	size_t *numbers = mem_zero(n, sizeof *numbers);
	int64_t *points_us = mem_zero(n, sizeof *points_us);
	bool in_doubt = n_order < n, is_sure;
	struct entry *e;

	for (size_t i = 0; i < n_order; i++) {
		e = &entries[order[i]];
		e->run = SEARCH_FIRST(j, n_runs, points_us[j] <= e->high_us);
		if (e->run == n_runs)
			points_us[n_runs++] = e->low_us;
		is_sure = e->run == 0 || is_earlier(e, points_us[0]);
		in_doubt |= !is_sure;
		if (e->n_peers >= CONFIRMED && !is_sure && e->version < 6)
			e->run = 0;
		n_last += e->run == 0;
		n_earlier += e->run > 0 && e->n_peers >= CONFIRMED;
	}
	for (e = entries; e < entries + n; e++) {
		e->in_doubt = in_doubt;
		if (n_last > n_earlier && !(has_bracket(e) &&
		    e->n_peers >= CONFIRMED))
			e->run = 0;
		if (e->run != NO_RUN)
			numbers[e->run] = 1;
	}

	n_runs = 0;
	for (size_t i = 0; i < n; i++)
		numbers[i] = numbers[i] > 0 ? n_runs++ : 0;
	for (e = entries; e < entries + n; e++)
		if (e->run != NO_RUN)
			e->run = numbers[e->run];
	free(numbers);
	free(order);
	free(points_us);
	return n_runs;
}

/* The index of the first line whose output a line above it has, too, or n. */
static size_t
find_repeat(const struct entry *entries, size_t n)
{
	bool *is_seen = mem_zero(count_names(entries, n), sizeof *is_seen);
	size_t i;

	for (i = 0; i < n && !is_seen[entries[i].output]; i++)
		is_seen[entries[i].output] = true;
	free(is_seen);
	return i;
}

/*
 * Where the run of which the selected lines are begins: lines above them are of
 * it, too, if their brackets have a point in common with its brackets, and
 * their ends are not later.  Lines without a bracket may be between them.  Sets
 * *in_doubt if the line above all these is not surely of another run.
 */
static size_t
extend_run(const struct entry *entries, size_t first, size_t n, size_t run,
    bool *in_doubt)
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
	e = &entries[begin];
	*in_doubt = begin > 0 && !begins_block(entries, begin) &&
	    !(has_bracket(e - 1) && is_earlier(e - 1, low_us));
	return begin;
}

/*
 * Numbers the runs of a log that begins with recompacted lines.  What follows
 * them was appended in later runs.
 */
static size_t
number_both(struct filter *f, struct entry *entries, size_t n_recompacted,
    size_t n)
{
	size_t n_later, n_runs, n_unknown = 0;
	bool in_doubt = false;

	n_later = number_appended(entries + n_recompacted, n - n_recompacted,
	    false, true);
	if (n_later > 0) {
		n_recompacted = extend_run(entries, n_recompacted, n,
		    n_later - 1, &in_doubt);
		n_later = number_appended(entries + n_recompacted,
		    n - n_recompacted, false, true);
		for (size_t i = n_recompacted; i < n; i++)
			entries[i].in_doubt |= in_doubt &&
			    entries[i].run == n_later - 1;
	}
	n_runs = number_recompacted(entries, n_recompacted);
	for (size_t i = 0; i < n_recompacted; i++) {
		n_unknown += entries[i].run == NO_RUN;
		if (entries[i].run != NO_RUN)
			entries[i].run += n_later;
	}
	if (n_unknown > 0 && f != NULL)
		filter_warn(f, "ninja has recompacted the log, and %zu "
		    "output%s no file time that tells of which run %s: left "
		    "out", n_unknown, plural(n_unknown, " has", "s have"),
		    plural(n_unknown, "it is", "they are"));
	return n_later + n_runs;
}

size_t
ninja_number_runs(struct filter *f, struct entry *entries, size_t n,
    int64_t log_modified_us)
{
	size_t n_recompacted = find_repeat(entries, n), n_brackets, n_runs;
	bool in_doubt;

	discard_later_than_log(entries, n, log_modified_us);
	if (agrees(entries, n))
		return number_appended(entries, n, true, false);
	free(list_brackets(entries, n, &n_brackets));
	if (n_brackets == 0 && f != NULL)
		filter_warn(f, "the log has no file times, so two runs may be "
		    "taken for one");
	if (is_recompacted(entries, n_recompacted, &in_doubt))
		return number_both(f, entries, n_recompacted, n);
	n_runs = number_appended(entries, n, true, true);
	for (size_t i = 0; i < n_recompacted; i++)
		entries[i].in_doubt |= in_doubt;
	return n_runs;
}
