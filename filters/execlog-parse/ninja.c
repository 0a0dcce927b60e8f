/* ninja - reads .ninja_log, which has a line for each output a run has made */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/filter/lacks.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/ninja-runs.h"
#include "filters/execlog-parse/records.h"

/* All lines are in memory: there are about as many as outputs. */
enum { FIELDS = 5, VERSION_MIN = 4, VERSION_MAX = 7 };

/* So long after it made its manifest, ninja has begun again. */
#define RESTART_US 10000000

#define SIGNATURE "# ninja log"

enum { START, END, MTIME, OUTPUT, HASH };

static struct {
	struct filter *f;
	uint64_t version;	/* of the log that is being read */
	bool all_runs, all_outputs;	/* as in struct format_options */
	bool begins_log;	/* a header was read after lines of a log */
	size_t n_earlier;	/* runs of earlier logs, left out */
	size_t n_emitted;	/* runs */
	struct intern names;
	struct entry *entries;	/* of that log; of all logs if all_outputs */
	size_t n, cap;
	int64_t log_modified_us;	/* when that log was last written, or
					   INT_UNKNOWN */
	size_t *last;		/* by output; for emit_run() */
} state;

/*
 * Sorts the entries by run, the first run first, and leaves out those of no
 * known run.  starts[i] becomes the index of the first entry of the run that is
 * i after the first one; starts[n_runs] is the number of entries.
 */
static void
sort_by_run(size_t *starts, size_t n_runs)
{
	struct entry *sorted = mem_zero(state.n, sizeof *sorted), *e;
	size_t *next = mem_zero(n_runs + 1, sizeof *next);

	for (e = state.entries; e < state.entries + state.n; e++)
		if (e->run != NO_RUN)
			starts[n_runs - e->run]++;
	for (size_t i = 0; i < n_runs; i++)
		next[i + 1] = starts[i + 1] += starts[i];
	for (e = state.entries; e < state.entries + state.n; e++)
		if (e->run != NO_RUN)
			sorted[next[n_runs - 1 - e->run]++] = *e;
	free(next);
	free(state.entries);
	state.entries = sorted;
	state.cap = state.n;
	state.n = starts[n_runs];
}

/* Outputs of one command have the same end, start and hash. */
static int
compare_commands(const struct entry *x, const struct entry *y)
{
	return cmp_i64(x->end_us, y->end_us) ?:
	    cmp_i64(x->start_us, y->start_us) ?:
	    intern_cmp(&state.names, x->hash, y->hash);
}

static int
is_absolute(sym output)
{
	return *intern_str(&state.names, output) == '/';
}

/*
 * The order of outputs within a command matters, because the first one is the
 * id of the task.  Absolute paths come last: CMake lists some files by both
 * paths, and the graph knows them by the relative one.
 */
static int
compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return compare_commands(x, y) ?:
	    is_absolute(x->output) - is_absolute(y->output) ?:
	    intern_cmp(&state.names, x->output, y->output);
}

/* Whether a line has no times: samurai writes 0. */
static bool
is_untimed(const struct entry *e)
{
	return e->start_us == 0 && e->end_us == 0;
}

static bool
is_manifest(sym output)
{
	const char *name = intern_str(&state.names, output);
	const char *slash = strrchr(name, '/');

	return strcmp(slash != NULL ? slash + 1 : name, "build.ninja") == 0;
}

/*
 * Whether the run [from, to) may be of the same invocation as the one before,
 * [before, from): ninja first makes its manifest and then begins again, with
 * times from 0.
 */
static bool
is_restart(size_t before, size_t from, size_t to)
{
	const struct entry *all = state.entries, *e;
	int64_t low_us = INT_UNKNOWN;

	for (e = all + from; e < all + to; e++)
		low_us = e->low_us > low_us ? e->low_us : low_us;
	for (e = all + before; e < all + from; e++)
		if (is_manifest(e->output) && (e->low_us == INT_UNKNOWN ||
		    low_us <= e->high_us + e->end_us + RESTART_US))
			return true;
	return false;
}

