/* counter - writes how many tasks run at a time */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/filter/filter.h"
#include "filters/trace-export/counter.h"

/* The series of the counter.  One of which there is no slice is left out. */
enum { RUN, COPY, PREPARE, N_SERIES };
static const char *const series_names[] = { "run", "copy", "prepare" };

enum { THOUSANDTHS = 1000 };

/*
 * A start or an end as a number that sorts by time: the time, the series and
 * whether it is an end.
 */
enum { IS_END = 1, SERIES_SHIFT = 1, SERIES_MASK = 3, TIME_SHIFT = 3 };

struct counter {
	struct document *d;
	struct place place;
	uint64_t *changes;
	size_t n_changes, n_events;
	bool has_series[N_SERIES];
	int64_t running[N_SERIES];
	int64_t written[N_SERIES];	/* thousandths; -1 at first */

	/* If it is averaged: the parts, and the sum in the current one. */
	int64_t part_us, part_start;
	int64_t sums[N_SERIES];		/* of tasks times microseconds */
};

static unsigned
series_of(enum track_class class)
{
	return class == COPIES ? COPY : class == PREPARES ? PREPARE : RUN;
}

static void
collect_changes(struct counter *c, const struct slice *s, size_t n)
{
	uint64_t series;

	c->changes = mem_resize(NULL, n * 2 + 1, sizeof *c->changes);
	for (size_t i = 0; i < n; i++) {
		if (s[i].class == CALLS || s[i].start == s[i].end)
			continue;
		series = series_of(s[i].class);
		c->has_series[series] = true;
		series <<= SERIES_SHIFT;
		c->changes[c->n_changes++] =
		    (uint64_t)s[i].start << TIME_SHIFT | series;
		c->changes[c->n_changes++] =
		    (uint64_t)s[i].end << TIME_SHIFT | series | IS_END;
	}
	sort_u64(c->changes, c->n_changes);
}

static void
put_thousandths(struct buf *b, const char *key, int64_t value)
{
	json_int(b, key, value / THOUSANDTHS);
	if (value % THOUSANDTHS != 0)
		buf_printf(b, ".%03d", (int)(value % THOUSANDTHS));
}

/* Writes the values, in thousandths, unless the last event has the same. */
static void
put_values(struct counter *c, int64_t us, const int64_t values[N_SERIES])
{
	struct buf *b;

	if (memcmp(values, c->written, sizeof c->written) == 0)
		return;
	memcpy(c->written, values, sizeof c->written);
	c->n_events++;
	if (c->d == NULL)
		return;
	b = document_begin(c->d, "C", c->place, us);
	json_word(b, "name", "running");
	json_word(b, "cat", "running");
	json_open(b, "args", '{');
	for (size_t i = 0; i < N_SERIES; i++)
		if (c->has_series[i])
			put_thousandths(b, series_names[i], values[i]);
	json_close(b, '}');
	document_end_event(c->d);
}

static void
put_running(struct counter *c, int64_t us)
{
	int64_t values[N_SERIES];

	for (size_t i = 0; i < N_SERIES; i++)
		values[i] = c->running[i] * THOUSANDTHS;
	put_values(c, us, values);
}

/* Adds what runs until a time to the parts, and writes those that end. */
static void
advance(struct counter *c, int64_t from_us, int64_t to_us)
{
	int64_t end, until, values[N_SERIES];

	while (from_us < to_us) {
		end = c->part_start + c->part_us;
		until = end < to_us ? end : to_us;
		for (size_t i = 0; i < N_SERIES; i++)
			c->sums[i] += c->running[i] * (until - from_us);
		from_us = until;
		if (until < end)
			break;
		for (size_t i = 0; i < N_SERIES; i++) {
			values[i] = (int64_t)((double)c->sums[i] * THOUSANDTHS /
			    (double)c->part_us + 0.5);
			c->sums[i] = 0;
		}
		put_values(c, c->part_start, values);
		c->part_start = end;
	}
}

static void
write_changes(struct counter *c, bool averaged)
{
	int64_t now = 0, us;

	for (size_t i = 0; i < c->n_changes; i++) {
		us = (int64_t)(c->changes[i] >> TIME_SHIFT);
		if (us > now && averaged)
			advance(c, now, us);
		else if (us > now && i > 0)
			put_running(c, now);
		now = us;
		c->running[c->changes[i] >> SERIES_SHIFT & SERIES_MASK] +=
		    (c->changes[i] & IS_END) != 0 ? -1 : 1;
	}
	if (averaged && c->part_start < now) {
		advance(c, now, c->part_start + c->part_us);
		now = c->part_start;
	}
	put_running(c, now);
}

size_t
counter_write(struct document *d, const struct view *p,
    const struct slice *slices, size_t n, uint64_t pid, size_t n_parts)
{
	struct counter c = { .d = d, .place = { pid, 1 },
	    .part_us = n_parts == 0 ? 0 :
	    p->wall_us / (int64_t)n_parts + 1 };

	for (size_t i = 0; i < N_SERIES; i++)
		c.written[i] = -1;
	collect_changes(&c, slices, n);
	if (c.n_changes > 0)
		write_changes(&c, n_parts > 0);
	free(c.changes);
	return c.n_events;
}
