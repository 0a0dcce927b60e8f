/* counter - writes how many tasks run at a time */

#include "common/build/sweep.h"
#include "common/filter/filter.h"
#include "filters/trace-export/trace-export.h"

/* The series of the counter.  One of which there is no slice is left out. */
enum { RUN, COPY, PREPARE, N_SERIES };
static const char *const series_names[] = { "run", "copy", "prepare" };
static const unsigned char series_of[] = { [SLOTS] = RUN, [THREADS] = RUN,
    [COPIES] = COPY, [PREPARES] = PREPARE };

enum { THOUSANDTHS = 1000 };

struct counter {
	struct document *d;
	struct place place;
	struct sweep sweep;
	size_t n_events;
	bool has_series[N_SERIES];
	int64_t running[N_SERIES];
	int64_t written[N_SERIES];	/* thousandths; -1 at first */

	/* If it is averaged: the parts, and the sum in the current one. */
	int64_t part_us, part_start;
	int64_t sums[N_SERIES];		/* of tasks times microseconds */
};

/* Writes the values, in thousandths, unless the last event has the same. */
static void
put_values(struct counter *c, int64_t us, const int64_t values[N_SERIES])
{
	struct buf *b;
	int rest;

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
	for (size_t i = 0; i < N_SERIES; i++) {
		if (!c->has_series[i])
			continue;
		json_int(b, series_names[i], values[i] / THOUSANDTHS);
		rest = (int)(values[i] % THOUSANDTHS);
		if (rest != 0)
			buf_printf(b, ".%03d", rest);
	}
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

size_t
counter_write(struct document *d, const struct view *p,
    const struct slice *slices, size_t n, uint64_t pid, size_t n_parts)
{
	struct counter c = { .d = d, .place = { pid, 1 },
	    .part_us = n_parts == 0 ? 0 :
	    p->wall_us / (int64_t)n_parts + 1 };
	struct sweep_event e;
	bool is_first = true;
	int64_t now = 0;
	unsigned series;

	for (size_t i = 0; i < N_SERIES; i++)
		c.written[i] = -1;
	for (size_t i = 0; i < n; i++) {
		if (slices[i].class == CALLS || slices[i].start ==
		    slices[i].end)
			continue;
		series = series_of[slices[i].class];
		c.has_series[series] = true;
		sweep_add(&c.sweep, slices[i].start, slices[i].end, series);
	}
	sweep_sort(&c.sweep);
	if (c.sweep.n == 0)
		return 0;

	while (sweep_next(&c.sweep, &e)) {
		if (e.us > now && n_parts > 0)
			advance(&c, now, e.us);
		else if (e.us > now && !is_first)
			put_running(&c, now);
		is_first = false;
		now = e.us;
		c.running[e.tag] += e.change;
	}
	if (n_parts > 0 && c.part_start < now) {
		advance(&c, now, c.part_start + c.part_us);
		now = c.part_start;
	}
	put_running(&c, now);
	sweep_release(&c.sweep);
	return c.n_events;
}