/* Emits the task of one command, whose n outputs begin with e. */
static void
emit_task(const struct entry *e, size_t n, bool has_times)
{
	struct buf *b = filter_begin_record(state.f, "task");

	json_str(b, "id", intern_span(&state.names, e->output));
	json_word(b, "kind", "run");
	put_run(b);
	if (has_times)
		put_times(b, e->start_us, e->end_us);
	json_open(b, "outputs", '[');
	for (size_t i = 0; i < n; i++)
		json_item(b, intern_span(&state.names, e[i].output));
	json_close(b, ']');
	json_str(b, e->version == VERSION_MIN ? "command" : "command_hash",
	    intern_span(&state.names, e->hash));
	filter_end_record(state.f);
}

/*
 * Emits the tasks of the entries [from, to), and their build record.  Those of
 * the run before are [before, from).
 */
static void
emit_run(size_t before, size_t from, size_t to)
{
	struct extent extent = { 0 };
	struct entry *all = state.entries;
	/* Of ninja's own lines, of which the last ended last, some may be 0. */
	bool no_times = to > from && is_untimed(&all[to - 1]), has_times;
	size_t end = from, n;

	if (to > from && !state.all_outputs &&
	    (all[from].in_doubt || is_restart(before, from, to)))
		filter_note_lacks(state.f, LACKS_RUNS);
	if (no_times)
		filter_note_lacks(state.f, LACKS_TIMES);
	/* Only the last entry of each output counts. */
	for (size_t i = from; i < to; i++)
		state.last[all[i].output] = i;
	for (size_t i = from; i < to; i++)
		if (state.last[all[i].output] == i)
			all[end++] = all[i];

	sort(all + from, end - from, sizeof *all, compare_entries);
	for (size_t i = from; i < end; i += n) {
		for (n = 1; i + n < end; n++)
			if (compare_commands(&all[i], &all[i + n]) != 0)
				break;
		has_times = !no_times || !is_untimed(&all[i]);
		emit_task(&all[i], n, has_times);
		if (!has_times)
			continue;
		extent_add(&extent, all[i].start_us);
		extent_add(&extent, all[i].end_us);
	}
	emit_build(state.f, ninja_format.name, &extent);
}

/* Emits the runs that are wanted: all of a log, or the last of all logs. */
static void
emit_runs(bool is_last_log)
{
	size_t *starts, n_runs, n_earlier;
	char number[24];

	n_runs = ninja_number_runs(state.f, state.entries, state.n,
	    state.log_modified_us);
	starts = mem_zero(n_runs + 1, sizeof *starts);
	sort_by_run(starts, n_runs);

	if (state.all_runs) {
		for (size_t i = 0; i < n_runs; i++) {
			snprintf(number, sizeof number, "%zu",
			    ++state.n_emitted);
			if (!run_has_given())
				run_set_own(span_str(number));
			if (i > 0)
				run_set_incremental();
			emit_run(starts[i > 0 ? i - 1 : 0], starts[i],
			    starts[i + 1]);
		}
	} else if (!is_last_log) {
		state.n_earlier += n_runs;
	} else if (n_runs > 0) {
		n_earlier = state.n_earlier + n_runs - 1;
		run_add_count("earlier_runs", n_earlier);
		if (n_earlier > 0)
			filter_warn(state.f, "the %s %zu runs of ninja, of "
			    "which only the last is read: see --runs",
			    state.n_earlier > 0 ? "logs have" : "log has",
			    n_earlier + 1);
		emit_run(starts[n_runs > 1 ? n_runs - 2 : 0],
		    starts[n_runs - 1], starts[n_runs]);
	}

	free(starts);
}

/* Emits what is wanted of the log that has been read. */
static void
end_log(bool is_last)
{
	size_t n_runs, n_timed = state.n;
	bool ends_untimed;

	state.last = mem_zero(state.names.n, sizeof *state.last);
	while (n_timed > 0 && is_untimed(&state.entries[n_timed - 1]))
		n_timed--;
	ends_untimed = n_timed < state.n && is_last && !state.all_runs;
	if (ends_untimed)
		filter_warn(state.f, "the %s no times, as samurai writes "
		    "%s: which lines are its last run is not known either",
		    n_timed > 0 ? "log ends with lines that have" : "log has",
		    n_timed > 0 ? "them" : "it");

	if (state.all_outputs || ends_untimed) {
		/* The runs are only counted: their records have no number. */
		n_runs = ninja_number_runs(NULL, state.entries, n_timed,
		    INT_UNKNOWN) + (n_timed < state.n);
		if (state.all_outputs)
			run_add_count("mixed_runs", n_runs > 1 ? n_runs : 0);
		else
			run_add_count("earlier_runs",
			    state.n_earlier + n_runs - 1);
		n_timed = state.all_outputs ? 0 : n_timed;
		emit_run(n_timed, n_timed, state.n);
	} else {
		emit_runs(is_last);
	}
	free(state.last);
	state.n = 0;
}

static void
read_header(const struct line *line)
{
	static const char header[] = SIGNATURE " v";
	size_t n = sizeof header - 1;
	struct buf why = { 0 };
	struct span version;

	if (line->len <= n || memcmp(line->p, header, n) != 0) {
		filter_reject(state.f, "the comment is not a header of ninja");
		return;
	}
	version = span_of(line->p + n, line->len - n);
	if (!text_u64(version, &state.version) || state.version < VERSION_MIN ||
	    state.version > VERSION_MAX) {
		buf_printf(&why, "is a ninja log of version %.*s; this "
		    "program knows %d to %d", SPAN_ARG(version), VERSION_MIN,
		    VERSION_MAX);
		filter_refuse(state.f, state.f->current, buf_cstr(&why));
		buf_release(&why);
		return;
	}
	state.begins_log = state.n > 0;
}

static bool
split(struct span field[FIELDS], const char *p, size_t n)
{
	const char *end = p + n, *tab;

	for (int i = 0; i < FIELDS - 1; i++, p = tab + 1) {
		if ((tab = memchr(p, '\t', (size_t)(end - p))) == NULL)
			return false;
		field[i] = span_of(p, (size_t)(tab - p));
	}
	field[FIELDS - 1] = span_of(p, (size_t)(end - p));
	return field[OUTPUT].n > 0;
}

static bool
read_time(struct span field, const char *name, int64_t *us)
{
	if (read_ms(field, us))
		return true;
	filter_reject(state.f, "%s '%.*s' is not a number of milliseconds, or "
	    "is too large", name, SPAN_ARG(field));
	return false;
}

static void
read_line(const struct line *line)
{
	struct entry e = { .version = state.version, .run = NO_RUN };
	struct span field[FIELDS];
	int64_t mtime;

	if (*line->p == '#') {
		read_header(line);
		return;
	}
	if (!filter_check_text(state.f, line))
		return;
	if (!split(field, line->p, line->len)) {
		filter_reject(state.f, "the line does not have five fields "
		    "separated by tabs, or its output is empty");
		return;
	}
	if (!read_time(field[START], "start", &e.start_us) ||
	    !read_time(field[END], "end", &e.end_us))
		return;
	if (!text_i64(field[MTIME], &mtime)) {
		filter_reject(state.f, "mtime '%.*s' is not a number",
		    SPAN_ARG(field[MTIME]));
		return;
	}
	ninja_set_bracket(&e, mtime);
	e.output = intern_add(&state.names, field[OUTPUT]);
	e.hash = intern_add(&state.names, field[HASH]);

	/* A log without lines does not replace an earlier one. */
	if (state.begins_log && !state.all_outputs)
		end_log(false);
	state.begins_log = false;
	if (state.n == 0)
		state.log_modified_us = input_modified_us(&state.f->input);
	state.entries = mem_grow(state.entries, &state.cap, state.n + 1,
	    sizeof *state.entries);
	state.entries[state.n++] = e;
}

static bool
ninja_detect(struct input *in)
{
	return format_begins_with(in, SIGNATURE);
}

static void
ninja_read(struct filter *f, const struct format_options *options)
{
	struct line line;

	state.f = f;
	state.all_runs = options->all_runs;
	state.all_outputs = options->all_outputs;
	state.version = 5;	/* assumed if there is no header */
	intern_init(&state.names);
	while (filter_line(f, &line))
		read_line(&line);
	end_log(true);
	intern_release(&state.names);
	free(state.entries);
	memset(&state, 0, sizeof state);
}

const struct input_format ninja_format = {
	.name = "ninja",
	.help = ".ninja_log, versions 4 to 7",
	.detect = ninja_detect,
	.read = ninja_read,
};
